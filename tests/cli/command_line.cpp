// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/command_line.h"

#include <onnx/defs/parser.h>
#include <onnx/onnx_pb.h>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <iterator>
#include <thread>

namespace secateur::testing {
namespace {

constexpr int kIntoFile = -1;

/// Child side: standard output and error into files, or output to where it is to go; then the program.
[[noreturn]] void become(std::string program, const std::vector<std::string>& words, int output,
                         const std::string& out, const std::string& err) {
    const auto redirect = [](const std::string& path, int to) {
        const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (file < 0 || ::dup2(file, to) < 0) std::_Exit(127);
    };
    if (output == kIntoFile)
        redirect(out, STDOUT_FILENO);
    else if (::dup2(output, STDOUT_FILENO) < 0)
        std::_Exit(127);
    redirect(err, STDERR_FILENO);
    std::vector<char*> arguments;
    std::vector<std::string> copies = words;
    arguments.push_back(program.data());
    for (std::string& word : copies)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execv(program.c_str(), arguments.data());
    std::_Exit(127);
}

Ran run(const std::string& program, const std::vector<std::string>& words, bool isInterrupted,
        int output = kIntoFile) {
    const TemporaryFolder folder;
    const std::string out = (folder / "out").string(), err = (folder / "err").string();
    const pid_t child = ::fork();
    if (child == 0) become(program, words, output, out, err);
    if (isInterrupted) {
        // The handler stands once the program runs; before that SIGINT ends it, which is no cancelling of
        // ours.
        std::this_thread::sleep_for(std::chrono::milliseconds(60));
        ::kill(child, SIGINT);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    Ran result;
    result.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (output == kIntoFile) result.out = readAll(out);
    result.err = readAll(err);
    return result;
}

} // namespace

nlohmann::json Ran::json() const {
    auto parsed = nlohmann::json::parse(out, nullptr, false);
    EXPECT_TRUE(parsed.is_object()) << "not one JSON object: " << out;
    if (!parsed.is_object()) return nlohmann::json::object();
    EXPECT_EQ(parsed.value("schema", 0), 1);
    return parsed;
}

Ran runCli(const std::vector<std::string>& words) {
    return run(SECATEUR_CLI, words, false);
}
Ran runProgram(const std::filesystem::path& program, const std::vector<std::string>& words) {
    return run(program.string(), words, false);
}
std::filesystem::path cliProgram() {
    return SECATEUR_CLI;
}
Ran runCliInterrupted(const std::vector<std::string>& words) {
    return run(SECATEUR_CLI, words, true);
}
Ran runCliTo(int out, const std::vector<std::string>& words) {
    return run(SECATEUR_CLI, words, false, out);
}

std::string modelOfText(const char* text) {
    onnx::ModelProto model;
    onnx::OnnxParser parser(text);
    const auto status = parser.Parse(model);
    EXPECT_TRUE(status.IsOK()) << status.ErrorMessage();
    return model.SerializeAsString();
}

std::string dataModel(std::string_view name) {
    return std::string(SECATEUR_TEST_DATA) + "/cli/" + std::string(name) + ".onnx";
}

std::size_t CliTest::files() const {
    const std::filesystem::directory_iterator begin(folder.path()), end;
    return static_cast<std::size_t>(std::distance(begin, end));
}

} // namespace secateur::testing
