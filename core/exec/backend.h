// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/kernel.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace secateur {

/// Where a model is executed.
enum class Device : std::uint8_t {
    reference, ///< this program's reference kernels: one thread, the judge of all others
    cpu,       ///< this program's fast kernels on all cores
    ort,       ///< ONNX Runtime without optimizations, in a Python process of its own
};

struct BackendOptions {
    RunMode mode = RunMode::asWritten; ///< ONNX Runtime knows asWritten only
    std::uint64_t seed = 0;            ///< of random operators
    RunLimits limits;
    /// Another pool whose limit is the one of this run, too; else limits.memoryBytes is.
    std::optional<MemoryPool> within{};
    unsigned threads = 0; ///< 0: as many as the backend likes
    /// Told of each node that ran, bodies included, with its results; the model is the one that runs, with
    /// function bodies written out. Never called by ONNX Runtime.
    std::function<void(const Model&, NodeId, std::span<const RuntimeValue>)> onNode;
};

/// One run of a model.
struct BackendRun {
    std::vector<RuntimeValue> outputs; ///< in the order of the model's outputs
    double seconds = 0;                ///< of the run alone, without opening the model and planning
};

/// Where the time of one node went, and the memory of all of them.
struct RunReport {
    struct NodeTime {
        std::string node;   ///< in words
        std::string op;     ///< empty for a conversion between layouts
        std::string kernel; ///< "onednn", "own", "reference", "conversion", "view"
        double seconds = 0; ///< of the last run
    };
    std::uint64_t arenaBytes = 0;      ///< planned memory
    std::uint64_t lowerBoundBytes = 0; ///< that no plan of this order goes below
    /// What was really given: the most bytes of arenas that the allocator had out at once, those of bodies
    /// and of attempts that were given up included; and how far into the arena of the main graph the results
    /// and workspaces of the steps of the last run reached.
    std::uint64_t arenaHighWaterBytes = 0, arenaReachedBytes = 0;
    std::uint64_t dynamicBytes = 0; ///< the most that lived outside the plan at once, outputs included
    double seconds = 0;             ///< of all nodes of the last run
    double referenceSeconds = 0;    ///< of these, in kernels that were not made for speed
    double conversionSeconds = 0;   ///< of these, between memory layouts
    /// Of all runs so far: making plans and kernels ready for inputs of new shapes, attempts that were given
    /// up included. No part of the seconds of any run.
    double planSeconds = 0;
    std::vector<NodeTime> nodes; ///< in the order of execution
};

/// Runs one model.
class Backend {
  public:
    /// The file `path` must hold `model`; both must stay as they are while the backend lives. Fails with
    /// `missing` where an operator cannot be run, or the device is not there.
    static Result<std::unique_ptr<Backend>> open(const Model& model, const std::filesystem::path& path,
                                                 Device device, BackendOptions options);
    virtual ~Backend() = default;

    /// Runs the model once for each set of inputs (in the order of the model's inputs, absent where the
    /// initializer stands in). Ends with the first run that fails.
    virtual Result<std::vector<BackendRun>> run(std::vector<std::vector<RuntimeValue>> sets,
                                                const WorkContext& work) = 0;
    /// The seconds of `runs` runs on the same inputs, after `warmUps` runs that do not count.
    virtual Result<std::vector<double>> time(const std::vector<RuntimeValue>& inputs, std::uint32_t warmUps,
                                             std::uint32_t runs, const WorkContext& work);
    /// For results: "Secateur reference kernels", "ONNX Runtime 1.23.2".
    [[nodiscard]] virtual std::string name() const = 0;
    /// The most bytes of tensors that lived at once in any run so far; 0 where that is not known.
    [[nodiscard]] virtual std::uint64_t highWaterBytes() const { return 0; }
    /// Where time and memory of the last run went; none where the backend does not know.
    [[nodiscard]] virtual std::optional<RunReport> report() const { return std::nullopt; }
};

/// Makes a backend for a model that stays where it is.
using BackendFactory = Result<std::unique_ptr<Backend>> (*)(const Model& model, BackendOptions options);
/// What Backend::open uses for Device::cpu from now on: core has no fast kernels of its own, a program hands
/// them in before it runs anything. Null: there are none, and asking for them is an error.
void setCpuBackend(BackendFactory factory);

/// A backend that runs the file at `path` in a Python process with ONNX Runtime: the program named by the
/// environment variable SECATEUR_PYTHON, else `python3`. Fails with `missing` when there is none.
Result<std::unique_ptr<Backend>> openOnnxRuntime(const Model& model, const std::filesystem::path& path,
                                                 const BackendOptions& options);

} // namespace secateur
