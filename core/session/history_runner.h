// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/onnx/following_types.h"
#include "core/passes/registry.h"
#include "core/session/history.h"

#include <functional>
#include <memory>
#include <string_view>

namespace secateur {

/// Where passes are looked up by id; null for an unknown one.
using PassLookup = std::function<const Pass*(std::string_view)>;

/// Runs a recipe, whose passes must all be known, step by step into a History. One use.
class HistoryRunner {
  public:
    HistoryRunner(std::shared_ptr<const Original> original, const Recipe& recipe, const WorkContext& work,
                  const RunOptions& options, PassLookup lookup = findPass);

    Result<History> run();

  private:
    void sortClone();
    Result<void> checkWeights();
    Result<void> chooseTargetsAndRoles();
    Result<void> judgeWeights();
    Result<void> runStep(const RecipeStep& wanted);
    void runPass(const Pass& pass, const RecipeStep& wanted, Step& step);
    void takeBack(Step& step, Error failure);
    void measure(Step& step);
    void indexErased();

    const WorkContext& m_work;
    RunOptions m_options;
    PassLookup m_lookup;
    PassEnvironment m_environment;
    FollowingTypes m_types;
    History m_history;
};

} // namespace secateur
