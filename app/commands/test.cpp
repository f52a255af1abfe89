// SPDX-License-Identifier: Apache-2.0
#include "app/commands/commands.h"
#include "app/commands/conversion.h"
#include "app/commands/execution.h"
#include "core/messages/sentences.h"
#include "core/session/evaluation_mode.h"
#include "core/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace secateur::cli {
namespace {

namespace fs = std::filesystem;

struct TestVerb {
    ExecutionOptions execution;
    std::vector<std::string> folders;
    double relative = 1e-3, absolute = 1e-5;
};

/// The folders that hold a model themselves; of others, those right inside that do, by name.
Result<std::vector<fs::path>> testFoldersOf(const std::vector<std::string>& given) {
    std::vector<fs::path> folders;
    for (const std::string& name : given) {
        const fs::path folder(name);
        std::error_code failed;
        if (fs::exists(folder / "model.onnx", failed)) {
            folders.push_back(folder);
            continue;
        }
        const fs::file_status status = fs::status(folder, failed);
        if (status.type() == fs::file_type::not_found)
            return invalidInput(std::string(message("cli.test-no-folder")), name);
        if (fs::exists(status) && !fs::is_directory(status))
            return usageError(std::string(message("cli.test-is-file")), name);
        std::vector<fs::path> inside;
        for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
            std::error_code unreadable;
            if (fs::exists(at->path() / "model.onnx", unreadable)) inside.push_back(at->path());
        }
        if (failed) return invalidInput(failed.message(), name);
        if (inside.empty()) return usageError(std::string(message("cli.test-no-model")), name);
        std::sort(inside.begin(), inside.end());
        folders.insert(folders.end(), inside.begin(), inside.end());
    }
    return folders;
}

const char* stateName(FolderVerdict::State state) {
    switch (state) {
    case FolderVerdict::State::passed: return "passed";
    case FolderVerdict::State::failed: return "failed";
    case FolderVerdict::State::skipped: return "skipped";
    }
    return "failed";
}

/// One folder in a child of its own: what crashes there leaves the others their turn.
Result<FolderVerdict> testOne(Job job, const fs::path& folder, const ExecutionOptions& options,
                              Console& console) {
    job.paths = {folder};
    auto answer = execute(job, options, console);
    if (answer) return answer->verdicts.front();
    if (answer.error().code == ErrorCode::cancelled) return answer.error();
    return FolderVerdict{FolderVerdict::State::failed, answer.error().message};
}

/// Why a model may have failed that is no fault of the kernels: it trains. Empty where it does not.
std::string trainingHint(const fs::path& folder, Console& console) {
    const auto original = openOriginal(folder / "model.onnx", console.work());
    if (!original) return {};
    const std::string words = trainingWords(**original, false);
    return words.empty() ? std::string() : formatMessage("cli.test-trains", {words});
}

/// What became of a folder, for people; nothing of one that passed as a whole.
void tell(const fs::path& folder, const FolderVerdict& verdict, Console& console) {
    if (verdict.state == FolderVerdict::State::passed) {
        if (!verdict.reason.empty()) console.note(fmt::format("{}: {}", folder.string(), verdict.reason));
        return;
    }
    console.line(fmt::format("{}: {}: {}", stateName(verdict.state), folder.string(), verdict.reason));
}

int test(const TestVerb& options, Console& console) {
    auto job = jobOf(options.execution, console);
    if (!job) return console.fail(job.error());
    job->kind = Job::Kind::test;
    job->tolerance = {options.relative, options.absolute};
    const auto folders = testFoldersOf(options.folders);
    if (!folders) return console.fail(folders.error());
    std::array<std::uint64_t, 3> counts{};
    nlohmann::ordered_json tests = nlohmann::ordered_json::array();
    for (const fs::path& folder : *folders) {
        auto verdict = testOne(*job, folder, options.execution, console);
        if (!verdict) return console.fail(verdict.error());
        if (verdict->state == FolderVerdict::State::failed) verdict->reason += trainingHint(folder, console);
        ++counts[static_cast<std::size_t>(verdict->state)];
        tests.push_back(
            {{"folder", folder.string()}, {"state", stateName(verdict->state)}, {"reason", verdict->reason}});
        tell(folder, *verdict, console);
    }
    console.line(formatMessage("cli.test-counts", {std::to_string(counts[0]), std::to_string(counts[1]),
                                                   std::to_string(counts[2])}));
    console.json({{"schema", 1},
                  {"passed", counts[0]},
                  {"failed", counts[1]},
                  {"skipped", counts[2]},
                  {"tests", tests}});
    if (counts[1] > 0) return exitCodeOf(ErrorCode::verification);
    if (counts[0] > 0) return 0;
    console.warn(std::string(message("cli.test-nothing")));
    return exitCodeOf(ErrorCode::verification); // not checked, as everywhere
}

} // namespace

void addTest(CLI::App& program, Action& action) {
    CLI::App* verb = program.add_subcommand("test", "run folders in the layout of ONNX's backend tests");
    auto options = std::make_shared<TestVerb>();
    verb->add_option("DIR", options->folders,
                     "folder with model.onnx and test_data_set_0 ..., or a folder of such folders")
        ->required()
        ->check(notEmpty());
    verb->add_option("--rtol", options->relative, "relative tolerance; 1e-3 unless given")
        ->check(tolerance())
        ->type_name("X");
    verb->add_option("--atol", options->absolute, "absolute tolerance; 1e-5 unless given")
        ->check(tolerance())
        ->type_name("X");
    addDeviceOptions(*verb, options->execution);
    verb->callback(
        [options, &action] { action = [options](Console& console) { return test(*options, console); }; });
}

} // namespace secateur::cli
