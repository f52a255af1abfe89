// SPDX-License-Identifier: Apache-2.0
//
// Shared by the files of jobs; not for others.
#pragma once

#include "core/exec/job.h"
#include "core/onnx/load.h"
#include "core/support/scratch_folder.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace secateur {

using NodeListener = std::function<void(const Model&, NodeId, std::span<const RuntimeValue>)>;

/// A model of a job, opened for running.
struct JobModel {
    std::filesystem::path path;
    std::unique_ptr<LoadedModel> loaded; ///< stays where it is: the backend points to it
    std::vector<InputDomain> domains;
    std::optional<ScratchFolder> scratch; ///< of a narrowed model for another process
    std::unique_ptr<Backend> backend;

    /// Loads job.paths[which]; start() must follow before it runs.
    static Result<JobModel> load(const Job& job, std::size_t which);
    /// Makes these values of the main graph its outputs.
    Result<void> narrow(std::span<const ValueId> values, Device device);
    /// All memory of the job is within one limit: that of `pool`.
    Result<void> start(const Job& job, std::size_t which, const MemoryPool& pool, NodeListener onNode = {});

    [[nodiscard]] const Model& model() const { return loaded->model; }
    [[nodiscard]] std::vector<std::string> outputNames() const;
    [[nodiscard]] RunFacts facts(const std::vector<BackendRun>& runs) const;
};

struct RanSet;

/// Runs job.paths[0] on `inputs` (in the order of its inputs) and job.paths[1] on those of the set, keeping
/// what they compute, for the first value under one name that differs. `outputs`: what the second is narrowed
/// to. Memory is within the limit of `pool`.
Result<std::optional<FirstDifference>> findFirstDifference(const Job& job, const MemoryPool& pool,
                                                           const std::vector<std::string>& outputs,
                                                           const std::vector<RuntimeValue>& inputs,
                                                           const RanSet& set, const WorkContext& work);

/// The name of a result of a node; empty where it has none.
[[nodiscard]] std::string resultName(const Model& model, NodeId node, std::size_t slot);
/// Makes the values of these names the outputs of a model, where it has them all.
Result<void> narrowToNames(JobModel& model, const std::vector<std::string>& names, Device device);
/// The inputs of a set in the order of a model's; absent where the set has none of that name.
[[nodiscard]] std::vector<RuntimeValue> inputsInOrder(const Model& model, const RanSet& set);

/// Compares the inner values that both models compute under one name, on `set`; `other` says which of them
/// move with the inputs. All of them agree, and from those that move both models come to each of the outputs
/// `still` (their names in the first and the second) by the same operators with the same constants; else
/// there are no witnesses. Memory is within the limit of `pool`.
Result<Witnesses> findWitnesses(const Job& job, const MemoryPool& pool,
                                const std::vector<std::string>& outputs,
                                const std::vector<std::pair<std::string, std::string>>& still,
                                const std::vector<RuntimeValue>& inputs, const RanSet& set,
                                const RanSet& other, const WorkContext& work);

/// Runs job.paths[0] and job.paths[1], the one it shall equal, on the same inputs. Inputs and outputs belong
/// together by name. An output of the first that is an inner value of the second is compared with that: a cut
/// model with what it was cut from. Where no name fits, outputs belong together by position if there are as
/// many. What is an input here and an initializer there gets the initializer's value.
Result<JobAnswer> compareModels(const Job& job, const WorkContext& work);

} // namespace secateur
