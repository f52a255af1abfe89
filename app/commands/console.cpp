// SPDX-License-Identifier: Apache-2.0
#include "app/commands/console.h"

#include "core/messages/messages.h"
#include "core/report/report_json.h"
#include "core/support/printable.h"
#include "core/support/wrap.h"

#include <fmt/format.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace secateur::cli {
namespace {

/// 0, or the errno of what kept it from being written.
int write(std::FILE* to, std::string_view text) {
    errno = 0;
    const bool isWritten = std::fwrite(text.data(), 1, text.size(), to) == text.size();
    const bool isFlushed = std::fflush(to) == 0;
    if (isWritten && isFlushed) return 0;
    return errno == 0 ? EIO : errno;
}

/// Sentences are as long as they must be: on a terminal they are wrapped, in a file or pipe each is one line.
std::string shownOn(int file, std::string_view text) {
    std::string shown = printableLines(text);
    if (::isatty(file) != 1) return shown;
    constexpr std::size_t kLeast = 40, kOtherwise = 100;
    winsize size{};
    const bool isKnown = ::ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return wrapped(shown, isKnown ? std::max<std::size_t>(kLeast, size.ws_col) : kOtherwise);
}

std::string_view codeName(ErrorCode code) {
    switch (code) {
    case ErrorCode::verification: return "verification";
    case ErrorCode::usage: return "usage";
    case ErrorCode::invalidInput: return "invalid_input";
    case ErrorCode::missing: return "missing";
    case ErrorCode::cancelled: return "cancelled";
    }
    return "invalid_input";
}

} // namespace

void Console::line(std::string_view text) {
    wipeProgress();
    if (!m_options.isQuiet && !m_options.isJson) toOutput(shownOn(STDOUT_FILENO, text) + "\n");
}

void Console::note(std::string_view text) {
    wipeProgress();
    if (!m_options.isQuiet) write(stderr, shownOn(STDERR_FILENO, text) + "\n");
}

void Console::warn(std::string_view text) {
    wipeProgress();
    write(stderr, shownOn(STDERR_FILENO, text) + "\n");
}

void Console::json(const nlohmann::ordered_json& object) {
    wipeProgress();
    if (m_options.isJson) toOutput(jsonText(object));
}

int Console::fail(const Error& error, const nlohmann::ordered_json& more) {
    wipeProgress();
    const int exit = exitCodeOf(error.code);
    write(stderr, printableLines(errorLine(error)) + "\n");
    if (m_options.isJson) {
        nlohmann::ordered_json object{{"schema", 1}};
        object["error"] = {{"code", codeName(error.code)},
                           {"exit", exit},
                           {"where", error.where},
                           {"message", error.message}};
        object.update(more);
        toOutput(jsonText(object));
    }
    return exit;
}

void Console::toOutput(std::string_view text) {
    if (m_outputFault == 0) m_outputFault = write(stdout, text);
}

int Console::finish(int exit) {
    wipeProgress();
    if (m_outputFault == 0 || m_outputFault == EPIPE || exit != 0) return exit;
    const std::string_view advice = m_outputFault == ENOSPC ? message("file.free-space") : "";
    const Error failed =
        missingHere(formatMessage("cli.output-failed", {std::strerror(m_outputFault), std::string(advice)}));
    write(stderr, errorLine(failed) + "\n");
    return exitCodeOf(failed.code);
}

WorkContext Console::work() {
    WorkContext work;
    work.cancel = m_cancel;
    if (!m_options.isQuiet && ::isatty(STDERR_FILENO) == 1) {
        work.onProgress = [this](const Progress& progress) { draw(progress); };
    }
    return work;
}

void Console::draw(const Progress& progress) {
    const auto now = std::chrono::steady_clock::now();
    if (now - m_lastDrawn < std::chrono::milliseconds(80)) return;
    m_lastDrawn = now;
    const std::string phase(hasMessage(progress.phase) ? message(progress.phase) : progress.phase);
    const std::string share =
        progress.total > 0 ? fmt::format(" {} %", progress.done * 100 / progress.total) : std::string();
    write(stderr, fmt::format("\r\x1b[K{}{}", phase, share));
    m_isDrawn = true;
}

void Console::wipeProgress() {
    if (!m_isDrawn) return;
    write(stderr, "\r\x1b[K");
    m_isDrawn = false;
}

std::string errorLine(const Error& error) {
    if (error.code == ErrorCode::cancelled) return std::string(message("cli.cancelled"));
    // The place is a name or a path, which has no line ends; the message may have.
    const Error shown{error.code, error.message, printable(error.where)};
    return fmt::format("error: {}", shown.toString());
}

} // namespace secateur::cli
