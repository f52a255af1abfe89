// SPDX-License-Identifier: Apache-2.0
#include "app/commands/execution.h"

#include "app/commands/conversion.h"
#include "core/exec/worker.h"
#include "core/messages/sentences.h"
#include "core/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <system_error>

namespace secateur::cli {
namespace {

/// "512M", "2G", "1000000": bytes; none where the text is none.
std::optional<std::uint64_t> bytesOf(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc() || number == 0) return std::nullopt;
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    unsigned shift = 0;
    if (unit == "K" || unit == "KiB")
        shift = 10;
    else if (unit == "M" || unit == "MiB")
        shift = 20;
    else if (unit == "G" || unit == "GiB")
        shift = 30;
    else if (!unit.empty())
        return std::nullopt;
    if (number > (std::numeric_limits<std::uint64_t>::max() >> shift)) return std::nullopt;
    return number << shift;
}

bool isFolder(const std::filesystem::path& path) {
    std::error_code failed; // what may not be looked into is none
    return std::filesystem::is_directory(path, failed);
}

/// "NAME=REST" at its first `=`.
std::optional<std::pair<std::string, std::string>> splitNamed(const std::string& text) {
    const std::size_t equal = text.find('=');
    if (equal == std::string::npos || equal == 0 || equal + 1 == text.size()) return std::nullopt;
    return std::pair{text.substr(0, equal), text.substr(equal + 1)};
}

Result<InputRequest> inputsOf(const ExecutionOptions& options) {
    InputRequest request;
    request.folder = options.folder;
    if (!options.folder.empty() && !isFolder(options.folder))
        return usageError(std::string(message("cli.inputs-no-folder")), options.folder);
    for (const std::string& text : options.inputs) {
        auto named = splitNamed(text);
        if (!named) return usageError(formatMessage("cli.input-form", {text}));
        request.named.push_back(std::move(*named));
    }
    request.bindings = TRY(bindingsOf(options.bindings));
    return request;
}

} // namespace

Result<std::map<std::string, std::int64_t>> bindingsOf(const std::vector<std::string>& texts) {
    std::map<std::string, std::int64_t> bindings;
    for (const std::string& text : texts) {
        const auto named = splitNamed(text);
        std::int64_t size = -1;
        if (named) {
            const std::string& digits = named->second;
            const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
            if (failed != std::errc() || end != digits.data() + digits.size()) size = -1;
        }
        if (size < 0) return usageError(formatMessage("cli.bind-form", {text}));
        if (!bindings.emplace(named->first, size).second)
            return usageError(formatMessage("cli.bind-twice", {named->first}));
    }
    return bindings;
}

CLI::Option* addBindOption(CLI::App& verb, std::vector<std::string>& bindings, const std::string& words) {
    return verb.add_option("--bind", bindings, words)->allow_extra_args(false)->type_name("NAME=N");
}

CLI::Validator tolerance() {
    const auto check = [](const std::string& text) {
        double number = -1;
        const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
        const bool isNumber = failed == std::errc() && end == text.data() + text.size();
        return isNumber && std::isfinite(number) && number >= 0 ? std::string()
                                                                : formatMessage("cli.tolerance-form", {text});
    };
    return CLI::Validator(check, "");
}

std::vector<CLI::Option*> addLimitOptions(CLI::App& verb, ExecutionOptions& options) {
    return {
        verb.add_option("--memory-limit", options.memoryLimit,
                        "most memory that tensors may take, such as 512M or 2G; 8G unless given")
            ->type_name("BYTES"),
        verb.add_option("--time-limit", options.timeLimit,
                        "most seconds it may take; unless given no limit, but 60 for the loops of one run")
            ->check(CLI::Range(1e-3, 1e9).description(""))
            ->type_name("S"),
        verb.add_option("--loop-limit", options.loopLimit,
                        "most iterations of all loops of one run; 10000000 unless given")
            ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 53U).description(""))
            ->type_name("N")};
}

Result<void> setLimits(const ExecutionOptions& options, Job& job) {
    if (std::isnan(options.timeLimit)) return usageError(std::string(message("cli.time-form")));
    // Who says how long it may take says so of its loops, too.
    if (options.timeLimit > 0) job.limits.loopSeconds = options.timeLimit;
    if (options.loopLimit > 0) job.limits.iterations = options.loopLimit;
    if (options.memoryLimit.empty()) return {};
    const auto bytes = bytesOf(options.memoryLimit);
    if (!bytes) return usageError(formatMessage("cli.memory-form", {options.memoryLimit}));
    job.limits.memoryBytes = *bytes;
    return {};
}

void addDeviceOptions(CLI::App& verb, ExecutionOptions& options) {
    verb.add_option(
            "--device", options.device,
            "cpu: the fast kernels of this program, on --threads threads; reference: its reference "
            "kernels, one thread, the judge of all others; ort: ONNX Runtime without optimizations, in "
            "a Python of its own (SECATEUR_PYTHON names one); cuda: not in this version")
        ->check(CLI::IsMember({"cpu", "reference", "cuda", "ort"}).description(""))
        ->type_name("cpu|reference|cuda|ort");
    addLimitOptions(verb, options);
}

void addExecutionOptions(CLI::App& verb, ExecutionOptions& options) {
    CLI::Option* folder =
        verb.add_option("--inputs", options.folder, "folder with input_0.pb, input_1.pb ... (or .npy)")
            ->check(notEmpty())
            ->type_name("DIR");
    verb.add_flag("--random", options.isRandom,
                  "random inputs, the same for the same --seed; what is not given otherwise is random")
        ->excludes(folder);
    verb.add_option(
            "--input", options.inputs,
            "one input: a number for all its elements, random numbers of a range, or a file (.npy, .pb); "
            "may be repeated")
        ->type_name("NAME=N|lo:hi|FILE");
    addBindOption(verb, options.bindings, std::string(message("cli.option.bind")));
    addDeviceOptions(verb, options);
}

Result<Job> jobOf(const ExecutionOptions& options, const Console& console) {
    if (options.device == "cuda") return missingHere(std::string(message("cli.no-cuda")));
    // It has memory of its own, which nothing here can limit.
    if (options.device == "ort" && !options.memoryLimit.empty())
        return usageError(std::string(message("cli.ort-memory-limit")));
    Job job;
    TRY(setLimits(options, job));
    job.device = options.device == "ort"   ? Device::ort
                 : options.device == "cpu" ? Device::cpu
                                           : Device::reference;
    job.inputs = TRY(inputsOf(options));
    job.inputs.seed = console.seed();
    job.threads = console.threads();
    return job;
}

Result<JobAnswer> execute(const Job& job, const ExecutionOptions& options, Console& console) {
    WorkerOptions worker;
    std::error_code failed;
    worker.program = std::filesystem::read_symlink("/proc/self/exe", failed);
    if (failed) return missingHere(formatMessage("cli.no-self", {failed.message()}));
    if (options.timeLimit > 0) {
        constexpr double kLongest = 1e9; // seconds: beyond all waiting, and no overflow as milliseconds
        worker.deadline = std::chrono::milliseconds(
            static_cast<std::int64_t>(std::min(options.timeLimit, kLongest) * 1000));
    }
    const WorkContext work = console.work();
    work.report("cli.phase.run", 0, 0);
    return runInWorker(job, worker, work.cancel);
}

double median(std::vector<double> numbers) {
    if (numbers.empty()) return 0;
    std::sort(numbers.begin(), numbers.end());
    const std::size_t middle = numbers.size() / 2;
    return numbers.size() % 2 == 1 ? numbers[middle] : (numbers[middle - 1] + numbers[middle]) / 2;
}

std::string runLine(const RunFacts& run) {
    std::string time = formatSeconds(median(run.seconds));
    if (run.report && run.report->planSeconds > 0)
        time = formatMessage("cli.ran-after-plan", {time, formatSeconds(run.report->planSeconds)});
    if (run.highWaterBytes == 0) return formatMessage("cli.ran", {run.backend, time});
    return formatMessage("cli.ran-with-memory", {run.backend, time, formatBytes(run.highWaterBytes)});
}

nlohmann::ordered_json runJson(const RunFacts& run) {
    nlohmann::ordered_json json{{"backend", run.backend}, {"median_ms", median(run.seconds) * 1e3}};
    json["measured_peak"] = run.highWaterBytes == 0 ? nlohmann::ordered_json(nullptr)
                                                    : nlohmann::ordered_json(run.highWaterBytes);
    // Making plans for the shapes of the inputs is no part of the times of runs.
    json["plan_ms"] =
        run.report ? nlohmann::ordered_json(run.report->planSeconds * 1e3) : nlohmann::ordered_json(nullptr);
    return json;
}

} // namespace secateur::cli
