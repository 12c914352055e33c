/* What runs in the Flatpak app of the tests: flatpak_peer PATH LINE UNTIL
 *
 * Connects (and waits up to two seconds for the socket to appear), sends the line, prints what
 * comes until it holds UNTIL. Cannot it connect, it prints the name of the error. Linked
 * statically, since the runtime of the tests has no library. */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int count, char **arguments) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char text[65536];
    size_t length = 0;
    if (count != 4 || strlen(arguments[1]) >= sizeof address.sun_path) return 64;
    strcpy(address.sun_path, arguments[1]);
    int peer = socket(AF_UNIX, SOCK_STREAM, 0);
    int code = -1;
    for (int i = 0; i < 40; i++) {
        code = connect(peer, (struct sockaddr *)&address, sizeof address);
        if (code == 0 || errno != ENOENT) break;
        usleep(50000);
    }
    if (code == -1) return puts(errno == ENOENT ? "ENOENT" : strerror(errno)) < 0;
    dprintf(peer, "%s\n", arguments[2]);
    while (length < sizeof text - 1) {
        ssize_t more = read(peer, text + length, sizeof text - 1 - length);
        if (more <= 0) break;
        length += (size_t)more;
        text[length] = 0;
        if (text[length - 1] == '\n' && strstr(text, arguments[3])) break;
    }
    fwrite(text, 1, length, stdout);
    return 0;
}
