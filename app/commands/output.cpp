// SPDX-License-Identifier: Apache-2.0
#include "app/commands/output.h"

#include "core/messages/sentences.h"
#include "core/support/atomic_file.h"

#include <system_error>

namespace secateur::cli {
namespace fs = std::filesystem;
namespace {

/// The same file, whatever it is called; also when it does not exist yet.
bool isSame(const fs::path& a, const fs::path& b) {
    std::error_code failed;
    if (fs::equivalent(a, b, failed) && !failed) return true;
    return fileBehind(a) == fileBehind(b);
}

} // namespace

Result<void> checkOutput(const fs::path& out, const std::vector<fs::path>& others) {
    if (out.empty()) return usageError(std::string(message("file.no-name")));
    std::error_code ignored;
    if (fs::is_directory(out, ignored))
        return usageError(std::string(message("cli.out-is-folder")), out.string());
    const fs::path folder = out.has_parent_path() ? out.parent_path() : fs::path(".");
    if (fs::exists(folder, ignored) && !fs::is_directory(folder, ignored))
        return usageError(formatMessage("cli.not-a-folder", {folder.string()}), out.string());
    if (!fs::is_directory(folder, ignored))
        return usageError(formatMessage("cli.no-folder", {folder.string()}), out.string());
    for (const fs::path& other : others) {
        if (other.empty() || !isSame(out, other)) continue;
        const bool isThere = fs::exists(other, ignored);
        return usageError(formatMessage(isThere ? "cli.out-is-input" : "cli.out-is-other", {other.string()}),
                          out.string());
    }
    // Better to know now than after minutes of work; nothing is left of the attempt.
    TRY(AtomicFile::create(out));
    return {};
}

} // namespace secateur::cli
