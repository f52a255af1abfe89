// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/support/cancel.h"
#include "core/support/result.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace secateur::cli {

/// The flags that every verb takes.
struct CommonOptions {
    bool isJson = false;
    bool isQuiet = false;
    unsigned threads = 0;
    std::uint64_t seed = 0;
    std::string language = "en";
};

/// Where a verb talks: results to standard output (text, or one JSON object), notes, progress and errors to
/// standard error. Progress is drawn only where that is a terminal, and wiped before anything else is
/// written. Standard output that cannot take a result is told by finish().
class Console {
  public:
    Console(const CommonOptions& options, CancelToken cancel)
        : m_options(options), m_cancel(std::move(cancel)) {}

    [[nodiscard]] bool isJson() const { return m_options.isJson; }
    [[nodiscard]] std::uint64_t seed() const { return m_options.seed; }
    [[nodiscard]] unsigned threads() const { return m_options.threads; }
    /// A line of the result; nothing with --quiet or --json.
    void line(std::string_view text);
    /// A line for the person beside the result; nothing with --quiet.
    void note(std::string_view text);
    /// A line that no one may miss, also with --quiet: what was done is not what was asked for.
    void warn(std::string_view text);
    /// The one object of --json; nothing without it.
    void json(const nlohmann::ordered_json& object);
    /// Text of the result as it is, also with --quiet and --json: help and version, which were asked for.
    void text(std::string_view text) { toOutput(text); }
    /// Says what went wrong and returns the exit code for it. With --json the same stands in an object, with
    /// whatever `more` adds to it.
    int fail(const Error& error, const nlohmann::ordered_json& more = nlohmann::ordered_json::object());

    /// The exit code of a verb that ended with `exit`: another one where all went well and standard output
    /// did not take the result. A reader that goes away early (`| head`) is no failure.
    int finish(int exit);

    /// For long functions of core: cancelled by Ctrl+C, drawn as progress.
    [[nodiscard]] WorkContext work();
    void wipeProgress();

    /// Holds something large until the process ends, which is faster than taking it apart: the system takes
    /// the memory back in one piece.
    template <class T> T& keep(T&& large) {
        auto owner = std::make_shared<std::decay_t<T>>(std::forward<T>(large));
        m_kept.push_back(owner);
        return *owner;
    }

  private:
    void draw(const Progress& progress);
    void toOutput(std::string_view text);

    CommonOptions m_options;
    CancelToken m_cancel;
    std::chrono::steady_clock::time_point m_lastDrawn{};
    bool m_isDrawn = false;
    int m_outputFault = 0; ///< errno of the first failed write to standard output
    std::vector<std::shared_ptr<void>> m_kept;
};

/// "error: where: message" without the stack of prefixes.
[[nodiscard]] std::string errorLine(const Error& error);

} // namespace secateur::cli
