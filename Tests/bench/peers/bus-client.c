// Calls the counting method again and again, one call at a time, and prints the median in
// microseconds.
//
// usage: bus-client ADDRESS WARM-UP SECONDS
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <time.h>

enum { samples_max = 10000000 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int call(sd_bus *bus) {
    sd_bus_error error = SD_BUS_ERROR_NULL;
    sd_bus_message *answer = NULL;
    uint64_t events, total;
    int result = sd_bus_call_method(bus, "org.ratingd.Bench", "/org/ratingd/Bench",
                                    "org.ratingd.Bench", "Event", &error, &answer, "s",
                                    "note-saved");
    if (result >= 0) result = sd_bus_message_read(answer, "tt", &events, &total);
    sd_bus_message_unref(answer);
    sd_bus_error_free(&error);
    return result;
}

static int by_size(const void *left, const void *right) {
    float a = *(const float *)left, b = *(const float *)right;
    return (a > b) - (a < b);
}

static int measure(const char *address, double warm_up, double seconds, float *samples) {
    sd_bus *bus;
    int result = sd_bus_new(&bus);
    if (result >= 0) result = sd_bus_set_address(bus, address);
    if (result >= 0) result = sd_bus_set_bus_client(bus, 1);
    if (result >= 0) result = sd_bus_start(bus);
    // The service may still be on its way to its name.
    double patience = now() + 10;
    do {
        if (result >= 0 || result == -EHOSTUNREACH) result = call(bus);
    } while (result == -EHOSTUNREACH && now() < patience);
    size_t count = 0;
    double start = now() + warm_up, before = now();
    while (result >= 0 && before < start + seconds && count < samples_max) {
        result = call(bus);
        double after = now();
        if (before >= start) samples[count++] = (float)((after - before) * 1e6);
        before = after;
    }
    if (result < 0) return result;
    qsort(samples, count, sizeof *samples, by_size);
    printf("%.3f\n", count ? (double)samples[count / 2] : 0.0);
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4) return fprintf(stderr, "usage: bus-client ADDRESS WARM-UP SECONDS\n"), 64;
    float *samples = malloc(sizeof *samples * samples_max);
    int result = measure(argv[1], atof(argv[2]), atof(argv[3]), samples);
    if (result < 0) fprintf(stderr, "bus-client: %s\n", strerror(-result));
    return result < 0;
}
