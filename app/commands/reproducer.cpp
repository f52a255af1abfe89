// SPDX-License-Identifier: Apache-2.0
#include "app/commands/reproducer.h"

#include "app/commands/words.h"
#include "core/messages/messages.h"
#include "core/onnx/save.h"
#include "core/support/text.h"

#include <system_error>
#include <utility>

namespace secateur::cli {

Reproducer::Reproducer(std::filesystem::path model) : m_model(std::move(model)), m_recipe(m_model) {
    m_recipe += ".recipe.json";
}

Result<void> Reproducer::write(const Model& model, const Recipe& recipe, std::size_t step) {
    Recipe one = recipe;
    one.steps = {recipe.steps[step]};
    one.steps.front().isOn = true;
    TRY(saveModel(model, m_model));
    TRY(saveRecipe(one, m_recipe));
    m_isWritten = true;
    m_pass = recipe.steps[step].pass;
    return {};
}

std::string Reproducer::finish(bool hasFailed) {
    if (!m_isWritten) return {};
    if (hasFailed)
        return formatMessage("cli.reproducer", {m_model.string(), m_recipe.string(),
                                                shellPath(m_recipe.string()), shellPath(m_model.string())});
    std::error_code ignored;
    std::filesystem::remove(m_model, ignored);
    std::filesystem::remove(m_recipe, ignored);
    return {};
}

} // namespace secateur::cli
