// SPDX-License-Identifier: Apache-2.0
#include "core/exec/backend.h"
#include "core/exec/npy_format.h"
#include "core/exec/value_file.h"
#include "core/ir/walk.h"
#include "core/messages/sentences.h"
#include "core/support/child_process.h"
#include "core/support/scratch_folder.h"
#include "core/support/short_text.h"
#include "core/support/text.h"
#include "embedded/onnx_runtime_script.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace secateur {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::chrono::hours kLongest{24}; ///< whoever does not want to wait cancels

class OnnxRuntimeBackend : public Backend {
  public:
    OnnxRuntimeBackend(const Model& model, fs::path path, const BackendOptions& options)
        : m_path(std::move(path)), m_threads(options.threads), m_limits(options.limits) {
        const char* given = std::getenv("SECATEUR_PYTHON");
        m_python = given != nullptr && *given != '\0' ? given : "python3";
        for (const ValueId input : model.graphInputs(model.mainGraph()))
            m_inputNames.emplace_back(model.name(input));
        for (const NodeId node : nodesWithin(model, model.mainGraph()))
            m_hasLoops = m_hasLoops || model.isOp(node, "Loop") || model.isOp(node, "Scan");
    }

    /// Is there a Python with ONNX Runtime?
    Result<void> start() {
        const json answer = TRY(ask({{"model", ""}}, 0, {}));
        const auto version = answer.find("version");
        if (version == answer.end() || !version->is_string()) return noAnswer();
        m_version = version->get<std::string>();
        return {};
    }

    Result<std::vector<BackendRun>> run(std::vector<std::vector<RuntimeValue>> sets,
                                        const WorkContext& work) override {
        const ScratchFolder scratch = TRY(ScratchFolder::create());
        const json answer = TRY(ask(TRY(jobFor(sets, scratch.path(), 0, 1)), sets.size(), work.cancel));
        MemoryPool pool(m_limits.memoryBytes);
        std::vector<BackendRun> runs;
        for (const AnsweredSet& set : TRY(setsOf(answer))) {
            BackendRun done;
            if (!set.seconds.empty()) done.seconds = set.seconds.front();
            for (const std::string& file : set.files)
                done.outputs.push_back(TRY(readValueFile(file, {}, pool)));
            runs.push_back(std::move(done));
        }
        if (runs.size() != sets.size()) return noAnswer();
        return runs;
    }

    Result<std::vector<double>> time(const std::vector<RuntimeValue>& inputs, std::uint32_t warmUps,
                                     std::uint32_t runs, const WorkContext& work) override {
        const ScratchFolder scratch = TRY(ScratchFolder::create());
        const json answer = TRY(ask(TRY(jobFor({inputs}, scratch.path(), warmUps, runs)),
                                    std::size_t{warmUps} + runs, work.cancel));
        const auto sets = TRY(setsOf(answer));
        if (sets.size() != 1) return noAnswer();
        return sets.front().seconds;
    }
    [[nodiscard]] std::string name() const override { return "ONNX Runtime " + m_version; }

  private:
    struct AnsweredSet {
        std::vector<double> seconds;
        std::vector<std::string> files;
    };
    /// Whatever else stands in the answer of a foreign program is no answer.
    Result<std::vector<AnsweredSet>> setsOf(const json& answer) const {
        try {
            std::vector<AnsweredSet> sets;
            for (const json& set : answer.at("sets"))
                sets.push_back({set.at("seconds").get<std::vector<double>>(),
                                set.at("files").get<std::vector<std::string>>()});
            return sets;
        } catch (const json::exception&) {
            return noAnswer();
        }
    }
    [[nodiscard]] Error noAnswer() const {
        return missingHere(formatMessage("exec.ort-no-answer", {m_python}));
    }

    Result<json> jobFor(const std::vector<std::vector<RuntimeValue>>& sets, const fs::path& folder,
                        std::uint32_t warmUps, std::uint32_t runs) const {
        json job{{"model", fs::absolute(m_path).string()},
                 {"threads", m_threads},
                 {"folder", folder.string()},
                 {"warm_ups", warmUps},
                 {"runs", runs},
                 {"sets", json::array()}};
        for (std::size_t s = 0; s < sets.size(); ++s)
            job["sets"].push_back(TRY(writeInputs(sets[s], s, folder)));
        return job;
    }

    Result<json> writeInputs(const std::vector<RuntimeValue>& values, std::size_t set,
                             const fs::path& folder) const {
        json files = json::object();
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (values[i].isAbsent()) continue;
            const fs::path file =
                folder / ("set" + std::to_string(set) + "_input" + std::to_string(i) + ".npy");
            if (values[i].tensor() == nullptr)
                return missingHere(formatMessage("exec.ort-takes-tensors", {values[i].text()}),
                                   m_inputNames[i]);
            if (auto written = writeValueFile(file, values[i], m_inputNames[i]); !written) {
                if (written.error().code != ErrorCode::usage) return written.error();
                return missingHere(formatMessage("exec.ort-no-type", {values[i].text()}), m_inputNames[i]);
            }
            files[m_inputNames[i]] = file.string();
        }
        return files;
    }

    /// How long so many runs may take: there is no looking into its loops, so all of it counts where there
    /// are any.
    [[nodiscard]] std::chrono::milliseconds longest(std::size_t runs) const {
        constexpr double kStart = 30; // seconds for Python, and for loading the model
        if (!m_hasLoops || runs == 0 || m_limits.loopSeconds <= 0) return kLongest;
        const double seconds = kStart + m_limits.loopSeconds * static_cast<double>(runs);
        return std::min<std::chrono::milliseconds>(
            kLongest, std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1e3)));
    }

    Result<json> ask(const json& job, std::size_t runs, const CancelToken& cancel) const {
        ChildRequest request;
        request.arguments = {m_python, "-c", std::string(embedded::onnx_runtime_script())};
        request.input = job.dump(-1, ' ', false, json::error_handler_t::replace);
        request.deadline = longest(runs);
        const ChildOutput child = TRY(runChild(request, cancel));
        if (!child.isFine()) return failure(child);
        json answer = json::parse(child.output, nullptr, false);
        if (!answer.is_object()) return noAnswer();
        return answer;
    }

    [[nodiscard]] Error failure(const ChildOutput& child) const {
        const std::string said = lastLine(child.errors);
        if (said.find("ModuleNotFoundError") != std::string::npos)
            return missingHere(formatMessage("exec.no-onnx-runtime", {m_python, said}));
        if (child.end == ChildOutput::End::timedOut)
            return missingHere(formatMessage("exec.ort-time", {formatSeconds(m_limits.loopSeconds)}),
                               m_path.string());
        if (child.end == ChildOutput::End::signalled)
            return invalidInput(formatMessage("exec.ort-crashed", {std::to_string(child.exitCode)}),
                                m_path.string());
        // What ONNX Runtime has no kernel for is missing here as it is for our own kernels.
        const bool isMissing = said.find("AllocateRawInternal") != std::string::npos ||
                               said.find("bad_alloc") != std::string::npos ||
                               said.find("NOT_IMPLEMENTED") != std::string::npos ||
                               said.find("NotImplemented") != std::string::npos ||
                               said.find("registered function/op") != std::string::npos;
        if (said.empty())
            return invalidInput(formatMessage("exec.ort-speechless", {std::to_string(child.exitCode)}),
                                m_path.string());
        return Error{isMissing ? ErrorCode::missing : ErrorCode::invalidInput,
                     formatMessage("exec.ort-failed", {said}), m_path.string()};
    }

    fs::path m_path;
    std::string m_python, m_version;
    unsigned m_threads = 0;
    RunLimits m_limits;
    bool m_hasLoops = false;
    std::vector<std::string> m_inputNames;
};

} // namespace

Result<std::unique_ptr<Backend>> openOnnxRuntime(const Model& model, const fs::path& path,
                                                 const BackendOptions& options) {
    if (options.mode != RunMode::asWritten)
        return usageError(std::string(message("exec.ort-runs-as-written")));
    auto backend = std::make_unique<OnnxRuntimeBackend>(model, path, options);
    TRY(backend->start());
    return std::unique_ptr<Backend>(std::move(backend));
}

} // namespace secateur
