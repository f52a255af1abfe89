// SPDX-License-Identifier: Apache-2.0
#include "app/commands/commands.h"
#include "core/messages/messages.h"

#include <CLI/CLI.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <sstream>
#include <string>
#include <system_error>

namespace secateur::cli {
namespace {

/// Raised by Ctrl+C; long functions look at it. The second Ctrl+C ends the program the hard way.
const CancelToken& cancelToken() {
    static const CancelToken kToken;
    return kToken;
}

void onInterrupt(int) {
    cancelToken().cancel();
}

void listenForInterrupt() {
    (void)cancelToken();
    struct sigaction action = {};
    action.sa_handler = onInterrupt;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    // A closed terminal and a supervisor's stop are Ctrl+C by other means: children end, temporary files go.
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction before = {};
        sigaction(signal, nullptr, &before);
        // Who ignores a signal, such as nohup, goes on to do so.
        if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
    }
}

/// A reader of standard output that goes away ends the writing to it, not the work; so does a limit on the
/// size of files. And where a standard stream is closed, a file of ours must not take its place: it would
/// receive what is meant for people.
void guardStandardStreams() {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is a failed write with words, not a signal
    for (int taken = 0; taken >= 0 && taken <= STDERR_FILENO;) {
        taken = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (taken > STDERR_FILENO) ::close(taken);
    }
}

/// What is wrong with a seed: the library would take the largest number for one that is larger.
std::string seedFault(const std::string& text) {
    std::uint64_t seed = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), seed);
    return failed == std::errc() && end == text.data() + text.size() ? std::string()
                                                                     : formatMessage("cli.seed-form", {text});
}

void addCommonOptions(CLI::App& program, CommonOptions& common) {
    program.add_flag("--json", common.isJson, "one JSON object on standard output");
    program.add_flag("--quiet", common.isQuiet, "nothing but errors, and what --json asks for");
    program
        .add_option("--threads", common.threads, "most threads to use, 0: all; the reference kernels use one")
        ->check(CLI::Range(0U, 4096U).description(""))
        ->type_name("N");
    program.add_option("--seed", common.seed, "seed of random inputs and operators; 0 unless given")
        ->check(CLI::Validator(seedFault, ""))
        ->type_name("N");
    program.add_option("--lang", common.language, "language of sentences; this version has English only")
        ->check(CLI::IsMember({"en", "zh_CN"}).description(""))
        ->type_name("en|zh_CN");
}

/// The first word that is no option: the verb. Options of the program itself may stand before it.
std::string firstWord(int count, char** words) {
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        if (word == "--threads" || word == "--seed" || word == "--lang")
            ++i;
        else if (!word.empty() && word.front() != '-')
            return word;
    }
    return {};
}

bool hasVerb(CLI::App& program, const std::string& name) {
    const auto verbs = program.get_subcommands([&](CLI::App* verb) { return verb->get_name() == name; });
    return !verbs.empty();
}

bool isAsked(int count, char** words, std::string_view flag) {
    for (int i = 1; i < count; ++i)
        if (words[i] == flag) return true;
    return false;
}

/// One line of what was wrong with the command line, exit code 2; help and version: 0.
int parseFailed(const CLI::App& program, const CLI::ParseError& failed, Console& console) {
    if (failed.get_exit_code() == 0) {
        std::ostringstream asked;
        const int exit = program.exit(failed, asked, std::cerr);
        console.text(asked.str());
        return console.finish(exit);
    }
    std::string text = failed.what();
    if (const auto end = text.find('\n'); end != std::string::npos) text.resize(end);
    const auto verbs = program.get_subcommands();
    const std::string verb = verbs.empty() ? "" : " " + verbs.front()->get_name();
    return console.fail(usageError(formatMessage("cli.usage", {text, verb})));
}

int run(int count, char** words) {
    CommonOptions common;
    common.isJson = isAsked(count, words, "--json");
    CLI::App program{std::string(message("cli.about")), "secateur-cli"};
    program.set_version_flag("--version", "secateur-cli " SECATEUR_VERSION);
    program.require_subcommand(1);
    program.footer(std::string(message("cli.exit-codes")));
    program.fallthrough();
    addCommonOptions(program, common);
    Action action;
    addInfo(program, action);
    addPrune(program, action);
    addOptimize(program, action);
    addApply(program, action);
    addPasses(program, action);
    addExplain(program, action);
    addReport(program, action);
    addExport(program, action);
    addRun(program, action);
    addTest(program, action);
    addCompare(program, action);
    addProfile(program, action);
    addWorker(program, action);
    for (CLI::App* verb : program.get_subcommands({}))
        verb->footer(std::string(message("cli.common-options")));
    Console early(common, cancelToken());
    const std::string verb = firstWord(count, words);
    if (!verb.empty() && !hasVerb(program, verb)) return early.fail(unknownVerb(verb));
    try {
        program.parse(count, words);
    } catch (const CLI::ParseError& failed) {
        return parseFailed(program, failed, early);
    }
    Console console(common, cancelToken());
    if (common.language != "en") console.note(message("cli.only-english"));
    const int exit = console.finish(action(console));
    std::_Exit(exit); // without taking apart what the console keeps
}

} // namespace
} // namespace secateur::cli

int main(int count, char** words) {
    secateur::cli::guardStandardStreams();
    secateur::cli::listenForInterrupt();
    try {
        return secateur::cli::run(count, words);
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "error: %s\n", std::string(secateur::message("cli.no-memory")).c_str());
        return secateur::exitCodeOf(secateur::ErrorCode::missing);
    } catch (const std::exception& thrown) {
        std::fprintf(stderr, "error: %s\n",
                     secateur::formatMessage("cli.internal-fault", {thrown.what()}).c_str());
        return secateur::exitCodeOf(secateur::ErrorCode::invalidInput);
    }
}
