// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/history.h"

#include <memory>

namespace secateur {

/// Runs a recipe step by step into a History. One use.
class HistoryRunner {
  public:
    HistoryRunner(std::shared_ptr<const Original> original, const Recipe& recipe, const WorkContext& work);

    Result<History> run();

  private:
    Result<void> checkWeights();
    Result<void> chooseTargetsAndRoles();
    Result<void> runStep(const RecipeStep& wanted);
    void runPass(const Pass& pass, const RecipeStep& wanted, Step& step);
    void takeBack(Step& step, Error failure);
    void measure(Step& step);
    void indexErased();

    const WorkContext& m_work;
    PassEnvironment m_environment;
    History m_history;
};

} // namespace secateur
