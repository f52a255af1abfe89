// SPDX-License-Identifier: Apache-2.0
#include "app/commands/reproducer.h"

#include "app/commands/output.h"
#include "app/commands/words.h"
#include "core/messages/messages.h"
#include "core/onnx/save.h"
#include "core/support/text.h"

#include <system_error>
#include <utility>

namespace secateur::cli {
namespace fs = std::filesystem;

Reproducer::Reproducer(fs::path model) : m_model(std::move(model)), m_recipe(m_model), m_data(m_model) {
    m_recipe += ".recipe.json";
    m_data += ".data";
}

Result<void> Reproducer::checkNew() const {
    std::error_code ignored;
    for (const fs::path* file : {&m_model, &m_recipe, &m_data}) {
        // A link that leads nowhere is somebody's, too.
        if (fs::exists(fs::symlink_status(*file, ignored)))
            return usageError(std::string(message("cli.reproducer-taken")), file->string());
    }
    return {};
}

Result<void> Reproducer::check(const std::vector<fs::path>& others) const {
    for (const fs::path* file : {&m_model, &m_recipe, &m_data})
        TRY(checkOutput(*file, others));
    return checkNew();
}

Result<void> Reproducer::write(const Model& model, const Recipe& recipe, std::size_t step) {
    if (!m_isOurs) TRY(checkNew());
    m_isOurs = true;
    Recipe one = recipe;
    one.steps = {recipe.steps[step]};
    one.steps.front().isOn = true;
    TRY(saveModel(model, m_model));
    return saveRecipe(one, m_recipe);
}

std::string Reproducer::finish(bool hasFailed) {
    if (!m_isOurs) return {};
    if (hasFailed)
        return formatMessage("cli.reproducer", {m_model.string(), m_recipe.string(),
                                                shellPath(m_recipe.string()), shellPath(m_model.string())});
    std::error_code ignored;
    for (const fs::path* file : {&m_model, &m_recipe, &m_data})
        fs::remove(*file, ignored);
    return {};
}

} // namespace secateur::cli
