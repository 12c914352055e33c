// A disk whose syncs take as many milliseconds as stand in the file SLOW_SYNC_FILE names.
// For LD_PRELOAD; without the file nothing changes.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void wait_as_told(void) {
    const char *path = getenv("SLOW_SYNC_FILE");
    char text[16] = {0};
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    if (read(file, text, sizeof text - 1) > 0) {
        long milliseconds = strtol(text, NULL, 10);
        struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000};
        while (nanosleep(&left, &left) != 0) continue;
    }
    close(file);
}

int fsync(int descriptor) {
    int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    wait_as_told();
    return next(descriptor);
}

int fdatasync(int descriptor) {
    int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    wait_as_told();
    return next(descriptor);
}
