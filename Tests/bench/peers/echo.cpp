// Sends everything back as it came: what a socket and the scheduler cost, and nothing else.
//
// usage: echo SOCKET
#include "listener.h"

#include <string>

namespace {

struct Client {
    int fd;
    // What could not be sent yet; until it is, nothing is read.
    std::string rest;
};

char buffer[65536];

bool send_rest(Client &client, int epoll) {
    ssize_t sent = send(client.fd, client.rest.data(), client.rest.size(), MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN;
    client.rest.erase(0, static_cast<size_t>(sent));
    if (client.rest.empty()) watch(epoll, client.fd, EPOLLIN, &client, EPOLL_CTL_MOD);
    return true;
}

bool serve(Client &client, int epoll) {
    if (!client.rest.empty()) return send_rest(client, epoll);
    ssize_t count = recv(client.fd, buffer, sizeof buffer, 0);
    if (count < 0) return errno == EAGAIN;
    if (count == 0) return false;
    ssize_t sent = send(client.fd, buffer, static_cast<size_t>(count), MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) return false;
    if (sent < 0) sent = 0;
    if (sent == count) return true;
    client.rest.assign(buffer + sent, static_cast<size_t>(count - sent));
    watch(epoll, client.fd, EPOLLOUT, &client, EPOLL_CTL_MOD);
    return true;
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 2) return std::fprintf(stderr, "usage: echo SOCKET\n"), 64;
    int listener = listen_at(argv[1]);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    watch(epoll, listener, EPOLLIN, nullptr);
    epoll_event ready[256];
    for (;;) {
        int count = epoll_wait(epoll, ready, 256, -1);
        for (int i = 0; i < count; i++) {
            auto client = static_cast<Client *>(ready[i].data.ptr);
            if (!client) {
                int fd = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
                if (fd >= 0) watch(epoll, fd, EPOLLIN, new Client{fd, {}});
            } else if (!serve(*client, epoll)) {
                close(client->fd);
                delete client;
            }
        }
    }
}
