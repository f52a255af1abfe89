// SPDX-License-Identifier: Apache-2.0
#include "app/commands/commands.h"
#include "app/commands/conversion.h"
#include "app/commands/execution.h"
#include "core/exec/statistics.h"
#include "core/messages/sentences.h"
#include "core/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace secateur::cli {
namespace {

using Json = nlohmann::ordered_json;

struct ProfileVerb {
    ExecutionOptions execution;
    std::vector<std::string> models;
    std::uint32_t runs = 30, warmUps = 3;
};

std::optional<double> loadAverage() {
    double load = 0;
    if (getloadavg(&load, 1) != 1) return std::nullopt;
    return load;
}

/// Of fewer runs not even the least and the largest hold the median in 95 % of all cases: 2 / 2^6 is the
/// first share below 5 %.
bool hasInterval(const Statistics& found) {
    constexpr std::size_t kFewest = 6;
    return found.count >= kFewest;
}

Json statisticsJson(const Statistics& found) {
    return {{"median_ms", found.median * 1e3},
            {"median_ci_ms",
             hasInterval(found) ? Json({found.medianLow * 1e3, found.medianHigh * 1e3}) : Json(nullptr)},
            {"p5_ms", found.low5 * 1e3},
            {"p95_ms", found.high95 * 1e3},
            {"min_ms", found.lowest * 1e3},
            {"max_ms", found.highest * 1e3},
            {"runs", found.count}};
}

/// The reference kernels use one thread, whatever is asked for.
std::string threadsText(const Job& job) {
    if (job.device == Device::reference) return "1";
    return job.threads == 0 ? std::string(message("cli.profile-threads-any")) : std::to_string(job.threads);
}

double percent(double part, double whole) {
    return whole > 0 ? 100 * part / whole : 0;
}

Json reportJson(const RunReport& report) {
    Json nodes = Json::array();
    for (const RunReport::NodeTime& node : report.nodes)
        nodes.push_back(
            {{"node", node.node}, {"op", node.op}, {"kernel", node.kernel}, {"ms", node.seconds * 1e3}});
    return {{"arena", report.arenaBytes},
            {"lower_bound", report.lowerBoundBytes},
            {"dynamic_peak", report.dynamicBytes},
            {"plan_ms", report.planSeconds * 1e3},
            {"nodes_ms", report.seconds * 1e3},
            {"reference_percent", percent(report.referenceSeconds, report.seconds)},
            {"conversion_percent", percent(report.conversionSeconds, report.seconds)},
            {"nodes", nodes}};
}

void printReport(const RunReport& report, Console& console) {
    console.line(formatMessage("cli.profile-plan",
                               {formatBytes(report.arenaBytes), formatBytes(report.lowerBoundBytes),
                                formatBytes(report.dynamicBytes)}));
    console.line(formatMessage("cli.profile-shares",
                               {fmt::format("{:.1f}", percent(report.referenceSeconds, report.seconds)),
                                fmt::format("{:.1f}", percent(report.conversionSeconds, report.seconds))}));
    std::vector<RunReport::NodeTime> slowest = report.nodes;
    std::stable_sort(slowest.begin(), slowest.end(),
                     [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
    constexpr std::size_t kMostLines = 10;
    slowest.resize(std::min(slowest.size(), kMostLines));
    for (const RunReport::NodeTime& node : slowest)
        console.line(
            fmt::format("  {:>10}  {:<10}  {}", formatSeconds(node.seconds), node.kernel, node.node));
}

std::string summary(const std::string& backend, const Statistics& found, std::uint32_t warmUps) {
    const std::string runs = std::to_string(found.count), before = std::to_string(warmUps);
    if (found.count == 1)
        return formatMessage("cli.profile-once", {backend, formatSeconds(found.median), before});
    if (!hasInterval(found))
        return formatMessage("cli.profile-few",
                             {backend, formatSeconds(found.median), formatSeconds(found.lowest),
                              formatSeconds(found.highest), runs, before});
    return formatMessage("cli.profile", {backend, formatSeconds(found.median), formatSeconds(found.medianLow),
                                         formatSeconds(found.medianHigh), formatSeconds(found.low5),
                                         formatSeconds(found.high95), runs, before});
}

int profile(const ProfileVerb& options, Console& console) {
    if (options.models.size() > 1) return console.fail(missingHere(std::string(message("cli.profile-two"))));
    auto job = jobOf(options.execution, console);
    if (!job) return console.fail(job.error());
    job->kind = Job::Kind::time;
    job->paths = {options.models.front()};
    job->runs = options.runs;
    job->warmUps = options.warmUps;
    const auto load = loadAverage();
    const auto answer = execute(*job, options.execution, console);
    if (!answer) return console.fail(answer.error());
    const RunFacts& facts = answer->runs.front();
    const Statistics found = statisticsOf(facts.seconds);
    console.line(summary(facts.backend, found, options.warmUps));
    if (facts.highWaterBytes > 0)
        console.line(formatMessage("cli.profile-memory", {formatBytes(facts.highWaterBytes)}));
    if (facts.report) printReport(*facts.report, console);
    const std::string loadText = load ? fmt::format("{:.2f}", *load) : std::string("?");
    console.line(formatMessage("cli.profile-conditions",
                               {std::to_string(job->inputs.seed), loadText, threadsText(*job)}));
    Json json{{"schema", 1}, {"model", options.models.front()}, {"device", options.execution.device}};
    json["a"] = statisticsJson(found);
    json["a"]["backend"] = facts.backend;
    json["a"]["measured_peak"] = facts.highWaterBytes == 0 ? Json(nullptr) : Json(facts.highWaterBytes);
    json["a"]["report"] = facts.report ? reportJson(*facts.report) : Json(nullptr);
    for (const char* later : {"b", "speedup", "speedup_ci"})
        json[later] = nullptr;
    json["conditions"] = {{"seed", job->inputs.seed},
                          {"threads", job->threads},
                          {"warm_ups", options.warmUps},
                          {"load_average", load ? Json(*load) : Json(nullptr)}};
    console.json(json);
    return 0;
}

} // namespace

void addProfile(CLI::App& program, Action& action) {
    CLI::App* verb = program.add_subcommand("profile", "measure how long a model takes");
    auto options = std::make_shared<ProfileVerb>();
    verb->add_option("MODEL", options->models, "the model; comparing two comes in a later version")
        ->required()
        ->expected(1, 2)
        ->check(notEmpty());
    addExecutionOptions(*verb, options->execution);
    verb->add_option("--runs", options->runs, "runs that count; 30 unless given")
        ->check(CLI::Range(1U, 1000000U).description(""))
        ->type_name("N");
    verb->add_option("--warm-ups", options->warmUps, "runs before those; 3 unless given")
        ->check(CLI::Range(0U, 1000000U).description(""))
        ->type_name("N");
    verb->callback(
        [options, &action] { action = [options](Console& console) { return profile(*options, console); }; });
}

} // namespace secateur::cli
