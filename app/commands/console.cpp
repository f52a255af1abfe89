// SPDX-License-Identifier: Apache-2.0
#include "app/commands/console.h"

#include "core/messages/messages.h"
#include "core/report/report_json.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cstdio>

namespace secateur::cli {
namespace {

void write(std::FILE* to, std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), to);
    std::fflush(to);
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
    if (!m_options.isQuiet && !m_options.isJson) write(stdout, fmt::format("{}\n", text));
}

void Console::note(std::string_view text) {
    wipeProgress();
    if (!m_options.isQuiet) write(stderr, fmt::format("{}\n", text));
}

void Console::json(const nlohmann::ordered_json& object) {
    wipeProgress();
    if (m_options.isJson) write(stdout, jsonText(object));
}

int Console::fail(const Error& error, const nlohmann::ordered_json& more) {
    wipeProgress();
    const int exit = exitCodeOf(error.code);
    write(stderr, errorLine(error) + "\n");
    if (m_options.isJson) {
        nlohmann::ordered_json object{{"schema", 1}};
        object["error"] = {{"code", codeName(error.code)},
                           {"exit", exit},
                           {"where", error.where},
                           {"message", error.message}};
        object.update(more);
        write(stdout, jsonText(object));
    }
    return exit;
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
    return fmt::format("error: {}", error.toString());
}

} // namespace secateur::cli
