// SPDX-License-Identifier: Apache-2.0
#include "core/session/weight_inputs.h"

#include "core/exec/value_file.h"
#include "core/messages/sentences.h"
#include "core/passes/convert/weight_source.h"
#include "core/support/text.h"

#include <algorithm>

namespace secateur {
namespace {

/// Does a model take a value of this name from whoever runs it?
bool isTaken(const Model& model, const std::string& name) {
    const ValueId value = model.findValue(name, model.mainGraph());
    return !value.isNone() && model.isGraphInput(value) && !model.isInitializer(value);
}

} // namespace

Result<std::vector<std::pair<std::string, std::string>>> weightInputs(std::span<const Model* const> models,
                                                                      const std::filesystem::path& weights,
                                                                      const std::filesystem::path& folder) {
    const WeightSource source = TRY(openWeights(weights));
    MemoryPool pool;
    std::vector<std::pair<std::string, std::string>> given;
    for (const auto& [name, tensor] : source.tensors) {
        const bool isNeeded = std::any_of(models.begin(), models.end(),
                                          [&](const Model* model) { return isTaken(*model, name); });
        if (!isNeeded) continue;
        const auto file = folder / ("weight_" + std::to_string(given.size()) + ".pb");
        TRY(writeValueFile(file, RuntimeValue(TRY(TensorData::from(pool, *tensor))), name));
        given.emplace_back(name, file.string());
    }
    if (given.empty())
        return usageError(formatMessage("weights.no-input", {formatCount(source.tensors.size())}),
                          weights.string());
    return given;
}

} // namespace secateur
