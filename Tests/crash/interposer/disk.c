/*
 * The disk of a daemon under test: what it does to the files of its state is written down, and
 * made to fail when the test says so.
 *
 * Preloaded with LD_PRELOAD. Concerned are files below RATINGD_DISK_ROOT. RATINGD_DISK_LOG names
 * a file that gets a record (`struct record`, as in disk_log.py) for each change of a file or of
 * the directory, for each sync, begun and ended, and for everything that is sent to a client, in
 * the order in which they happened. RATINGD_DISK_CONTROLS names a file that is mapped; the test
 * writes 64-bit numbers into it (`struct controls`, as in disk_interposer.py). The file
 * RATINGD_DISK_BOOT says which boot this is, in place of the kernel.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum class_of_call { WRITE_CALL, SYNC_CALL, OPEN_CALL, CLASSES };
enum place { LOG, DIRECTORY, OTHER_FILE, PLACES };

struct controls {
    int64_t fail_first[CLASSES]; /* calls of each class are counted from 1; 0: none fails */
    int64_t fail_last[CLASSES];
    int64_t fail_every[CLASSES]; /* not 0: every n-th call fails as well */
    int64_t fail_errno;
    int64_t calls[CLASSES];
    int64_t failed;       /* how many did fail */
    int64_t swallow[PLACES]; /* not 0: syncs there are told to be done, and are not */
};

enum kind { STARTED, CREATED, WRITTEN, CUT, RENAMED, REMOVED, SYNC_BEGUN, SYNCED, SYNC_FAILED, SENT };

/* In front of each record and behind it, so that one which a kill cut short is seen. */
static const uint64_t begin_mark = 0x4b5349446472a5c3, end_mark = 0xc3a5726444495300;

struct record {
    uint64_t mark;
    uint32_t kind;
    uint32_t path_bytes, other_path_bytes, data_bytes;
    uint64_t file; /* the inode; the descriptor of what was sent */
    int64_t offset; /* of what was written; the new size; the number of the sync */
    int64_t nanoseconds;
};

struct open_file {
    uint64_t inode; /* 0: none of ours */
    char is_recorded, place;
};

#define FILES 4096
static struct open_file files[FILES];
static struct controls none;
static struct controls *controls = &none;
static const char *root, *boot;
static size_t root_bytes;
static int log_fd = -1;
static int64_t syncs;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;


static void put(uint32_t kind, uint64_t file, int64_t offset, const char *path, const char *other,
                const void *data, size_t bytes)
{
    if (log_fd < 0)
        return;
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    size_t path_bytes = path ? strlen(path) : 0, other_bytes = other ? strlen(other) : 0;
    struct record record = {begin_mark, kind, path_bytes, other_bytes, bytes, file, offset,
                            now.tv_sec * 1000000000 + now.tv_nsec};
    struct iovec parts[] = {{&record, sizeof record}, {(void *)path, path_bytes},
                            {(void *)other, other_bytes}, {(void *)data, bytes},
                            {(void *)&end_mark, sizeof end_mark}};
    if (syscall(SYS_writev, log_fd, parts, 5) < 0)
        abort();
}

static int is_ours(const char *path)
{
    return root && strncmp(path, root, root_bytes) == 0;
}

static int ends_with(const char *path, const char *end)
{
    size_t length = strlen(path), end_length = strlen(end);
    return length >= end_length && strcmp(path + length - end_length, end) == 0;
}

static struct open_file *file_of(int fd)
{
    return fd >= 0 && fd < FILES && files[fd].inode ? &files[fd] : NULL;
}

__attribute__((constructor)) static void begin(void)
{
    root = getenv("RATINGD_DISK_ROOT");
    boot = getenv("RATINGD_DISK_BOOT");
    root_bytes = root ? strlen(root) : 0;
    const char *path = getenv("RATINGD_DISK_CONTROLS");
    if (path) {
        int fd = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
        void *map = mmap(NULL, sizeof none, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        syscall(SYS_close, fd);
        if (map != MAP_FAILED)
            controls = map;
    }
    path = getenv("RATINGD_DISK_LOG");
    if (path) {
        int fd = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
        /* Out of the way of the daemon's own descriptors, whose numbers tests may look at. */
        log_fd = fcntl(fd, F_DUPFD_CLOEXEC, 900);
        syscall(SYS_close, fd);
        struct stat status;
        put(STARTED, root && stat(root, &status) == 0 ? status.st_ino : 0, 0, NULL, NULL, NULL, 0);
    }
}

/* Whether this call is to fail; errno is set then. */
static int fails(enum class_of_call class)
{
    int64_t number = __atomic_add_fetch(&controls->calls[class], 1, __ATOMIC_SEQ_CST);
    int64_t every = controls->fail_every[class];
    if (!(number >= controls->fail_first[class] && number <= controls->fail_last[class])
        && !(every && number % every == 0))
        return 0;
    __atomic_add_fetch(&controls->failed, 1, __ATOMIC_SEQ_CST);
    errno = (int)controls->fail_errno;
    return 1;
}

static int open_file(int directory, const char *path, int flags, mode_t mode)
{
    if (boot && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0)
        path = boot;
    if (!is_ours(path))
        return syscall(SYS_openat, directory, path, flags, mode);
    pthread_mutex_lock(&lock);
    struct stat status;
    int is_new = (flags & O_CREAT) && lstat(path, &status) != 0;
    int fd = fails(OPEN_CALL) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (fd >= 0 && fd < FILES && fstat(fd, &status) == 0) {
        int is_recorded = !ends_with(path, "-shm");
        int place = ends_with(path, "-wal") ? LOG : S_ISDIR(status.st_mode) ? DIRECTORY : OTHER_FILE;
        files[fd] = (struct open_file){status.st_ino, is_recorded, place};
        if (is_recorded && is_new)
            put(CREATED, status.st_ino, 0, path, NULL, NULL, 0);
        else if (is_recorded && (flags & O_TRUNC))
            put(CUT, status.st_ino, 0, NULL, NULL, NULL, 0);
    }
    pthread_mutex_unlock(&lock);
    return fd;
}

#define OPEN(name, directory, ...)                                                  \
    int name(__VA_ARGS__, int flags, ...)                                           \
    {                                                                               \
        va_list arguments;                                                          \
        va_start(arguments, flags);                                                 \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, mode_t) : 0; \
        va_end(arguments);                                                          \
        return open_file(directory, path, flags, mode);                             \
    }
OPEN(open, AT_FDCWD, const char *path)
OPEN(open64, AT_FDCWD, const char *path)
OPEN(openat, directory, int directory, const char *path)
OPEN(openat64, directory, int directory, const char *path)

int close(int fd)
{
    if (fd >= 0 && fd < FILES)
        files[fd].inode = 0;
    return syscall(SYS_close, fd);
}

/* A write that fails has done half of its work. */
static ssize_t write_at(int fd, const void *bytes, size_t count, int64_t offset)
{
    struct open_file *file = file_of(fd);
    pthread_mutex_lock(&lock);
    int has_failed = fails(WRITE_CALL), number = errno;
    ssize_t done = syscall(SYS_pwrite64, fd, bytes, has_failed ? count / 2 : count, offset);
    if (done > 0 && file->is_recorded)
        put(WRITTEN, file->inode, offset, NULL, NULL, bytes, done);
    pthread_mutex_unlock(&lock);
    if (!has_failed)
        return done;
    errno = number;
    return -1;
}

ssize_t write(int fd, const void *bytes, size_t count)
{
    if (!file_of(fd))
        return syscall(SYS_write, fd, bytes, count);
    off_t offset = lseek(fd, 0, SEEK_CUR);
    ssize_t done = write_at(fd, bytes, count, offset);
    if (done > 0)
        lseek(fd, offset + done, SEEK_SET);
    return done;
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset)
{
    return file_of(fd) ? write_at(fd, bytes, count, offset)
                       : syscall(SYS_pwrite64, fd, bytes, count, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset)
{
    return pwrite(fd, bytes, count, offset);
}

int ftruncate(int fd, off_t size)
{
    struct open_file *file = file_of(fd);
    if (!file)
        return syscall(SYS_ftruncate, fd, size);
    pthread_mutex_lock(&lock);
    int result = fails(WRITE_CALL) ? -1 : (int)syscall(SYS_ftruncate, fd, size);
    if (result == 0 && file->is_recorded)
        put(CUT, file->inode, size, NULL, NULL, NULL, 0);
    pthread_mutex_unlock(&lock);
    return result;
}

int ftruncate64(int fd, off64_t size)
{
    return ftruncate(fd, size);
}

int rename(const char *path, const char *target)
{
    if (!is_ours(path))
        return syscall(SYS_renameat, AT_FDCWD, path, AT_FDCWD, target);
    pthread_mutex_lock(&lock);
    int result = fails(WRITE_CALL)
        ? -1 : (int)syscall(SYS_renameat, AT_FDCWD, path, AT_FDCWD, target);
    if (result == 0)
        put(RENAMED, 0, 0, path, target, NULL, 0);
    pthread_mutex_unlock(&lock);
    return result;
}

int unlink(const char *path)
{
    if (!is_ours(path))
        return syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    pthread_mutex_lock(&lock);
    int result = fails(WRITE_CALL) ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    if (result == 0 && !ends_with(path, "-shm"))
        put(REMOVED, 0, 0, path, NULL, NULL, 0);
    pthread_mutex_unlock(&lock);
    return result;
}

static int sync_file(long call, int fd)
{
    struct open_file *file = file_of(fd);
    if (!file)
        return syscall(call, fd);
    if (controls->swallow[(int)file->place])
        return 0;
    uint64_t inode = file->inode;
    pthread_mutex_lock(&lock);
    int64_t number = ++syncs;
    put(SYNC_BEGUN, inode, number, NULL, NULL, NULL, 0);
    pthread_mutex_unlock(&lock);
    int result = fails(SYNC_CALL) ? -1 : (int)syscall(call, fd), error = errno;
    pthread_mutex_lock(&lock);
    put(result == 0 ? SYNCED : SYNC_FAILED, inode, number, NULL, NULL, NULL, 0);
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}

int fsync(int fd)
{
    return sync_file(SYS_fsync, fd);
}

int fdatasync(int fd)
{
    return sync_file(SYS_fdatasync, fd);
}

ssize_t send(int fd, const void *bytes, size_t count, int flags)
{
    pthread_mutex_lock(&lock);
    ssize_t done = syscall(SYS_sendto, fd, bytes, count, flags, NULL, 0);
    int error = errno;
    if (done > 0)
        put(SENT, (uint64_t)fd, 0, NULL, NULL, bytes, done);
    pthread_mutex_unlock(&lock);
    errno = error;
    return done;
}
