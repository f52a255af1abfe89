// SPDX-License-Identifier: Apache-2.0
#include "app/commands/picture_child.h"

#include "core/messages/sentences.h"
#include "core/picture/display_list_file.h"
#include "core/support/atomic_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace secateur::cli {

namespace {

/// The window program in the folder of this one; empty when there is none.
std::filesystem::path windowProgram() {
    std::error_code failed;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failed);
    if (failed) return {};
    const std::filesystem::path window = self.parent_path() / "secateur";
    return access(window.c_str(), X_OK) == 0 ? window : std::filesystem::path();
}

/// A file of its own in the folder for temporary files, gone with the object.
class TemporaryFile {
  public:
    TemporaryFile() {
        std::string name = (std::filesystem::temp_directory_path() / "secateur-picture-XXXXXX").string();
        const int descriptor = mkstemp(name.data());
        if (descriptor < 0) return;
        close(descriptor);
        m_path = name;
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile() {
        if (!m_path.empty()) unlink(m_path.c_str());
    }
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

  private:
    std::filesystem::path m_path;
};

/// The environment with one variable set.
class Environment {
  public:
    explicit Environment(std::string_view setting) {
        const std::string_view name = setting.substr(0, setting.find('=') + 1);
        for (char** at = environ; *at != nullptr; ++at)
            if (std::string_view(*at).substr(0, name.size()) != name) m_texts.emplace_back(*at);
        m_texts.emplace_back(setting);
        for (std::string& text : m_texts)
            m_pointers.push_back(text.data());
        m_pointers.push_back(nullptr);
    }
    char* const* data() { return m_pointers.data(); }

  private:
    std::vector<std::string> m_texts;
    std::vector<char*> m_pointers;
};

std::string readAll(int descriptor) {
    std::string text;
    std::array<char, 4096> buffer{};
    for (;;) {
        const ssize_t count = read(descriptor, buffer.data(), buffer.size());
        if (count > 0)
            text.append(buffer.data(), static_cast<std::size_t>(count));
        else if (count == 0 || errno != EINTR)
            return text;
    }
}

Error cannotStart(const std::filesystem::path& window, int reason) {
    return missingHere(formatMessage("cli.window-start", {std::strerror(reason)}), window.string());
}

/// Runs the program with its standard output in a pipe; its errors go where ours do.
Result<std::string> run(const std::filesystem::path& program, std::vector<std::string> words) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return cannotStart(program, errno);
    words.insert(words.begin(), program.string());
    std::vector<char*> arguments;
    for (std::string& word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    Environment environment("QT_QPA_PLATFORM=offscreen");
    pid_t child = 0;
    const int failed =
        posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), environment.data());
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (failed != 0) {
        close(ends[0]);
        return cannotStart(program, failed);
    }
    std::string said = readAll(ends[0]);
    close(ends[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    while (!said.empty() && said.back() == '\n')
        said.pop_back();
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return said;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) return cancelled();
    const std::string how = WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : said;
    return invalidInput(formatMessage("cli.window-failed", {how}), words.back());
}

} // namespace

Result<std::string> paintInChild(const DisplayList& list, const PictureJob& job) {
    const std::filesystem::path window = windowProgram();
    if (window.empty()) {
        const bool isPdf = job.out.extension() == ".pdf";
        return missingHere(formatMessage("cli.no-window", {isPdf ? "PDF" : "PNG"}), job.out.string());
    }
    const TemporaryFile file;
    if (file.path().empty()) return cannotStart(window, errno);
    TRY(writeFile(file.path(), writeDisplayList(list)));
    std::vector<std::string> words{"--export-picture", job.out.string(),
                                   "--picture-scale",  std::to_string(job.scale),
                                   "--theme",          job.theme == ThemeKind::dark ? "dark" : "light",
                                   "--picture-title",  job.title};
    if (!job.page.empty()) words.insert(words.end(), {"--page", job.page});
    words.push_back(file.path().string());
    return run(window, std::move(words));
}

} // namespace secateur::cli
