// SPDX-License-Identifier: Apache-2.0
#include "core/exec/worker.h"

#include "core/exec/job_json.h"
#include "core/messages/sentences.h"
#include "core/support/child_process.h"
#include "core/support/scratch_folder.h"
#include "core/support/short_text.h"
#include "core/support/text.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <unistd.h>

namespace secateur {
namespace {

/// Address space that the program itself, the models' files and their parsed forms take beside tensors.
std::uint64_t roomBesideTensors(const Job& job) {
    std::uint64_t room = std::uint64_t{2} << 30U;
    // Weights may lie in files beside the model, which are mapped as well: all files there count.
    for (const auto& path : job.paths) {
        std::error_code failed;
        const bool isFolder = std::filesystem::is_directory(path, failed);
        const auto folder = isFolder ? path : std::filesystem::absolute(path, failed).parent_path();
        for (std::filesystem::directory_iterator at(folder, failed), end; !failed && at != end;
             at.increment(failed)) {
            std::error_code unreadable;
            const auto size = at->file_size(unreadable);
            if (!unreadable) room += 3 * static_cast<std::uint64_t>(size);
        }
    }
    return room;
}

std::string pathsText(const Job& job) {
    std::string text;
    for (const auto& path : job.paths)
        text += (text.empty() ? "" : ", ") + path.string();
    return text;
}

/// A signal from outside says something of the machine; one from inside of this program, or of the model.
Error endedBySignal(int signal, const std::string& where) {
    const std::string name = strsignal(signal);
    switch (signal) {
    case SIGKILL:
    case SIGTERM:
    case SIGHUP:
    case SIGINT: return missingHere(formatMessage("exec.worker-killed", {name}), where);
    case SIGXCPU:
    case SIGXFSZ: return missingHere(formatMessage("exec.worker-limited", {name}), where);
    // A model that makes this program crash may be fine: what is missing is a kernel that stands it.
    default: return missingHere(formatMessage("exec.worker-crashed", {name}), where);
    }
}

/// How long OpenMP's threads (oneDNN's) look for the next piece of work before they sleep, in turns of a loop
/// of a few nanoseconds. By default it is a millisecond and more, which a thread spends in vain where another
/// program has the core of the one it waits for: ten times slower and worse on a busy machine. This is long
/// enough to bridge two operators, so that an idle machine is not slower. Who has set either of libgomp's own
/// variables is left alone.
std::vector<std::string> patienceOfThreads() {
    if (::getenv("OMP_WAIT_POLICY") != nullptr) return {};
    return {"GOMP_SPINCOUNT=10000"};
}

} // namespace

Result<JobAnswer> runInWorker(const Job& job, const WorkerOptions& options, const CancelToken& cancel) {
    ChildRequest request;
    request.arguments = {options.program.string(), "worker", std::to_string(::getpid())};
    request.deadline = options.deadline;
    request.environment = patienceOfThreads();
    // ONNX Runtime reserves address space that it never uses: there the limit on tensors has to do.
    if (job.device != Device::ort) request.memoryLimit = job.limits.memoryBytes + roomBesideTensors(job);
    // Its temporary files lie in a folder of ours: they go even where the child is killed.
    const ScratchFolder scratch = TRY(ScratchFolder::create());
    Job placed = job;
    placed.scratch = scratch.path();
    request.input = jobText(placed);
    const ChildOutput child = TRY(runChild(request, cancel));
    switch (child.end) {
    case ChildOutput::End::exited:
        if (child.exitCode == 0) return parseAnswer(child.output);
        // What was too much for the machine, or for the limit, is missing here and no fault of the model.
        return Error{
            child.exitCode == exitCodeOf(ErrorCode::missing) ? ErrorCode::missing : ErrorCode::invalidInput,
            formatMessage("exec.worker-failed", {std::to_string(child.exitCode), lastLine(child.errors)}),
            pathsText(job)};
    case ChildOutput::End::signalled: return endedBySignal(child.exitCode, pathsText(job));
    case ChildOutput::End::timedOut:
        return missingHere(
            formatMessage("exec.worker-time",
                          {formatSeconds(static_cast<double>(options.deadline.count()) / 1e3)}),
            pathsText(job));
    case ChildOutput::End::tooMuchOutput: break;
    }
    return invalidInput(std::string(message("exec.answer-damaged")), pathsText(job));
}

std::string workerAnswer(std::string_view input) {
    const Result<Job> job = parseJob(input);
    if (!job) return answerText(job.error());
    if (!job->scratch.empty()) ::setenv("TMPDIR", job->scratch.c_str(), 1);
    return answerText(runJob(*job));
}

} // namespace secateur
