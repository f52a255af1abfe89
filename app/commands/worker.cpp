// SPDX-License-Identifier: Apache-2.0
#include "app/commands/commands.h"

#include "core/exec/worker.h"
#include "gpu/cpu/cpu_backend.h"

#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <sys/prctl.h>
#include <unistd.h>

namespace secateur::cli {
namespace {

std::string readStandardInput() {
    std::string text;
    char buffer[1 << 16];
    while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, stdin))
        text.append(buffer, count);
    return text;
}

/// `parent` is the process that started this one; 0 where it did not say.
int work(pid_t parent) {
    // A parent that is killed takes this process along: nothing runs on alone, also where it went before this
    // was asked for.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (parent != 0 && ::getppid() != parent) return exitCodeOf(ErrorCode::cancelled);
    installCpuBackend();
    const std::string answer = workerAnswer(readStandardInput());
    const bool isWritten =
        std::fwrite(answer.data(), 1, answer.size(), stdout) == answer.size() && std::fflush(stdout) == 0;
    return isWritten ? 0 : exitCodeOf(ErrorCode::invalidInput);
}

} // namespace

void addWorker(CLI::App& program, Action& action) {
    // Nobody types it: it is in no list of verbs.
    CLI::App* verb = program.add_subcommand("worker", "executes a job given on standard input")->group("");
    auto parent = std::make_shared<pid_t>(0);
    verb->add_option("PARENT", *parent, "process that started it")->check(CLI::PositiveNumber);
    verb->callback([parent, &action] { action = [parent](Console&) { return work(*parent); }; });
}

} // namespace secateur::cli
