// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace secateur::testing {

/// A text file of the repository: its path from the root, with forward slashes, and its text.
struct SourceFile {
    std::string path;
    std::string text;
};

/// All C++, CMake, shell and Python files of ours below `root`, in path order.
std::vector<SourceFile> sourceFilesOf(const std::filesystem::path& root);

/// Where `file` breaks the borders of the design: who may include whom, and that core prints nothing.
/// One line each: "core/ir/node.h:3: core has no Qt: <QString>".
std::vector<std::string> borderViolations(const SourceFile& file);

/// Where `file` breaks the form that all files share: licence line, length, include guard, left-over marks.
std::vector<std::string> formViolations(const SourceFile& file);

} // namespace secateur::testing
