// The least that a durable counter server is: epoll, simdjson, one SQLite commit for all that came
// in a turn, answers after the commit. It takes ratingd's own lines, and knows no rule of ratingd.
//
// usage: floor SOCKET DATABASE
//
// As one would write it at first: counters are kept in memory, a counter that was hit often in a
// turn is one row to write, SQLite is as it comes (pages of 4096 bytes, a checkpoint in the commit
// that makes the log longer than 1000 pages), with a write-ahead log and synchronous=NORMAL.
#include "listener.h"

#include <simdjson.h>
#include <sqlite3.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

struct Counter {
    sqlite3_int64 row = 0;
    int64_t value = 0;
    bool is_dirty = false;
};

struct App {
    std::string name;
    int64_t events = 0;
    std::unordered_map<std::string, Counter> counters;
};

struct Client {
    int fd = -1;
    App *app = nullptr;
    std::string output;
    bool is_blocked = false;
    bool is_answered = false;
    size_t filled = 0;
    // A line is at most so long; simdjson reads a little past its end.
    std::vector<char> input = std::vector<char>(65536 + simdjson::SIMDJSON_PADDING);
};

struct Database {
    sqlite3 *handle = nullptr;
    sqlite3_stmt *begin, *commit, *insert, *update;

    void run(const char *sql) {
        if (sqlite3_exec(handle, sql, nullptr, nullptr, nullptr) != SQLITE_OK) stop();
    }
    sqlite3_stmt *prepare(const char *sql) {
        sqlite3_stmt *statement;
        if (sqlite3_prepare_v3(handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr)
            != SQLITE_OK) stop();
        return statement;
    }
    void step(sqlite3_stmt *statement) {
        if (sqlite3_step(statement) != SQLITE_DONE) stop();
        sqlite3_reset(statement);
    }
    [[noreturn]] void stop() {
        std::fprintf(stderr, "floor: %s\n", sqlite3_errmsg(handle));
        std::exit(1);
    }

    explicit Database(const char *path) {
        if (sqlite3_open(path, &handle) != SQLITE_OK) stop();
        run("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
            "CREATE TABLE IF NOT EXISTS counter (id INTEGER PRIMARY KEY, app TEXT, name TEXT,"
            " value INTEGER, UNIQUE (app, name))");
        begin = prepare("BEGIN IMMEDIATE");
        commit = prepare("COMMIT");
        insert = prepare("INSERT INTO counter (app, name, value) VALUES (?1, ?2, 0)");
        update = prepare("UPDATE counter SET value = ?2 WHERE id = ?1");
    }
};

class Server {
public:
    Server(const char *socket, const char *path)
        : database(path), listener(listen_at(socket)), epoll(epoll_create1(EPOLL_CLOEXEC)) {
        watch(epoll, listener, EPOLLIN, nullptr);
    }

    void run() {
        epoll_event ready[256];
        for (;;) {
            int count = epoll_wait(epoll, ready, 256, -1);
            for (int i = 0; i < count; i++) {
                auto client = static_cast<Client *>(ready[i].data.ptr);
                if (!client) {
                    accept_client();
                } else if (client->is_blocked) {
                    answered.push_back(client);
                } else if (!read(*client)) {
                    gone.push_back(client);
                }
            }
            write_dirty();
            for (Client *client : answered) send_output(*client);
            answered.clear();
            for (Client *client : gone) {
                close(client->fd);
                delete client;
            }
            gone.clear();
        }
    }

private:
    Database database;
    int listener, epoll;
    simdjson::ondemand::parser parser;
    std::unordered_map<std::string, std::unique_ptr<App>> apps;
    std::vector<std::pair<App *, std::pair<const std::string, Counter> *>> dirty;
    std::vector<Client *> answered, gone;

    void accept_client() {
        int fd = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) return;
        auto client = new Client;
        client->fd = fd;
        watch(epoll, fd, EPOLLIN, client);
    }

    bool read(Client &client) {
        size_t room = client.input.size() - simdjson::SIMDJSON_PADDING - client.filled;
        ssize_t count = recv(client.fd, client.input.data() + client.filled, room, 0);
        if (count < 0) return errno == EAGAIN;
        if (count == 0) return false;
        client.filled += static_cast<size_t>(count);
        char *start = client.input.data(), *end = start + client.filled;
        while (auto feed = static_cast<char *>(
                   memchr(start, '\n', static_cast<size_t>(end - start)))) {
            if (!take(client, start, feed)) return false;
            start = feed + 1;
        }
        client.filled = static_cast<size_t>(end - start);
        std::memmove(client.input.data(), start, client.filled);
        return client.filled < client.input.size() - simdjson::SIMDJSON_PADDING;
    }

    // A line that is no request ends the connection.
    bool take(Client &client, char *start, char *end) {
        auto size = static_cast<size_t>(end - start);
        auto capacity = static_cast<size_t>(
            client.input.data() + client.input.size() - start);
        simdjson::ondemand::document document;
        simdjson::ondemand::object request;
        if (parser.iterate(start, size, capacity).get(document)) return false;
        if (document.get_object().get(request)) return false;
        std::string_view id, method, app, name = "significant";
        for (auto field : request) {
            std::string_view key, text;
            if (field.unescaped_key().get(key)) return false;
            if (key == "id") {
                if (field.value().raw_json_token().get(text)) return false;
                id = text.substr(0, text.find_last_not_of(" \t,") + 1);
            } else if (key == "method") {
                if (field.value().get_string().get(method)) return false;
            } else if (key == "params") {
                simdjson::ondemand::object parameters;
                if (field.value().get_object().get(parameters)) return false;
                for (auto parameter : parameters) {
                    if (parameter.unescaped_key().get(key)) return false;
                    if (key == "app" && parameter.value().get_string().get(app)) return false;
                    if (key == "name" && parameter.value().get_string().get(name)) return false;
                }
            }
        }
        return carry_out(client, id, method, app, name);
    }

    bool carry_out(Client &client, std::string_view id, std::string_view method,
                   std::string_view app, std::string_view name) {
        if (method == "hello") {
            auto &found = apps[std::string(app)];
            if (!found) found = std::make_unique<App>(App{std::string(app), 0, {}});
            client.app = found.get();
            return answer(client, id, "{\"server\":\"floor\"}");
        }
        if (!client.app) return false;
        if (method == "ping") return answer(client, id, "{\"pong\":true}");
        if (method == "forget") return answer(client, id, "{\"forgotten\":true}");
        char result[96];
        if (method == "status") {
            std::snprintf(result, sizeof result, "{\"events\":%lld}",
                          static_cast<long long>(client.app->events));
            return answer(client, id, result);
        }
        if (method != "event") return false;
        auto &entry = *client.app->counters.try_emplace(std::string(name)).first;
        entry.second.value++;
        client.app->events++;
        if (!entry.second.is_dirty) {
            entry.second.is_dirty = true;
            dirty.emplace_back(client.app, &entry);
        }
        std::snprintf(result, sizeof result, "{\"events\":%lld,\"name_total\":%lld}",
                      static_cast<long long>(client.app->events),
                      static_cast<long long>(entry.second.value));
        return answer(client, id, result);
    }

    bool answer(Client &client, std::string_view id, const char *result) {
        if (id.empty()) return true;
        client.output.append("{\"jsonrpc\":\"2.0\",\"id\":").append(id);
        client.output.append(",\"result\":").append(result).append("}\n");
        if (!client.is_answered) answered.push_back(&client);
        client.is_answered = true;
        return true;
    }

    void write_dirty() {
        if (dirty.empty()) return;
        database.step(database.begin);
        for (auto [app, entry] : dirty) {
            auto &[name, counter] = *entry;
            if (!counter.row) {
                sqlite3_bind_text(database.insert, 1, app->name.data(),
                                  static_cast<int>(app->name.size()), SQLITE_STATIC);
                sqlite3_bind_text(database.insert, 2, name.data(),
                                  static_cast<int>(name.size()), SQLITE_STATIC);
                database.step(database.insert);
                counter.row = sqlite3_last_insert_rowid(database.handle);
            }
            sqlite3_bind_int64(database.update, 1, counter.row);
            sqlite3_bind_int64(database.update, 2, counter.value);
            database.step(database.update);
            counter.is_dirty = false;
        }
        database.step(database.commit);
        dirty.clear();
    }

    void send_output(Client &client) {
        client.is_answered = false;
        ssize_t sent = send(client.fd, client.output.data(), client.output.size(), MSG_NOSIGNAL);
        // Of a client that is gone the next read tells.
        if (sent < 0 && errno != EAGAIN) client.output.clear();
        if (sent > 0) client.output.erase(0, static_cast<size_t>(sent));
        if (client.is_blocked == client.output.empty()) {
            client.is_blocked = !client.is_blocked;
            watch(epoll, client.fd, client.is_blocked ? EPOLLOUT : EPOLLIN, &client,
                  EPOLL_CTL_MOD);
        }
    }
};

} // namespace

int main(int argc, char **argv) {
    if (argc != 3) return std::fprintf(stderr, "usage: floor SOCKET DATABASE\n"), 64;
    Server(argv[1], argv[2]).run();
}
