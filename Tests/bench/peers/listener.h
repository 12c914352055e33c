// What every peer begins with: a listening socket at a path, and an epoll that watches it.
#pragma once

#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

[[noreturn]] inline void fail(const char *what) {
    std::perror(what);
    std::exit(1);
}

inline int listen_at(const char *path) {
    rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);

    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener < 0) fail("socket");
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    unlink(path);
    if (bind(listener, reinterpret_cast<sockaddr *>(&address), sizeof address) < 0) fail("bind");
    if (listen(listener, 4096) < 0) fail("listen");
    return listener;
}

inline void watch(int epoll, int fd, uint32_t events, void *data, int operation = EPOLL_CTL_ADD) {
    epoll_event event = {};
    event.events = events;
    event.data.ptr = data;
    if (epoll_ctl(epoll, operation, fd, &event) < 0) fail("epoll_ctl");
}
