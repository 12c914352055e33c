#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

_Static_assert(CLINUX_UNIX_PATH_MAX + 1 == sizeof(((struct sockaddr_un *)0)->sun_path),
               "the path and its NUL fill sun_path");

static int unix_address(struct sockaddr_un *address, const char *path, size_t length) {
    if (length == 0 || memchr(path, 0, length) != NULL) {
        errno = EINVAL;
        return -1;
    }
    if (length > CLINUX_UNIX_PATH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, path, length);
    return 0;
}

int clinux_bind_unix(int descriptor, const char *path, size_t length) {
    struct sockaddr_un address;
    if (unix_address(&address, path, length) == -1) return -1;
    return bind(descriptor, (const struct sockaddr *)&address, sizeof address);
}

int clinux_connect_unix(int descriptor, const char *path, size_t length) {
    struct sockaddr_un address;
    if (unix_address(&address, path, length) == -1) return -1;
    return connect(descriptor, (const struct sockaddr *)&address, sizeof address);
}

ssize_t clinux_send_to_unix(int descriptor, const void *bytes, size_t count, const char *path,
                            size_t length) {
    struct sockaddr_un address;
    if (unix_address(&address, path, length) == -1) return -1;
    socklen_t size = sizeof address;
    if (path[0] == '@') {
        // An abstract name: a NUL in front, and as long as it is.
        address.sun_path[0] = 0;
        size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    }
    return sendto(descriptor, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL,
                  (const struct sockaddr *)&address, size);
}

ssize_t clinux_bound_path(int descriptor, char *path) {
    struct sockaddr_un address;
    socklen_t size = sizeof address;
    memset(&address, 0, sizeof address);
    if (getsockname(descriptor, (struct sockaddr *)&address, &size) == -1) return -1;
    if (address.sun_family != AF_UNIX || size <= offsetof(struct sockaddr_un, sun_path)) return 0;
    size_t length = strnlen(address.sun_path, CLINUX_UNIX_PATH_MAX);
    memcpy(path, address.sun_path, length);
    return (ssize_t)length;
}

int clinux_stream_socket(int nonblocking) {
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | (nonblocking ? SOCK_NONBLOCK : 0), 0);
}

int clinux_datagram_socket(void) {
    return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

int clinux_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

ssize_t clinux_receive(int descriptor, void *bytes, size_t count) {
    return recv(descriptor, bytes, count, MSG_DONTWAIT);
}

ssize_t clinux_send(int descriptor, const void *bytes, size_t count) {
    return send(descriptor, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
}

int clinux_peer_credentials(int descriptor, int32_t *pid, uint32_t *uid, uint32_t *gid) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == -1) return -1;
    *pid = peer.pid;
    *uid = peer.uid;
    *gid = peer.gid;
    return 0;
}

int clinux_peer_process(int socket) {
    int descriptor = -1;
    socklen_t size = sizeof descriptor;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &descriptor, &size) == -1) return -1;
    return descriptor;
}

int clinux_open_process(int32_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

int clinux_connected_pair(int *one, int *other) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == -1) return -1;
    *one = pair[0];
    *other = pair[1];
    return 0;
}

int clinux_open_handle(int directory, const char *name, int is_directory) {
    return is_directory ? openat(directory, name, O_PATH | O_CLOEXEC | O_DIRECTORY)
                        : openat(directory, name, O_PATH | O_CLOEXEC | O_NOFOLLOW);
}

int clinux_handle_status(int handle, struct clinux_handle_status *status) {
    struct statx found;
    unsigned wanted = STATX_TYPE | STATX_SIZE | STATX_MNT_ID;
    if (statx(handle, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, wanted, &found) == -1) return -1;
    if ((found.stx_mask & wanted) != wanted) {
        errno = EOPNOTSUPP;
        return -1;
    }
    status->mode = found.stx_mode;
    status->size = found.stx_size;
    status->mount = found.stx_mnt_id;
    status->device = makedev(found.stx_dev_major, found.stx_dev_minor);
    return 0;
}

int clinux_signal_descriptor(const int *signals, size_t count) {
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < count; i++)
        if (sigaddset(&set, signals[i]) == -1) return -1;
    int code = pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (code != 0) {
        errno = code;
        return -1;
    }
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

int clinux_next_signal(int descriptor) {
    struct signalfd_siginfo information;
    ssize_t count;
    do count = read(descriptor, &information, sizeof information);
    while (count == -1 && errno == EINTR);
    if (count == sizeof information) return (int)information.ssi_signo;
    return count == -1 && errno != EAGAIN ? -1 : 0;
}

int clinux_arm_timer(int descriptor, int64_t seconds, int64_t nanoseconds, int flags) {
    struct itimerspec when = {.it_value = {.tv_sec = seconds, .tv_nsec = nanoseconds}};
    return timerfd_settime(descriptor, TFD_TIMER_ABSTIME | flags, &when, NULL);
}

int clinux_start_thread(uintptr_t *thread, void *(*run)(void *), void *argument) {
    sigset_t all, before;
    pthread_t made = 0;
    sigfillset(&all);
    int code = pthread_sigmask(SIG_SETMASK, &all, &before);
    if (code == 0) {
        code = pthread_create(&made, NULL, run, argument);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    *thread = (uintptr_t)made;
    if (code == 0) return 0;
    errno = code;
    return -1;
}

int clinux_join_thread(uintptr_t thread) {
    int code = pthread_join((pthread_t)thread, NULL);
    if (code == 0) return 0;
    errno = code;
    return -1;
}

int clinux_detach_thread(uintptr_t thread) {
    int code = pthread_detach((pthread_t)thread);
    if (code == 0) return 0;
    errno = code;
    return -1;
}

const char *clinux_error_text(int code) { return strerrordesc_np(code); }

int clinux_descriptor_limit(uint64_t *soft, uint64_t *hard) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == -1) return -1;
    *soft = limit.rlim_cur;
    *hard = limit.rlim_max;
    return 0;
}

int clinux_set_descriptor_limit(uint64_t soft) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == -1) return -1;
    limit.rlim_cur = soft;
    return setrlimit(RLIMIT_NOFILE, &limit);
}

const char *clinux_entry_name(const struct dirent *entry) { return entry->d_name; }

int clinux_terminal_rows(int descriptor) {
    struct winsize size;
    return ioctl(descriptor, TIOCGWINSZ, &size) == -1 ? -1 : size.ws_row;
}
