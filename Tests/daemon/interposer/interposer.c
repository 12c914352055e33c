/*
 * The world of a daemon under test: its wall clock, its suspends, its disk.
 *
 * Preloaded with LD_PRELOAD. The file named by RATINGD_TEST_CONTROLS is mapped; the test writes
 * 64-bit numbers into it (the order is that of `struct controls`, and of controls.py). Only
 * CLOCK_REALTIME, its coarse sister and CLOCK_BOOTTIME are moved: CLOCK_MONOTONIC never is.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct controls {
    int64_t realtime_offset_ms;
    int64_t realtime_frozen_ms; /* not 0: the wall clock stands exactly here */
    int64_t boottime_offset_ms;
    int64_t sync_sleep_ms;
    int64_t sync_errno; /* not 0: fsync and fdatasync fail with it */
    int64_t sync_calls; /* counted for the test */
};

static struct controls none;
static struct controls *controls = &none;

__attribute__((constructor)) static void open_controls(void)
{
    const char *path = getenv("RATINGD_TEST_CONTROLS");
    if (!path)
        return;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return;
    void *map = mmap(NULL, sizeof none, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (map != MAP_FAILED)
        controls = map;
}

static int64_t load(const int64_t *field)
{
    return __atomic_load_n(field, __ATOMIC_SEQ_CST);
}

static void set_milliseconds(struct timespec *time, int64_t ms)
{
    time->tv_sec = ms / 1000;
    time->tv_nsec = ms % 1000 * 1000000;
}

static void add_milliseconds(struct timespec *time, int64_t ms)
{
    time->tv_sec += ms / 1000;
    time->tv_nsec += ms % 1000 * 1000000;
    if (time->tv_nsec < 0) {
        time->tv_nsec += 1000000000;
        time->tv_sec -= 1;
    } else if (time->tv_nsec >= 1000000000) {
        time->tv_nsec -= 1000000000;
        time->tv_sec += 1;
    }
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    static int (*real)(clockid_t, struct timespec *);
    if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE && clock != CLOCK_BOOTTIME) {
        if (!real)
            real = dlsym(RTLD_NEXT, "clock_gettime");
        return real(clock, time);
    }
    long result = syscall(SYS_clock_gettime, clock, time);
    if (result != 0)
        return (int)result;
    if (clock == CLOCK_BOOTTIME)
        add_milliseconds(time, load(&controls->boottime_offset_ms));
    else if (load(&controls->realtime_frozen_ms))
        set_milliseconds(time, load(&controls->realtime_frozen_ms));
    else
        add_milliseconds(time, load(&controls->realtime_offset_ms));
    return 0;
}

int gettimeofday(struct timeval *restrict value, void *restrict zone)
{
    (void)zone;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    value->tv_sec = now.tv_sec;
    value->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *out)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}

static int sync_through(const char *name, int fd)
{
    __atomic_add_fetch(&controls->sync_calls, 1, __ATOMIC_SEQ_CST);
    int64_t ms = load(&controls->sync_sleep_ms);
    if (ms > 0) {
        struct timespec pause;
        set_milliseconds(&pause, ms);
        nanosleep(&pause, NULL);
    }
    if (load(&controls->sync_errno)) {
        errno = (int)load(&controls->sync_errno);
        return -1;
    }
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    return real(fd);
}

int fsync(int fd)
{
    return sync_through("fsync", fd);
}

int fdatasync(int fd)
{
    return sync_through("fdatasync", fd);
}
