// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/cpu_backend.h"

#include "core/exec/function_writing.h"
#include "core/exec/node_check.h"
#include "core/exec/reference.h"
#include "core/messages/sentences.h"
#include "gpu/cpu/planned_run.h"
#include "gpu/cpu/runner.h"

#include <omp.h>

#include <chrono>
#include <thread>

namespace secateur {
namespace {

class CpuBackend : public Backend {
  public:
    CpuBackend(Model model, BackendOptions options, const CpuBackendOptions& own)
        : m_state(std::move(options)), m_runner(std::move(model)) {
        m_state.poisonsFreedMemory = own.poisonsFreedMemory;
    }

    Result<std::vector<BackendRun>> run(std::vector<std::vector<RuntimeValue>> sets,
                                        const WorkContext& work) override {
        // The number of oneDNN's threads belongs to the thread that calls it.
        omp_set_num_threads(static_cast<int>(m_state.threads.threads()));
        std::vector<BackendRun> runs;
        for (std::vector<RuntimeValue>& inputs : sets) {
            if (work.isCancelled()) return cancelled();
            inputs.resize(m_runner.model().graphInputs(m_runner.model().mainGraph()).size());
            TRY(checkInputs(m_runner.model(), inputs));
            m_state.work = &work;
            m_state.streams.clear();
            m_state.loops = LoopBudget(m_state.options.limits);
            const double plannedBefore = m_state.planSeconds;
            const auto start = std::chrono::steady_clock::now();
            BackendRun done;
            done.outputs = TRY(m_runner.run(std::move(inputs), m_state));
            const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
            done.seconds = passed.count() - (m_state.planSeconds - plannedBefore);
            runs.push_back(std::move(done));
        }
        return runs;
    }
    [[nodiscard]] std::string name() const override {
        return formatMessage("exec.cpu-kernels", {std::to_string(m_state.threads.threads())});
    }
    [[nodiscard]] std::uint64_t highWaterBytes() const override {
        return m_state.fixed.highWaterBytes() + m_state.arenas.highWaterBytes() +
               m_state.dynamic.highWaterBytes();
    }
    [[nodiscard]] std::optional<RunReport> report() const override {
        if (m_runner.lastPlan() == nullptr) return std::nullopt;
        RunReport report = m_runner.lastPlan()->report();
        report.arenaHighWaterBytes = m_state.arenas.highWaterBytes();
        report.dynamicBytes = m_state.dynamic.highWaterBytes();
        report.planSeconds = m_state.planSeconds;
        return report;
    }

  private:
    RunState m_state;
    Runner m_runner;
};

Result<std::unique_ptr<Backend>> openInstalled(const Model& model, BackendOptions options) {
    return openCpuBackend(model, std::move(options), {});
}

} // namespace

Result<std::unique_ptr<Backend>> openCpuBackend(const Model& model, BackendOptions options,
                                                const CpuBackendOptions& own) {
    TRY(checkNodes(model));
    auto written = TRY(withFunctionBodies(model));
    Model runs = written ? std::move(*written) : model.clone();
    return std::unique_ptr<Backend>(std::make_unique<CpuBackend>(std::move(runs), std::move(options), own));
}

void installCpuBackend() {
    setCpuBackend(&openInstalled);
}

} // namespace secateur
