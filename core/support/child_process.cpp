// SPDX-License-Identifier: Apache-2.0
#include "core/support/child_process.h"

#include "core/messages/sentences.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace secateur {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLongestWait = 20; ///< milliseconds between looks at the cancel token

/// A file descriptor that is closed with its owner.
class Descriptor {
  public:
    explicit Descriptor(int fd = -1) : m_fd(fd) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { close(); }

    [[nodiscard]] int get() const { return m_fd; }
    [[nodiscard]] bool isOpen() const { return m_fd >= 0; }
    void set(int fd) {
        close();
        m_fd = fd;
    }
    void close() {
        if (m_fd >= 0) ::close(m_fd);
        m_fd = -1;
    }

  private:
    int m_fd;
};

/// Both ends of a channel. Sockets, because writing to one whose reader is gone can be told to raise no
/// signal.
bool makeChannel(Descriptor& ours, Descriptor& theirs) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return false;
    ours.set(ends[0]);
    theirs.set(ends[1]);
    const int flags = ::fcntl(ends[0], F_GETFL);
    return ::fcntl(ends[0], F_SETFL, flags | O_NONBLOCK) == 0;
}

Error cannotStart(const std::string& program, int reason) {
    if (reason == ENOENT || reason == EACCES)
        return missingHere(formatMessage("error.no-program", {program}), program);
    return missingHere(formatMessage("error.cannot-start", {program, std::strerror(reason)}), program);
}

/// This process's variables and those of `more` that it has not, as the C interface wants them: it does not
/// write to them.
std::vector<char*> environmentWith(const std::vector<std::string>& more) {
    std::vector<char*> all;
    for (char** at = environ; at != nullptr && *at != nullptr; ++at)
        all.push_back(*at);
    for (const std::string& variable : more) {
        const std::string name = variable.substr(0, variable.find('='));
        if (::getenv(name.c_str()) == nullptr) all.push_back(const_cast<char*>(variable.c_str()));
    }
    all.push_back(nullptr);
    return all;
}

class Child {
  public:
    explicit Child(const ChildRequest& request) : m_request(request) {}
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() {
        if (m_pid > 0) end();
    }

    Result<void> start() {
        Descriptor input, output, errors;
        if (!makeChannel(m_input, input) || !makeChannel(m_output, output) || !makeChannel(m_errors, errors))
            return cannotStart(m_request.arguments.front(), errno);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, input.get(), STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, output.get(), STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&actions, errors.get(), STDERR_FILENO);
        posix_spawnattr_t attributes;
        posix_spawnattr_init(&attributes);
        // A group of its own: what it starts is ended with it. Signals as a fresh program expects them.
        posix_spawnattr_setflags(&attributes,
                                 POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        posix_spawnattr_setpgroup(&attributes, 0);
        sigset_t none, all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &all);
        std::vector<char*> arguments;
        for (const std::string& argument : m_request.arguments)
            arguments.push_back(
                const_cast<char*>(argument.c_str())); // the C interface does not write to them
        arguments.push_back(nullptr);
        std::vector<char*> environment = environmentWith(m_request.environment);
        const int failed = ::posix_spawnp(&m_pid, arguments.front(), &actions, &attributes, arguments.data(),
                                          environment.data());
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
        if (failed != 0) {
            m_pid = -1;
            return cannotStart(m_request.arguments.front(), failed);
        }
        limitMemory();
        return {};
    }

    /// Feeds and reads until both outputs are closed, then waits for the end.
    Result<ChildOutput> run(const CancelToken& cancel) {
        const Clock::time_point begin = Clock::now();
        const Clock::time_point deadline = begin + m_request.deadline;
        if (m_request.input.empty()) m_input.close();
        for (;;) {
            if (cancel.isCancelled()) {
                end();
                return cancelled();
            }
            const bool isDone = !m_output.isOpen() && !m_errors.isOpen() && hasEnded();
            const bool isTooMuch = m_result.output.size() > m_request.mostOutput ||
                                   m_result.errors.size() > m_request.mostOutput;
            const bool isLate = Clock::now() >= deadline;
            if (isDone || isTooMuch || isLate) {
                if (!isDone) {
                    m_result.end = isTooMuch ? ChildOutput::End::tooMuchOutput : ChildOutput::End::timedOut;
                    end();
                }
                m_result.elapsed =
                    std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
                return std::move(m_result);
            }
            exchange(deadline);
        }
    }

  private:
    void limitMemory() const {
        if (m_request.memoryLimit == 0) return;
        const rlimit limit{m_request.memoryLimit, m_request.memoryLimit};
        ::prlimit(m_pid, RLIMIT_AS, &limit, nullptr);
    }

    /// One round of what is ready, or a short pause.
    void exchange(Clock::time_point deadline) {
        std::array<pollfd, 3> fds{};
        nfds_t count = 0;
        const auto watch = [&](const Descriptor& d, short events) {
            if (d.isOpen()) fds[count++] = {d.get(), events, 0};
        };
        watch(m_input, POLLOUT);
        watch(m_output, POLLIN);
        watch(m_errors, POLLIN);
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        const int wait = static_cast<int>(left < 1 ? 1 : (left < kLongestWait ? left : kLongestWait));
        // With everything closed only the end is waited for, which comes soon.
        if (::poll(fds.data(), count, count == 0 ? 1 : wait) <= 0) return;
        write();
        read(m_output, m_result.output);
        read(m_errors, m_result.errors);
    }

    void write() {
        if (!m_input.isOpen()) return;
        const char* data = m_request.input.data() + m_written;
        const ssize_t sent = ::send(m_input.get(), data, m_request.input.size() - m_written, MSG_NOSIGNAL);
        if (sent > 0) m_written += static_cast<std::size_t>(sent);
        const bool isClosed =
            sent < 0 && errno != EAGAIN && errno != EINTR; // it stopped reading: its own matter
        if (isClosed || m_written == m_request.input.size()) m_input.close();
    }

    static void read(Descriptor& from, std::string& to) {
        std::array<char, 65536> buffer;
        while (from.isOpen()) {
            const ssize_t got = ::recv(from.get(), buffer.data(), buffer.size(), 0);
            if (got > 0) {
                to.append(buffer.data(), static_cast<std::size_t>(got));
                if (static_cast<std::size_t>(got) < buffer.size()) return;
            } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
                from.close();
            } else {
                return;
            }
        }
    }

    bool hasEnded() {
        int status = 0;
        const pid_t ended = ::waitpid(m_pid, &status, WNOHANG);
        if (ended == 0) return false;
        m_pid = -1;
        if (ended > 0) take(status);
        return true;
    }

    void take(int status) {
        if (WIFSIGNALED(status)) {
            m_result.end = ChildOutput::End::signalled;
            m_result.exitCode = WTERMSIG(status);
        } else {
            m_result.exitCode = WEXITSTATUS(status);
        }
    }

    /// Kills it with all that it started, and takes it off the list of processes.
    void end() {
        ::kill(-m_pid, SIGKILL);
        ::kill(m_pid, SIGKILL); // where the group does not exist yet
        while (::waitpid(m_pid, nullptr, 0) < 0 && errno == EINTR) {
        }
        m_pid = -1;
    }

    const ChildRequest& m_request;
    pid_t m_pid = -1;
    Descriptor m_input, m_output, m_errors;
    std::size_t m_written = 0;
    ChildOutput m_result;
};

} // namespace

Result<ChildOutput> runChild(const ChildRequest& request, const CancelToken& cancel) {
    if (request.arguments.empty()) return usageError(formatMessage("error.no-program", {"\"\""}));
    Child child(request);
    if (Result<void> started = child.start(); !started) return started.error();
    return child.run(cancel);
}

std::string findProgram(const std::string& name) {
    if (name.empty() || name.find('/') != std::string::npos)
        return ::access(name.c_str(), X_OK) == 0 ? name : std::string();
    const char* paths = std::getenv("PATH");
    std::string rest = paths ? paths : "";
    while (!rest.empty()) {
        const std::size_t end = rest.find(':');
        const std::string folder = rest.substr(0, end);
        const std::string path = (folder.empty() ? "." : folder) + "/" + name;
        if (::access(path.c_str(), X_OK) == 0) return path;
        if (end == std::string::npos) break;
        rest.erase(0, end + 1);
    }
    return {};
}

} // namespace secateur
