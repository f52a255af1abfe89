// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/commands/conversion.h"

#include <chrono>
#include <string>

namespace secateur::cli {

/// Where the result goes, and what is asked of it before.
struct WriteOptions {
    std::string out;
    std::string recipeOut;
    bool isVerified = false;
    bool isForced = false;
};

/// Adds -o, --verify, --recipe-out and --force.
void addWriteOptions(CLI::App& verb, WriteOptions& options);

struct Seconds {
    double load = 0, passes = 0, save = 0;
};

class Stopwatch {
  public:
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
    }

  private:
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

/// Checks what --verify asks for, writes the model and the recipe, tells the story. `more` is added to the
/// object of
/// --json. Returns the exit code.
int writeResult(History& history, const ConversionOptions& options, const WriteOptions& writing,
                Seconds seconds, Console& console,
                const nlohmann::ordered_json& more = nlohmann::ordered_json::object());

} // namespace secateur::cli
