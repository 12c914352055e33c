// The least that a D-Bus service is: one method that counts.
//
// usage: bus-service ADDRESS
#include <stdio.h>
#include <string.h>
#include <systemd/sd-bus.h>

static uint64_t events;

static int event(sd_bus_message *message, void *data, sd_bus_error *error) {
    (void)data;
    (void)error;
    const char *name;
    int result = sd_bus_message_read(message, "s", &name);
    if (result < 0) return result;
    events++;
    return sd_bus_reply_method_return(message, "tt", events, events);
}

static const sd_bus_vtable methods[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("Event", "s", "tt", event, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END,
};

static int serve(const char *address) {
    sd_bus *bus;
    int result = sd_bus_new(&bus);
    if (result >= 0) result = sd_bus_set_address(bus, address);
    if (result >= 0) result = sd_bus_set_bus_client(bus, 1);
    if (result >= 0) result = sd_bus_start(bus);
    if (result >= 0) {
        result = sd_bus_add_object_vtable(
            bus, NULL, "/org/ratingd/Bench", "org.ratingd.Bench", methods, NULL);
    }
    if (result >= 0) result = sd_bus_request_name(bus, "org.ratingd.Bench", 0);
    while (result >= 0) {
        result = sd_bus_process(bus, NULL);
        if (result == 0) result = sd_bus_wait(bus, UINT64_MAX);
    }
    return result;
}

int main(int argc, char **argv) {
    if (argc != 2) return fprintf(stderr, "usage: bus-service ADDRESS\n"), 64;
    fprintf(stderr, "bus-service: %s\n", strerror(-serve(argv[1])));
    return 1;
}
