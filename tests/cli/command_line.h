// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace secateur::testing {

/// What one run of secateur-cli gave.
struct Ran {
    int exit = -1; ///< 128 + signal where a signal ended it
    std::string out, err;

    /// Standard output as JSON; a failed expectation and null where it is none.
    [[nodiscard]] nlohmann::json json() const;
};

/// Runs secateur-cli with these words.
Ran runCli(const std::vector<std::string>& words);
/// The same with a copy of the program that stands elsewhere.
Ran runProgram(const std::filesystem::path& program, const std::vector<std::string>& words);
/// The program under test.
std::filesystem::path cliProgram();
/// The same, sending SIGINT once it has begun to work.
Ran runCliInterrupted(const std::vector<std::string>& words);

/// The same with `out`, a file descriptor, as standard output, which Ran::out then lacks.
Ran runCliTo(int out, const std::vector<std::string>& words);

/// The bytes of a model that is written in ONNX's text form.
std::string modelOfText(const char* text);

/// A small model of tests/data/cli.
std::string dataModel(std::string_view name);

/// A test of the command line with a folder of its own.
struct CliTest : ::testing::Test {
    TemporaryFolder folder;
    [[nodiscard]] std::string in(std::string_view name) const { return (folder / name).string(); }
    [[nodiscard]] bool exists(std::string_view name) const { return std::filesystem::exists(folder / name); }
    /// Number of files in the folder: temporaries left behind count.
    [[nodiscard]] std::size_t files() const;
};

} // namespace secateur::testing
