// SPDX-License-Identifier: Apache-2.0
#include "core/exec/output_movement.h"

#include "core/exec/branch_log.h"
#include "core/exec/cells.h"
#include "core/support/hash.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace secateur {
namespace {

void addShape(StreamHash& hash, const RuntimeValue& value) {
    if (const TensorData* tensor = value.tensor(); tensor != nullptr) {
        hash.add(tensor->type()).add(tensor->shape().size());
        for (const std::int64_t size : tensor->shape())
            hash.add(size);
    } else if (value.sequence() != nullptr) {
        hash.add(value.sequence()->items.size());
        for (const RuntimeValue& item : value.sequence()->items)
            addShape(hash, item);
    } else if (value.optional() != nullptr) {
        addShape(hash, value.optional()->value);
    }
}

/// Floating point as numbers: zeros of either sign are one, and so is every NaN.
void addFloats(StreamHash& hash, const TensorData& tensor) {
    const CellReader<double> read = cellReader<double>(tensor.type());
    std::array<double, kBlockCells> block{};
    for (std::uint64_t at = 0; at < tensor.count(); at += block.size()) {
        const auto count =
            static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), tensor.count() - at));
        read(tensor.data(), static_cast<std::int64_t>(at), 1, count, block.data());
        for (std::size_t i = 0; i < count; ++i)
            block[i] = std::isnan(block[i]) ? std::nan("") : block[i] + 0.0;
        hash.add(block.data(), count * sizeof(double));
    }
}

void addNumbers(StreamHash& hash, const RuntimeValue& value) {
    if (const TensorData* tensor = value.tensor(); tensor != nullptr) {
        if (tensor->isString())
            for (const std::string& text : tensor->strings())
                hash.addText(text);
        else if (isFloating(tensor->type()))
            addFloats(hash, *tensor);
        else if (tensor->byteSize() > 0)
            hash.add(tensor->data(), tensor->byteSize());
    } else if (value.sequence() != nullptr) {
        for (const RuntimeValue& item : value.sequence()->items)
            addNumbers(hash, item);
    } else if (value.optional() != nullptr) {
        addNumbers(hash, value.optional()->value);
    }
}

} // namespace

OutputMovement::OutputMovement(const Model& model, const std::vector<std::size_t>& outputs) {
    const auto all = model.graphOutputs(model.mainGraph());
    const std::vector<bool> isFed = fedByInputs(model, false);
    for (const std::size_t output : outputs) {
        Watched watched;
        watched.isFed = !all[output].isNone() && isFed[all[output].index];
        m_watched.push_back(std::move(watched));
    }
}

OutputMovement::Inputs OutputMovement::inputsOf(std::span<const RuntimeValue> inputs) {
    StreamHash shapes, numbers;
    for (const RuntimeValue& input : inputs) {
        addShape(shapes, input);
        addNumbers(numbers, input);
    }
    return {shapes.digest(), numbers.digest()};
}

std::uint64_t OutputMovement::digestOf(const RuntimeValue& value) {
    StreamHash whole;
    addShape(whole, value);
    addNumbers(whole, value);
    return whole.digest();
}

void OutputMovement::add(const Inputs& inputs, std::span<const RuntimeValue* const> outputs) {
    for (std::size_t i = 0; i < m_watched.size(); ++i) {
        Watched& watched = m_watched[i];
        StreamHash shape;
        addShape(shape, *outputs[i]);
        const First now{inputs, digestOf(*outputs[i])};
        for (const auto& [runs, key] :
             {std::pair(&watched.byInputs, inputs.shapes), std::pair(&watched.byOutput, shape.digest())}) {
            const First& first = runs->emplace(key, now).first->second;
            watched.hasMoved = watched.hasMoved || first.output != now.output;
            watched.haveInputsMoved = watched.haveInputsMoved || first.inputs.shapes != inputs.shapes ||
                                      first.inputs.numbers != inputs.numbers;
        }
    }
}

bool OutputMovement::isStill(std::size_t output) const {
    const Watched& watched = m_watched[output];
    return watched.isFed && watched.haveInputsMoved && !watched.hasMoved;
}

} // namespace secateur
