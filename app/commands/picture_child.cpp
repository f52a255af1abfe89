// SPDX-License-Identifier: Apache-2.0
#include "app/commands/picture_child.h"

#include "core/messages/sentences.h"
#include "core/picture/display_list_file.h"
#include "core/support/child_process.h"
#include "core/support/file_names.h"
#include "core/support/short_text.h"

#include <chrono>
#include <cstring>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace secateur::cli {

namespace {

/// A picture of 2^31 pixels a side takes long, and Ctrl+C ends it; this ends what hangs while nobody looks.
constexpr std::chrono::hours kDeadline{2};

/// The window program in the folder of this one; empty when there is none.
std::filesystem::path windowProgram() {
    std::error_code failed;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failed);
    if (failed) return {};
    const std::filesystem::path window = self.parent_path() / "secateur";
    return access(window.c_str(), X_OK) == 0 ? window : std::filesystem::path();
}

ErrorCode codeOfExit(int exit) {
    for (const ErrorCode code : {ErrorCode::usage, ErrorCode::missing, ErrorCode::cancelled})
        if (exit == exitCodeOf(code)) return code;
    return ErrorCode::invalidInput;
}

/// What became of the picture: the last line that the child said (Qt may complain of the machine before it),
/// or why there is none.
Result<std::string> verdict(const ChildOutput& child, const std::string& window) {
    switch (child.end) {
    case ChildOutput::End::exited:
        if (child.exitCode == 0) return lastLine(child.output);
        // It says what went wrong in the words of this program, with the place.
        if (const std::string said = lastLine(child.errors); !said.empty())
            return Error{codeOfExit(child.exitCode), said, {}};
        return missingHere(formatMessage("cli.window-failed", {"exit " + std::to_string(child.exitCode)}),
                           window);
    case ChildOutput::End::signalled:
        return missingHere(formatMessage("cli.window-failed", {strsignal(child.exitCode)}), window);
    case ChildOutput::End::timedOut:
        return missingHere(formatMessage("cli.window-slow", {std::to_string(kDeadline.count())}), window);
    case ChildOutput::End::tooMuchOutput: break;
    }
    return missingHere(formatMessage("cli.window-failed", {lastLine(child.errors)}), window);
}

} // namespace

Result<std::string> paintInChild(const DisplayList& list, const PictureJob& job, const WorkContext& work) {
    const std::filesystem::path window = windowProgram();
    if (window.empty()) {
        const bool isPdf = endingOf(job.out) == ".pdf";
        return missingHere(formatMessage("cli.no-window", {isPdf ? "PDF" : "PNG"}), job.out.string());
    }
    ChildRequest request;
    request.arguments = {window.string(),
                         "--export-picture",
                         job.out.string(),
                         "--picture-scale",
                         std::to_string(job.scale),
                         "--theme",
                         job.theme == ThemeKind::dark ? "dark" : "light",
                         "--picture-title",
                         job.title};
    if (!job.page.empty()) request.arguments.insert(request.arguments.end(), {"--page", job.page});
    request.input = writeDisplayList(list);
    request.deadline = kDeadline;
    work.report("ui.phase.export", 0, 0);
    return verdict(TRY(runChild(request, work.cancel)), window.string());
}

} // namespace secateur::cli
