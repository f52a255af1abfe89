// SPDX-License-Identifier: Apache-2.0
#include "core/exec/input_values.h"

#include "core/exec/cells.h"
#include "core/exec/input_choices.h"
#include "core/exec/random.h"
#include "core/exec/test_folder.h"
#include "core/exec/value_file.h"
#include "core/ir/dim_names.h"
#include "core/messages/messages.h"
#include "core/support/file_names.h"
#include "core/support/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <span>

namespace secateur {
namespace {

/// Bounds of random numbers, both included for integers.
struct Range {
    double low = -1, high = 1;
};

/// "lo:hi", or one number for both; none where the text is neither.
std::optional<Range> rangeOf(std::string_view text) {
    Range range;
    const auto read = [](std::string_view part, double& number) {
        const auto [end, failed] = std::from_chars(part.data(), part.data() + part.size(), number);
        return failed == std::errc() && end == part.data() + part.size();
    };
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) {
        if (!read(text, range.low)) return std::nullopt;
        range.high = range.low;
        return range;
    }
    if (!read(text.substr(0, colon), range.low) || !read(text.substr(colon + 1), range.high))
        return std::nullopt;
    return range;
}

/// Some exporters write -1 for a free dimension.
bool isFree(const Dim& dim) {
    return !dim.isKnown() || *dim.value < 0;
}

/// The sizes of free dimensions by their names: those of batches, where the request has one, and what it
/// binds.
std::map<std::string, std::int64_t> sizesOf(const Model& model, const InputRequest& request) {
    std::map<std::string, std::int64_t> sizes = request.bindings;
    if (request.batch <= 0) return sizes;
    for (const ValueId input : model.graphInputs(model.mainGraph())) {
        const Type& type = model.declaredType(input);
        if (type.dims.empty() || !isFree(type.dims.front())) continue;
        sizes.emplace(dimensionName(model, input, 0), request.batch); // what is bound stays
    }
    return sizes;
}

/// The shape to be made for a declared type, free dimensions bound.
Result<Shape> shapeFor(const Model& model, ValueId input, const InputRequest& request,
                       const std::map<std::string, std::int64_t>& sizes) {
    const Type& type = model.declaredType(input);
    if (!type.isTensor() || !type.hasShape)
        return usageError(formatMessage("exec.input-without-shape", {type.text()}), valueText(model, input));
    Shape shape;
    for (std::size_t axis = 0; axis < type.dims.size(); ++axis) {
        if (!isFree(type.dims[axis])) {
            shape.push_back(*type.dims[axis].value);
            continue;
        }
        if (type.dims[axis].value.value_or(-1) < -1)
            return invalidInput(formatMessage("exec.negative-size",
                                              {std::to_string(axis), std::to_string(*type.dims[axis].value)}),
                                valueText(model, input));
        const auto bound = sizes.find(dimensionName(model, input, axis));
        shape.push_back(bound != sizes.end() ? bound->second : request.freeDim);
    }
    return shape;
}

Range defaultRange(const InputDomain& domain, ElementType type, bool isWide) {
    constexpr Range kPicture{0, 255};
    if (isFloating(type) && domain.kind == InputDomain::Kind::any) return isWide ? kPicture : Range();
    constexpr Range kNearOne{0.5, 1.5}; // no factor that grows or shrinks from layer to layer
    if (domain.kind == InputDomain::Kind::positive) return isFloating(type) ? kNearOne : Range{1, 2};
    // Without a known end a small one: the first elements are the ones that most likely exist.
    constexpr std::int64_t kFewElements = 1;
    const std::int64_t low = domain.lowest.value_or(0);
    return {static_cast<double>(low), static_cast<double>(domain.highest.value_or(low + kFewElements))};
}

/// Random numbers in a range; each input has a stream of its own, so that naming one leaves the others as
/// they were. Some elements take the numbers of `mixedIn`.
Result<TensorData> randomTensor(const Model& model, ValueId input, Shape shape, const Range& range,
                                std::uint64_t seed, MemoryPool& pool, std::span<const double> mixedIn = {}) {
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
    const bool isWhole = !isFloating(type);
    const double low = isWhole ? std::ceil(range.low) : range.low;
    const double width = (isWhole ? std::floor(range.high) : range.high) - low + (isWhole ? 1 : 0);
    const CellWriter<double> write = cellWriter<double>(type);
    constexpr std::uint64_t kMixed = 4; // one of so many
    std::array<double, kBlockCells> block{};
    for (std::uint64_t at = 0; at < tensor.count(); at += block.size()) {
        const auto count =
            static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), tensor.count() - at));
        for (std::size_t i = 0; i < count; ++i) {
            const double number = low + width * random.uniform();
            block[i] = isWhole ? std::min(std::floor(number), std::floor(range.high)) : number;
            const std::uint64_t place = at + i;
            if (!mixedIn.empty() && place % kMixed == kMixed - 1)
                block[i] = mixedIn[place / kMixed % mixedIn.size()];
        }
        write(block.data(), count, tensor.data(), static_cast<std::int64_t>(at));
    }
    return tensor;
}

/// The file of each input of the main graph; an empty path where there is none. Files are numbered over the
/// inputs that a caller must give, or over all inputs where there are more files than those: old models list
/// initializers as inputs, too.
Result<std::vector<std::filesystem::path>> filesOf(const Model& model, const std::filesystem::path& folder) {
    const auto inputs = model.graphInputs(model.mainGraph());
    std::vector<std::filesystem::path> files(inputs.size());
    if (folder.empty()) return files;
    std::vector<std::size_t> given;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (!model.isInitializer(inputs[i])) given.push_back(i);
    const auto numbered = numberedFiles(folder, "input_");
    if (numbered.size() > inputs.size())
        return usageError(
            formatMessage("exec.surplus-inputs", {folder.string(), std::to_string(inputs.size())}));
    const bool countsAll = numbered.size() > given.size();
    for (std::size_t number = 0; number < numbered.size(); ++number)
        files[countsAll ? number : given[number]] = numbered[number];
    return files;
}

/// "NAME" and "REST" of one request. Where the model has no input of that name, the first `=` may have been
/// part of a longer one.
std::pair<std::string, std::string> resolved(const Model& model,
                                             const std::pair<std::string, std::string>& named) {
    const std::string whole = named.first + "=" + named.second;
    for (std::size_t equal = whole.find('='); equal != std::string::npos;
         equal = whole.find('=', equal + 1)) {
        const std::string_view name = std::string_view(whole).substr(0, equal);
        for (const ValueId input : model.graphInputs(model.mainGraph()))
            if (model.name(input) == name) return {std::string(name), whole.substr(equal + 1)};
    }
    return named;
}

/// The largest number of a floating point type: beyond it they become infinities.
double largestFinite(ElementType type) {
    switch (type) {
    case ElementType::float64: return std::numeric_limits<double>::max();
    case ElementType::float32: return static_cast<double>(std::numeric_limits<float>::max());
    default: break;
    }
    // Of the narrow ones the reader of cells knows it: the largest finite number of all their cells.
    const CellReader<double> read = cellReader<double>(type);
    double largest = 0;
    for (unsigned bits = 0; bits < 1U << 16U && read != nullptr; ++bits) {
        std::byte cell[sizeof bits];
        std::memcpy(cell, &bits, sizeof bits);
        double number = 0;
        read(cell, 0, 1, 1, &number);
        if (std::isfinite(number)) largest = std::max(largest, number);
        if (cellBytes(type) == 1 && bits == 0xFFU) break;
    }
    return largest;
}

/// Can a range be drawn from for this type? Both ends finite and in order, whole numbers between them for
/// integers, within what the type holds.
Result<void> checkRange(const Model& model, ValueId input, const Range& range) {
    const ElementType type = model.declaredType(input).element;
    const auto refuse = [&] {
        return usageError(formatMessage("exec.bad-range", {elementTypeName(type)}), valueText(model, input));
    };
    const double width = range.high - range.low;
    if (!std::isfinite(width) || width < 0) return refuse();
    if (isFloating(type)) {
        const double most = largestFinite(type);
        return range.low < -most || range.high > most ? refuse() : Result<void>();
    }
    if (computeTypeOf(type) == ComputeType::none) return {};
    // Beyond 2^53 not every whole number is a double.
    constexpr double kExact = 9007199254740992.0;
    const unsigned bits = std::min(elementBits(type), 53U);
    const bool isUnsigned = computeTypeOf(type) == ComputeType::u64;
    const double most = type == ElementType::boolean ? 1
                        : isUnsigned                 ? std::min(std::exp2(bits) - 1, kExact)
                                                     : std::min(std::exp2(bits - 1) - 1, kExact);
    const double least = isUnsigned ? 0 : -most - 1;
    if (range.low < least || range.high > most || std::ceil(range.low) > range.high) return refuse();
    return {};
}

/// Writes a text over all elements of a tensor that was just made.
Result<void> fillText(RuntimeValue& value, const std::string& text) {
    TensorData filled = *value.tensor();
    TRY(filled.countText(filled.count() * textBytes(text)));
    std::fill(filled.strings().begin(), filled.strings().end(), text);
    return {};
}

/// A binding that no free dimension of an input takes is a mistake.
Result<void> checkBindings(const Model& model, const InputRequest& request) {
    std::vector<std::string> symbols;
    for (const ValueId input : model.graphInputs(model.mainGraph())) {
        const auto& dims = model.declaredType(input).dims;
        for (std::size_t axis = 0; axis < dims.size(); ++axis) {
            if (!isFree(dims[axis])) continue;
            std::string name = dimensionName(model, input, axis);
            if (std::find(symbols.begin(), symbols.end(), name) == symbols.end())
                symbols.push_back(std::move(name));
        }
    }
    constexpr std::size_t kMostNames = 5;
    for (const auto& [name, size] : request.bindings) {
        if (std::find(symbols.begin(), symbols.end(), name) != symbols.end()) continue;
        if (symbols.empty()) return usageError(formatMessage("exec.no-free-dimension", {name}));
        auto near = nearestNames(name, symbols);
        return usageError(
            near.empty() ? formatMessage("exec.unknown-dimension", {name, quotedList(symbols, kMostNames)})
                         : formatMessage("exec.unknown-dimension-near", {name, quotedList(near)}));
    }
    return {};
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

/// Where the value of one input comes from.
struct Source {
    std::filesystem::path file; ///< with a range: the file says the shape alone
    std::optional<Range> range;
    std::optional<std::string> text; ///< of all elements, where these are strings
};

/// What names an input of strings is their text, unless it ends as files of values do.
bool isText(const Model& model, ValueId input, const std::string& source) {
    const std::string ending = endingOf(source);
    return model.declaredType(input).element == ElementType::string && ending != ".npy" && ending != ".pb";
}

/// By position of the inputs. Neither file nor range: random, or the initializer.
Result<std::vector<Source>> sourcesOf(const Model& model, const InputRequest& request) {
    std::map<std::string, std::string> named;
    for (const auto& one : request.named) {
        if (!named.insert(resolved(model, one)).second)
            return usageError(formatMessage("exec.input-twice", {resolved(model, one).first}));
    }
    const auto inputs = model.graphInputs(model.mainGraph());
    std::vector<Source> sources;
    auto files = TRY(filesOf(model, request.folder));
    for (std::filesystem::path& file : files)
        sources.push_back({std::move(file), {}, {}});
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        Source& source = sources[i];
        if (const auto given = named.find(std::string(model.name(inputs[i]))); given != named.end()) {
            if (isText(model, inputs[i], given->second))
                source.text = given->second;
            else
                source.range = rangeOf(given->second);
            if (source.text)
                source.file.clear();
            else if (source.range)
                TRY(checkRange(model, inputs[i], *source.range));
            else
                source.file = given->second;
            named.erase(given);
        } else if (source.file.empty() && !request.folder.empty() && !model.isInitializer(inputs[i])) {
            return usageError(formatMessage("exec.folder-without-input", {request.folder.string()}),
                              valueText(model, inputs[i]));
        }
    }
    if (!named.empty()) return unknownInput(model, named.begin()->first);
    return sources;
}

/// The sizes that a tensor gives to free dimensions of an input. They may not contradict what is bound.
Result<void> addSizes(const Model& model, ValueId input, const RuntimeValue& value,
                      const InputRequest& request, std::map<std::string, std::int64_t>& sizes) {
    const TensorData* tensor = value.tensor();
    const auto& dims = model.declaredType(input).dims;
    if (tensor == nullptr || tensor->rank() != dims.size()) return {};
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
        if (!isFree(dims[axis])) continue;
        const std::string name = dimensionName(model, input, axis);
        const std::int64_t size = tensor->shape()[axis];
        const auto bound = request.bindings.find(name);
        if (bound != request.bindings.end() && bound->second != size)
            return usageError(formatMessage("exec.binding-contradicted",
                                            {name, std::to_string(bound->second), std::to_string(size)}),
                              valueText(model, input));
        sizes.insert_or_assign(name, size);
    }
    return {};
}

/// Something is made, or read, that has each dimension that is bound.
Result<void> checkBindingsUsed(const Model& model, const InputRequest& request,
                               const std::vector<RuntimeValue>& values) {
    for (const auto& [name, size] : request.bindings) {
        bool isUsed = false;
        std::size_t position = 0;
        for (const ValueId input : model.graphInputs(model.mainGraph())) {
            const bool isGiven = !values[position++].isAbsent();
            const auto& dims = model.declaredType(input).dims;
            for (std::size_t axis = 0; axis < dims.size() && isGiven; ++axis)
                isUsed = isUsed || (isFree(dims[axis]) && dimensionName(model, input, axis) == name);
        }
        if (!isUsed) return usageError(formatMessage("exec.binding-unused", {name}));
    }
    return {};
}

} // namespace

std::string dimensionName(const Model& model, ValueId input, std::size_t axis) {
    const std::string& symbol = model.declaredType(input).dims[axis].symbol;
    return isNamedDim(symbol) ? symbol : std::string(model.name(input)) + "." + std::to_string(axis);
}

std::vector<std::string> guessedDimensions(const Model& model, const InputRequest& request) {
    std::vector<std::string> guessed;
    if (!request.folder.empty()) return guessed;
    std::vector<std::string> fromFiles;
    for (const auto& one : request.named) {
        const auto [name, source] = resolved(model, one);
        if (!rangeOf(source)) fromFiles.push_back(name);
    }
    for (const ValueId input : model.graphInputs(model.mainGraph())) {
        if (model.isInitializer(input)) continue;
        if (std::find(fromFiles.begin(), fromFiles.end(), model.name(input)) != fromFiles.end()) continue;
        const auto& dims = model.declaredType(input).dims;
        for (std::size_t axis = 0; axis < dims.size(); ++axis) {
            if (!isFree(dims[axis])) continue;
            std::string name = dimensionName(model, input, axis);
            const bool isKnown = request.bindings.contains(name) ||
                                 std::find(guessed.begin(), guessed.end(), name) != guessed.end();
            if (!isKnown) guessed.push_back(std::move(name));
        }
    }
    return guessed;
}

Error withGuesses(Error error, const std::vector<std::string>& dimensions,
                  const std::function<std::optional<Error>(std::int64_t)>& other) {
    if (dimensions.empty() || error.code != ErrorCode::invalidInput) return error;
    constexpr std::int64_t kOtherSize = 7; // no divisor of what models are made for
    const std::optional<Error> there = other(kOtherSize);
    if (there && there->message == error.message && there->where == error.where) return error;
    constexpr std::size_t kMostNames = 5;
    error.code = ErrorCode::usage;
    error.message = formatMessage("exec.guessed-dimensions",
                                  {error.message, quotedList(dimensions, kMostNames), dimensions.front()});
    return error;
}

bool isRange(std::string_view source) {
    return rangeOf(source).has_value();
}

std::vector<bool> namedInputs(const Model& model, const InputRequest& request) {
    std::vector<bool> isNamed;
    for (const ValueId input : model.graphInputs(model.mainGraph()))
        isNamed.push_back(std::any_of(request.named.begin(), request.named.end(), [&](const auto& named) {
            return resolved(model, named).first == model.name(input);
        }));
    return isNamed;
}

bool hasFreeBatch(const Model& model, const InputRequest& request) {
    const std::vector<bool> isNamed = namedInputs(model, request);
    std::size_t position = 0;
    for (const ValueId input : model.graphInputs(model.mainGraph())) {
        const std::size_t i = position++;
        const Type& type = model.declaredType(input);
        if (!type.isTensor() || !type.hasShape || type.dims.empty() || model.isInitializer(input)) continue;
        if (!isFree(type.dims.front()) || request.bindings.contains(dimensionName(model, input, 0))) continue;
        const bool isFile =
            isNamed[i] && std::any_of(request.named.begin(), request.named.end(), [&](const auto& named) {
                const auto [name, source] = resolved(model, named);
                return name == model.name(input) && !isRange(source);
            });
        if (!isFile) return true;
    }
    return false;
}

Result<std::map<std::string, std::int64_t>> sizesOfFiles(const Model& model, const InputRequest& request,
                                                         MemoryPool& pool) {
    InputRequest unbound = request;
    unbound.bindings.clear();
    std::map<std::string, std::int64_t> sizes;
    const auto inputs = model.graphInputs(model.mainGraph());
    const std::vector<Source> sources = TRY(sourcesOf(model, request));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (sources[i].file.empty()) continue;
        const RuntimeValue value = TRY(readValueFile(sources[i].file, model.declaredType(inputs[i]), pool));
        TRY(addSizes(model, inputs[i], value, unbound, sizes));
    }
    return sizes;
}

Result<std::vector<RuntimeValue>> makeInputs(const Model& model, const std::vector<InputDomain>& domains,
                                             const InputRequest& request, MemoryPool& pool) {
    const auto inputs = model.graphInputs(model.mainGraph());
    const std::vector<Source> sources = TRY(sourcesOf(model, request));
    TRY(checkBindings(model, request));
    auto sizes = sizesOf(model, request);
    const auto choices = choicesOf(model, domains, request);
    std::vector<RuntimeValue> values(inputs.size());
    // Files first: what they say of a dimension holds for the inputs that are made.
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (sources[i].file.empty()) continue;
        values[i] = TRY(readValueFile(sources[i].file, model.declaredType(inputs[i]), pool));
        TRY(addSizes(model, inputs[i], values[i], request, sizes));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const std::optional<Range>& range = sources[i].range;
        const bool isReplaced = range && values[i].tensor() != nullptr;
        if (!range && (!sources[i].file.empty() || model.isInitializer(inputs[i]))) continue;
        Shape shape =
            isReplaced ? values[i].tensor()->shape() : TRY(shapeFor(model, inputs[i], request, sizes));
        const ElementType type = model.declaredType(inputs[i]).element;
        Range bounds = range.value_or(defaultRange(domains[i], type, request.hasWideFloats));
        if (choices[i] && elementCountOf(shape) == 1U) bounds = {*choices[i], *choices[i]};
        // Numbers that whole ones are compared with stand among the others.
        std::span<const double> mixedIn;
        if (!range && !isFloating(type) && domains[i].kind != InputDomain::Kind::flag &&
            elementCountOf(shape) != 1U)
            mixedIn = domains[i].choices;
        values[i] =
            TRY(randomTensor(model, inputs[i], std::move(shape), bounds, request.seed, pool, mixedIn));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (sources[i].text) TRY(fillText(values[i], *sources[i].text));
    TRY(checkBindingsUsed(model, request, values));
    return values;
}

} // namespace secateur
