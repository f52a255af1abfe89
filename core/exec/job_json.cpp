// SPDX-License-Identifier: Apache-2.0
#include "core/exec/job_json.h"

#include "core/messages/sentences.h"
#include "core/support/json_number.h"

#include <nlohmann/json.hpp>

#include <limits>
#include <utility>

namespace secateur {
namespace {

using nlohmann::json;

json number(double value) {
    return jsonNumber<json>(value);
}

double numberOf(const json& value) {
    if (!value.is_string()) return value.get<double>();
    const std::string text = value.get<std::string>();
    const double infinity = std::numeric_limits<double>::infinity();
    return text == "inf" ? infinity : text == "-inf" ? -infinity : std::numeric_limits<double>::quiet_NaN();
}

/// A whole number, not below zero, that fits: the library would cut what does not.
template <typename Number> Number wholeOf(const json& value) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > std::numeric_limits<Number>::max())
        throw json::other_error::create(501, value.dump(), &value);
    return value.get<Number>();
}

/// An enumerator by its number, within its range.
template <typename Enum> Enum enumOf(const json& value, Enum last) {
    const auto code = wholeOf<unsigned>(value);
    if (code > static_cast<unsigned>(last)) throw json::other_error::create(501, value.dump(), &value);
    return static_cast<Enum>(code);
}

/// Paths and names need not be UTF-8, which JSON demands, and must arrive byte for byte: each byte travels as
/// the character of its number.
std::string packed(std::string_view bytes) {
    std::string text;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x80) {
            text += static_cast<char>(0xC0U | byte >> 6U);
            text += static_cast<char>(0x80U | (byte & 0x3FU));
        } else {
            text += c;
        }
    }
    return text;
}

std::string unpacked(const json& value) {
    const auto text = value.get<std::string>();
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto lead = static_cast<unsigned char>(text[i]);
        if (lead < 0x80 || i + 1 == text.size())
            bytes += text[i];
        else
            bytes +=
                static_cast<char>((lead & 0x03U) << 6U | (static_cast<unsigned char>(text[++i]) & 0x3FU));
    }
    return bytes;
}

json pathsJson(const std::vector<std::filesystem::path>& paths) {
    json list = json::array();
    for (const auto& path : paths)
        list.push_back(packed(path.string()));
    return list;
}

json namedJson(const std::vector<std::pair<std::string, std::string>>& named) {
    json list = json::array();
    for (const auto& [name, source] : named)
        list.push_back({packed(name), packed(source)});
    return list;
}

std::vector<std::pair<std::string, std::string>> namedOf(const json& value) {
    std::vector<std::pair<std::string, std::string>> list;
    for (const json& named : value)
        list.emplace_back(unpacked(named.at(0)), unpacked(named.at(1)));
    return list;
}

json inputsJson(const InputRequest& inputs) {
    json bindings = json::array();
    for (const auto& [name, size] : inputs.bindings)
        bindings.push_back({packed(name), size});
    return {{"folder", packed(inputs.folder.string())},
            {"named", namedJson(inputs.named)},
            {"bindings", bindings},
            {"free_dim", inputs.freeDim},
            {"batch", inputs.batch},
            {"seed", inputs.seed}};
}

InputRequest inputsOf(const json& value) {
    InputRequest inputs;
    inputs.folder = unpacked(value.at("folder"));
    inputs.named = namedOf(value.at("named"));
    for (const json& bound : value.at("bindings"))
        inputs.bindings[unpacked(bound.at(0))] = bound.at(1).get<std::int64_t>();
    value.at("free_dim").get_to(inputs.freeDim);
    value.at("batch").get_to(inputs.batch);
    inputs.seed = wholeOf<std::uint64_t>(value.at("seed"));
    return inputs;
}

Job jobOf(const json& value) {
    Job job;
    job.kind = enumOf(value.at("kind"), Job::Kind::test);
    for (const json& path : value.at("paths"))
        job.paths.emplace_back(unpacked(path));
    for (const json& mode : value.at("modes"))
        job.modes.push_back(enumOf(mode, RunMode::inferenceWithBatchStatistics));
    job.device = enumOf(value.at("device"), Device::ort);
    job.inputs = inputsOf(value.at("inputs"));
    job.warmUps = wholeOf<std::uint32_t>(value.at("warm_ups"));
    job.runs = wholeOf<std::uint32_t>(value.at("runs"));
    job.count = wholeOf<std::uint32_t>(value.at("count"));
    value.at("edge_inputs").get_to(job.hasEdgeInputs);
    value.at("edge_seconds").get_to(job.edgeSeconds);
    for (const json& own : value.at("own"))
        job.own.push_back({unpacked(own.at("folder")), namedOf(own.at("files"))});
    value.at("relative").get_to(job.tolerance.relative);
    value.at("absolute").get_to(job.tolerance.absolute);
    for (const json& side : value.at("sides"))
        job.sides.push_back({unpacked(side.at(0)), enumOf(side.at(1), RunMode::inferenceWithBatchStatistics),
                             enumOf(side.at(2), Device::ort), enumOf(side.at(3), SideModel::Sets::all)});
    job.limits.memoryBytes = wholeOf<std::uint64_t>(value.at("memory_bytes"));
    job.limits.iterations = wholeOf<std::uint64_t>(value.at("iterations"));
    value.at("loop_seconds").get_to(job.limits.loopSeconds);
    job.threads = wholeOf<unsigned>(value.at("threads"));
    job.outputs = unpacked(value.at("outputs"));
    job.scratch = unpacked(value.at("scratch"));
    return job;
}

json differenceJson(const ValueDifference& found) {
    return {{"fits", found.fits},
            {"within", found.isWithin},
            {"same_bits", found.isSameBits},
            {"floating", found.isFloating},
            {"max_abs", number(found.maxAbsolute)},
            {"max_rel", number(found.maxRelative)},
            {"max_ulp", found.maxUlp},
            {"cosine", number(found.cosine)},
            {"elements", found.elements},
            {"telling", found.telling},
            {"differing", found.differing},
            {"nan_mismatches", found.nanMismatches},
            {"worst_at", found.worstAt},
            {"outside", found.outside},
            {"excess", number(found.excess)},
            {"worst_abs", number(found.worstAbsolute)},
            {"worst_rel", number(found.worstRelative)},
            {"worst_got", found.worstGot},
            {"worst_expected", found.worstExpected},
            {"misfit", found.misfit}};
}

ValueDifference differenceOf(const json& value) {
    ValueDifference found;
    value.at("fits").get_to(found.fits);
    value.at("within").get_to(found.isWithin);
    value.at("same_bits").get_to(found.isSameBits);
    value.at("floating").get_to(found.isFloating);
    found.maxAbsolute = numberOf(value.at("max_abs"));
    found.maxRelative = numberOf(value.at("max_rel"));
    value.at("max_ulp").get_to(found.maxUlp);
    found.cosine = numberOf(value.at("cosine"));
    value.at("elements").get_to(found.elements);
    value.at("telling").get_to(found.telling);
    value.at("differing").get_to(found.differing);
    value.at("nan_mismatches").get_to(found.nanMismatches);
    value.at("worst_at").get_to(found.worstAt);
    value.at("outside").get_to(found.outside);
    found.excess = numberOf(value.at("excess"));
    found.worstAbsolute = numberOf(value.at("worst_abs"));
    found.worstRelative = numberOf(value.at("worst_rel"));
    value.at("worst_got").get_to(found.worstGot);
    value.at("worst_expected").get_to(found.worstExpected);
    value.at("misfit").get_to(found.misfit);
    return found;
}

json outputJson(const OutputFacts& output) {
    return {{"name", output.name},
            {"type", output.type},
            {"has_numbers", output.hasNumbers},
            {"lowest", output.lowest},
            {"highest", output.highest},
            {"mean", number(output.mean)},
            {"not_finite", output.notFinite},
            {"file", output.file}};
}

OutputFacts outputOf(const json& value) {
    OutputFacts output;
    value.at("name").get_to(output.name);
    value.at("type").get_to(output.type);
    value.at("has_numbers").get_to(output.hasNumbers);
    value.at("lowest").get_to(output.lowest);
    value.at("highest").get_to(output.highest);
    output.mean = numberOf(value.at("mean"));
    value.at("not_finite").get_to(output.notFinite);
    value.at("file").get_to(output.file);
    return output;
}

json reportJson(const RunReport& report) {
    json nodes = json::array();
    for (const RunReport::NodeTime& node : report.nodes)
        nodes.push_back({node.node, node.op, node.kernel, node.seconds});
    return {{"arena", report.arenaBytes},
            {"lower_bound", report.lowerBoundBytes},
            {"arena_high_water", report.arenaHighWaterBytes},
            {"arena_reached", report.arenaReachedBytes},
            {"dynamic", report.dynamicBytes},
            {"seconds", report.seconds},
            {"reference_seconds", report.referenceSeconds},
            {"conversion_seconds", report.conversionSeconds},
            {"plan_seconds", report.planSeconds},
            {"nodes", nodes}};
}

RunReport reportOf(const json& value) {
    RunReport report;
    value.at("arena").get_to(report.arenaBytes);
    value.at("lower_bound").get_to(report.lowerBoundBytes);
    value.at("arena_high_water").get_to(report.arenaHighWaterBytes);
    value.at("arena_reached").get_to(report.arenaReachedBytes);
    value.at("dynamic").get_to(report.dynamicBytes);
    value.at("seconds").get_to(report.seconds);
    value.at("reference_seconds").get_to(report.referenceSeconds);
    value.at("conversion_seconds").get_to(report.conversionSeconds);
    value.at("plan_seconds").get_to(report.planSeconds);
    for (const json& node : value.at("nodes"))
        report.nodes.push_back({node.at(0).get<std::string>(), node.at(1).get<std::string>(),
                                node.at(2).get<std::string>(), node.at(3).get<double>()});
    return report;
}

json runJson(const RunFacts& run) {
    json value{{"backend", run.backend}, {"seconds", run.seconds}, {"high_water_bytes", run.highWaterBytes}};
    if (run.report) value["report"] = reportJson(*run.report);
    return value;
}

RunFacts runOf(const json& value) {
    RunFacts run;
    value.at("backend").get_to(run.backend);
    value.at("seconds").get_to(run.seconds);
    value.at("high_water_bytes").get_to(run.highWaterBytes);
    if (const auto report = value.find("report"); report != value.end()) run.report = reportOf(*report);
    return run;
}

json comparedJson(const std::vector<ComparedOutput>& compared) {
    json list = json::array();
    for (const ComparedOutput& output : compared)
        list.push_back({{"name", output.name},
                        {"worst", differenceJson(output.worst)},
                        {"worst_set", output.worstSet},
                        {"weakness", static_cast<unsigned>(output.weakness)},
                        {"never_finite", output.neverFinite},
                        {"places", output.places}});
    return list;
}

std::vector<ComparedOutput> comparedOf(const json& value) {
    std::vector<ComparedOutput> compared;
    for (const json& output : value)
        compared.push_back({output.at("name").get<std::string>(), differenceOf(output.at("worst")),
                            output.at("worst_set").get<std::string>(),
                            enumOf(output.at("weakness"), ComparedOutput::Weakness::partly),
                            wholeOf<std::uint64_t>(output.at("never_finite")),
                            wholeOf<std::uint64_t>(output.at("places"))});
    return compared;
}

json firstJson(const std::optional<FirstDifference>& first) {
    if (!first) return nullptr;
    return {{"value", first->value},
            {"node", first->node},
            {"difference", differenceJson(first->difference)},
            {"set", first->set}};
}

std::optional<FirstDifference> firstOf(const json& value) {
    if (value.is_null()) return std::nullopt;
    return FirstDifference{value.at("value").get<std::string>(), value.at("node").get<std::string>(),
                           differenceOf(value.at("difference")), value.at("set").get<std::string>()};
}

json sideJson(const SideAnswer& side) {
    return {{"backend", side.backend},
            {"sets", side.sets},
            {"compared", comparedJson(side.compared)},
            {"since_previous", comparedJson(side.sincePrevious)},
            {"sets_since_previous", side.setsSincePrevious},
            {"first", firstJson(side.first)},
            {"failure", side.failure}};
}

SideAnswer sideOf(const json& value) {
    SideAnswer side;
    value.at("backend").get_to(side.backend);
    value.at("sets").get_to(side.sets);
    side.compared = comparedOf(value.at("compared"));
    side.sincePrevious = comparedOf(value.at("since_previous"));
    value.at("sets_since_previous").get_to(side.setsSincePrevious);
    side.first = firstOf(value.at("first"));
    value.at("failure").get_to(side.failure);
    return side;
}

json answerJson(const JobAnswer& answer) {
    json value{{"sets", answer.sets},
               {"skipped_sets", answer.skippedSets},
               {"notes", answer.notes},
               {"only_in_first", answer.onlyInFirst},
               {"only_in_second", answer.onlyInSecond},
               {"unmatched", answer.unmatched},
               {"mismatch", answer.mismatch},
               {"silence", answer.silence},
               {"unentered", answer.unentered},
               {"witnesses", {answer.witnesses.compared, answer.witnesses.moved}}};
    for (const RunFacts& run : answer.runs)
        value["runs"].push_back(runJson(run));
    for (const OutputFacts& output : answer.outputs)
        value["outputs"].push_back(outputJson(output));
    value["compared"] = comparedJson(answer.compared);
    value["first"] = firstJson(answer.first);
    for (const SideAnswer& side : answer.sides)
        value["sides"].push_back(sideJson(side));
    for (const FolderVerdict& verdict : answer.verdicts)
        value["verdicts"].push_back(
            {{"state", static_cast<unsigned>(verdict.state)}, {"reason", verdict.reason}});
    return value;
}

/// The list under a name that is left out when empty.
json listOf(const json& value, const char* name) {
    const auto at = value.find(name);
    return at == value.end() ? json::array() : *at;
}

JobAnswer answerOf(const json& value) {
    JobAnswer answer;
    value.at("sets").get_to(answer.sets);
    value.at("skipped_sets").get_to(answer.skippedSets);
    value.at("notes").get_to(answer.notes);
    value.at("unmatched").get_to(answer.unmatched);
    value.at("mismatch").get_to(answer.mismatch);
    value.at("silence").get_to(answer.silence);
    value.at("unentered").get_to(answer.unentered);
    answer.witnesses = {wholeOf<std::uint64_t>(value.at("witnesses").at(0)),
                        wholeOf<std::uint64_t>(value.at("witnesses").at(1))};
    value.at("only_in_first").get_to(answer.onlyInFirst);
    value.at("only_in_second").get_to(answer.onlyInSecond);
    for (const json& run : listOf(value, "runs"))
        answer.runs.push_back(runOf(run));
    for (const json& output : listOf(value, "outputs"))
        answer.outputs.push_back(outputOf(output));
    answer.compared = comparedOf(value.at("compared"));
    answer.first = firstOf(value.at("first"));
    for (const json& side : listOf(value, "sides"))
        answer.sides.push_back(sideOf(side));
    for (const json& verdict : listOf(value, "verdicts"))
        answer.verdicts.push_back({enumOf(verdict.at("state"), FolderVerdict::State::skipped),
                                   verdict.at("reason").get<std::string>()});
    return answer;
}

/// Names come from files and need not be UTF-8: what is not becomes a replacement character.
std::string dump(const json& value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

Error damaged(std::string_view id) {
    return invalidInput(std::string(message(id)));
}

} // namespace

std::string jobText(const Job& job) {
    json modes = json::array();
    for (const RunMode mode : job.modes)
        modes.push_back(static_cast<unsigned>(mode));
    json sides = json::array();
    for (const SideModel& side : job.sides)
        sides.push_back({packed(side.path.string()), static_cast<unsigned>(side.mode),
                         static_cast<unsigned>(side.device), static_cast<unsigned>(side.sets)});
    json ownSets = json::array();
    for (const OwnInputs& own : job.own)
        ownSets.push_back({{"folder", packed(own.folder.string())}, {"files", namedJson(own.files)}});
    return dump({{"kind", static_cast<unsigned>(job.kind)},
                 {"paths", pathsJson(job.paths)},
                 {"modes", modes},
                 {"device", static_cast<unsigned>(job.device)},
                 {"inputs", inputsJson(job.inputs)},
                 {"warm_ups", job.warmUps},
                 {"runs", job.runs},
                 {"count", job.count},
                 {"edge_inputs", job.hasEdgeInputs},
                 {"edge_seconds", job.edgeSeconds},
                 {"own", ownSets},
                 {"sides", sides},
                 {"relative", job.tolerance.relative},
                 {"absolute", job.tolerance.absolute},
                 {"memory_bytes", job.limits.memoryBytes},
                 {"iterations", job.limits.iterations},
                 {"loop_seconds", job.limits.loopSeconds},
                 {"threads", job.threads},
                 {"outputs", packed(job.outputs.string())},
                 {"scratch", packed(job.scratch.string())}});
}

Result<Job> parseJob(std::string_view text) {
    try {
        Job job = jobOf(json::parse(text));
        const std::size_t models = job.kind == Job::Kind::compare ? 2 : 1;
        if (job.paths.size() < models || job.count == 0 || job.runs == 0) return damaged("exec.job-damaged");
        return job;
    } catch (const json::exception&) {
        return damaged("exec.job-damaged");
    }
}

std::string answerText(const Result<JobAnswer>& answer) {
    if (answer) return dump(answerJson(*answer));
    const Error& error = answer.error();
    return dump({{"error",
                  {{"code", static_cast<unsigned>(error.code)},
                   {"message", error.message},
                   {"where", error.where}}}});
}

Result<JobAnswer> parseAnswer(std::string_view text) {
    try {
        const json value = json::parse(text);
        const auto error = value.find("error");
        if (error == value.end()) return answerOf(value);
        return Error{enumOf(error->at("code"), ErrorCode::cancelled), error->at("message").get<std::string>(),
                     error->at("where").get<std::string>()};
    } catch (const json::exception&) {
        return damaged("exec.answer-damaged");
    }
}

} // namespace secateur
