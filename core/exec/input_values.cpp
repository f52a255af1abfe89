// SPDX-License-Identifier: Apache-2.0
#include "core/exec/input_values.h"

#include "core/exec/cells.h"
#include "core/exec/random.h"
#include "core/exec/test_folder.h"
#include "core/exec/value_file.h"
#include "core/messages/messages.h"
#include "core/support/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace secateur {
namespace {

/// Bounds of random numbers, both included for integers.
struct Range {
    double low = -1, high = 1;
};

/// "lo:hi"; none where the text is none.
std::optional<Range> rangeOf(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    Range range;
    const auto read = [](std::string_view part, double& number) {
        const auto [end, failed] = std::from_chars(part.data(), part.data() + part.size(), number);
        return failed == std::errc() && end == part.data() + part.size();
    };
    if (!read(text.substr(0, colon), range.low) || !read(text.substr(colon + 1), range.high))
        return std::nullopt;
    return range;
}

/// The shape to be made for a declared type, free dimensions bound.
Result<Shape> shapeFor(const Model& model, ValueId input, const InputRequest& request) {
    const Type& type = model.declaredType(input);
    if (!type.isTensor() || !type.hasShape)
        return usageError(formatMessage("exec.input-without-shape", {type.text()}), valueText(model, input));
    Shape shape;
    for (const Dim& dim : type.dims) {
        const auto bound = request.bindings.find(dim.symbol);
        if (dim.isKnown())
            shape.push_back(*dim.value);
        else
            shape.push_back(!dim.symbol.empty() && bound != request.bindings.end() ? bound->second
                                                                                   : request.freeDim);
    }
    return shape;
}

Range defaultRange(const InputDomain& domain, ElementType type) {
    if (isFloating(type) && domain.kind == InputDomain::Kind::any) return {};
    // Without a known end a small one: the first elements are the ones that most likely exist.
    constexpr std::int64_t kFewElements = 1;
    const std::int64_t low = domain.lowest.value_or(0);
    return {static_cast<double>(low), static_cast<double>(domain.highest.value_or(low + kFewElements))};
}

/// Random numbers in a range; each input has a stream of its own, so that naming one leaves the others as
/// they were.
Result<TensorData> randomTensor(const Model& model, ValueId input, Shape shape, const Range& range,
                                std::uint64_t seed, MemoryPool& pool) {
    const ElementType type = model.declaredType(input).element;
    TensorData tensor = TRY(TensorData::make(pool, type, std::move(shape)));
    RandomStream random(mixSeed(seed, input.index));
    if (tensor.isString()) {
        for (std::string& text : tensor.strings())
            text = "s" + std::to_string(random.next() % 100);
        return tensor;
    }
    if (computeTypeOf(type) == ComputeType::none)
        return missingHere(formatMessage("exec.no-element-type", {elementTypeName(type)}),
                           valueText(model, input));
    std::vector<double> numbers(static_cast<std::size_t>(tensor.count()));
    const bool isWhole = !isFloating(type);
    for (double& number : numbers) {
        const double width = range.high - range.low + (isWhole ? 1 : 0);
        number = range.low + width * random.uniform();
        if (isWhole) number = std::min(std::floor(number), range.high);
    }
    writeAll(tensor, numbers);
    return tensor;
}

Error unknownInput(const Model& model, const std::string& name) {
    std::vector<std::string> names;
    for (const ValueId input : model.graphInputs(model.mainGraph()))
        names.emplace_back(model.name(input));
    std::string near;
    for (const std::string& candidate : nearestNames(name, names))
        near += (near.empty() ? "" : ", ") + candidate;
    return usageError(
        formatMessage(near.empty() ? "exec.unknown-input" : "exec.unknown-input-near", {name, near}));
}

} // namespace

Result<std::vector<RuntimeValue>> makeInputs(const Model& model, const std::vector<InputDomain>& domains,
                                             const InputRequest& request, MemoryPool& pool) {
    const auto inputs = model.graphInputs(model.mainGraph());
    std::map<std::string, std::string> named(request.named.begin(), request.named.end());
    const bool readsFolder = !request.folder.empty();
    const auto files =
        readsFolder ? numberedFiles(request.folder, "input_") : std::vector<std::filesystem::path>();
    std::vector<RuntimeValue> values;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const auto given = named.find(std::string(model.name(inputs[i])));
        const Type& type = model.declaredType(inputs[i]);
        std::optional<Range> range;
        if (given != named.end()) {
            range = rangeOf(given->second);
            const std::string file = given->second;
            named.erase(given);
            if (!range) {
                values.push_back(TRY(readValueFile(file, type, pool)));
                continue;
            }
        } else if (i < files.size()) {
            values.push_back(TRY(readValueFile(files[i], type, pool)));
            continue;
        } else if (model.isInitializer(inputs[i])) {
            values.emplace_back();
            continue;
        } else if (readsFolder) {
            return usageError(
                formatMessage("exec.folder-without-input", {request.folder.string(), std::to_string(i)}),
                valueText(model, inputs[i]));
        }
        Shape shape = TRY(shapeFor(model, inputs[i], request));
        const Range bounds = range.value_or(defaultRange(domains[i], type.element));
        values.push_back(TRY(randomTensor(model, inputs[i], std::move(shape), bounds, request.seed, pool)));
    }
    if (!named.empty()) return unknownInput(model, named.begin()->first);
    return values;
}

} // namespace secateur
