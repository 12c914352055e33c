// What Swift cannot call by itself of Linux and glibc, with the reason beside each function.
//
// Every function returns what the C function of its comment returns, with errno set as there.
#pragma once

#include <dirent.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/types.h>

// AF_UNIX addresses: a sockaddr_un is a byte array behind a cast to sockaddr, which Swift can
// only do by rebinding memory. The path is a counted string without NUL, at most
// CLINUX_UNIX_PATH_MAX bytes (else ENAMETOOLONG or EINVAL).
#define CLINUX_UNIX_PATH_MAX 107
int clinux_bind_unix(int descriptor, const char *path, size_t length);
int clinux_connect_unix(int descriptor, const char *path, size_t length);
ssize_t clinux_send_to_unix(int descriptor, const void *bytes, size_t count, const char *path,
                            size_t length);

// The path that a socket is bound to: its length (0 if it has none or an abstract one), or -1.
// `path` has room for CLINUX_UNIX_PATH_MAX + 1 bytes.
ssize_t clinux_bound_path(int descriptor, char *path);

// socket(AF_UNIX, SOCK_STREAM or SOCK_DGRAM, close-on-exec): the socket types are an enum that
// Swift will not combine with flags.
int clinux_stream_socket(int nonblocking);
int clinux_datagram_socket(void);

// accept4() (not declared without _GNU_SOURCE): nonblocking, close-on-exec.
int clinux_accept(int listener);

// recv() and send() with their flags, which are an enum in glibc.
ssize_t clinux_receive(int descriptor, void *bytes, size_t count);
ssize_t clinux_send(int descriptor, const void *bytes, size_t count);

// getsockopt(SO_PEERCRED): struct ucred is not declared without _GNU_SOURCE.
int clinux_peer_credentials(int descriptor, int32_t *pid, uint32_t *uid, uint32_t *gid);

// getsockopt(SO_PEERPIDFD): the option is younger than glibc's headers. A pidfd, close-on-exec.
int clinux_peer_process(int socket);

// pidfd_open(), close-on-exec: older than some glibc's wrapper.
int clinux_open_process(int32_t pid);

// socketpair(AF_UNIX, SOCK_STREAM, close-on-exec): see clinux_stream_socket().
int clinux_connected_pair(int *one, int *other);

// openat(O_PATH) (not declared without _GNU_SOURCE) of a directory, where links are followed, or
// of anything, where a link at the end is not.
int clinux_open_handle(int directory, const char *name, int is_directory);

// statx() (not declared without _GNU_SOURCE) of a handle without asking the file system, which may
// be one that answers when it likes. EOPNOTSUPP if the kernel does not tell all of it.
struct clinux_handle_status {
    uint32_t mode;
    uint64_t size;
    uint64_t mount;
    uint64_t device;
};
int clinux_handle_status(int handle, struct clinux_handle_status *status);

// signalfd() of these signals, which are blocked in the calling thread first: sigset_t and
// signalfd_siginfo are only handled by pointer.
int clinux_signal_descriptor(const int *signals, size_t count);

// The next signal of a signalfd, 0 if there is none now, or -1.
int clinux_next_signal(int descriptor);

// timerfd_settime() to an absolute time: itimerspec is only handled by pointer.
int clinux_arm_timer(int descriptor, int64_t seconds, int64_t nanoseconds, int flags);

// pthread_create() with every signal blocked in the new thread.
int clinux_start_thread(uintptr_t *thread, void *(*run)(void *), void *argument);
int clinux_join_thread(uintptr_t thread);
int clinux_detach_thread(uintptr_t thread);

// strerrordesc_np() (not declared without _GNU_SOURCE): static English text, any thread.
const char *clinux_error_text(int code);

// The soft and hard RLIMIT_NOFILE: the resource is an enum in glibc.
int clinux_descriptor_limit(uint64_t *soft, uint64_t *hard);
int clinux_set_descriptor_limit(uint64_t soft);

// d_name of a directory entry: an array that Swift sees as a tuple of 256 members.
const char *clinux_entry_name(const struct dirent *entry);

// ioctl(TIOCGWINSZ): variadic. The number of lines of a terminal, or -1.
int clinux_terminal_rows(int descriptor);
