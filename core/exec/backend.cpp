// SPDX-License-Identifier: Apache-2.0
#include "core/exec/backend.h"

#include "core/exec/reference.h"
#include "core/messages/sentences.h"

#include <atomic>
#include <chrono>
#include <utility>

namespace secateur {
namespace {

std::atomic<BackendFactory> g_cpuBackend = nullptr;

/// The kernels of this program, one node after the other.
class ReferenceBackend : public Backend {
  public:
    static Result<std::unique_ptr<Backend>> open(const Model& model, BackendOptions options) {
        auto backend = std::make_unique<ReferenceBackend>();
        ReferenceOptions own{options.mode, options.seed, options.limits, {}, options.within};
        if (options.onNode) {
            own.onNode = [told = std::move(options.onNode),
                          self = backend.get()](NodeId node, std::span<const RuntimeValue> results) {
                told(self->m_runner->model(), node, results);
            };
        }
        backend->m_runner =
            std::make_unique<ReferenceRunner>(TRY(ReferenceRunner::prepare(model, std::move(own))));
        return std::unique_ptr<Backend>(std::move(backend));
    }

    Result<std::vector<BackendRun>> run(std::vector<std::vector<RuntimeValue>> sets,
                                        const WorkContext& work) override {
        std::vector<BackendRun> runs;
        for (std::vector<RuntimeValue>& inputs : sets) {
            if (work.isCancelled()) return cancelled();
            const auto start = std::chrono::steady_clock::now();
            BackendRun done;
            done.outputs = TRY(m_runner->run(std::move(inputs), work));
            done.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            runs.push_back(std::move(done));
        }
        return runs;
    }
    [[nodiscard]] std::string name() const override { return std::string(message("exec.reference-kernels")); }
    [[nodiscard]] std::uint64_t highWaterBytes() const override { return m_runner->pool().highWaterBytes(); }

  private:
    std::unique_ptr<ReferenceRunner> m_runner;
};

} // namespace

void setCpuBackend(BackendFactory factory) {
    g_cpuBackend = factory;
}

Result<std::vector<double>> Backend::time(const std::vector<RuntimeValue>& inputs, std::uint32_t warmUps,
                                          std::uint32_t runs, const WorkContext& work) {
    std::vector<double> seconds;
    for (std::uint32_t i = 0; i < warmUps + runs; ++i) {
        const auto done = TRY(run({inputs}, work));
        if (i >= warmUps) seconds.push_back(done.front().seconds);
    }
    return seconds;
}

Result<std::unique_ptr<Backend>> Backend::open(const Model& model, const std::filesystem::path& path,
                                               Device device, BackendOptions options) {
    if (device == Device::ort) return openOnnxRuntime(model, path, options);
    if (device == Device::cpu) {
        const BackendFactory factory = g_cpuBackend;
        if (factory == nullptr) return missingHere(std::string(message("exec.no-cpu-backend")));
        return factory(model, std::move(options));
    }
    return ReferenceBackend::open(model, std::move(options));
}

} // namespace secateur
