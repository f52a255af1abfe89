// SPDX-License-Identifier: Apache-2.0
#include "core/exec/test_folder.h"

#include "core/exec/value_file.h"
#include "core/messages/messages.h"
#include "core/onnx/load.h"
#include "core/support/file_names.h"
#include "core/support/short_text.h"
#include "core/support/text.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <system_error>

namespace secateur {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kMostFiles = 100'000; ///< of one folder

FolderVerdict failed(std::string reason) {
    return {FolderVerdict::State::failed, std::move(reason)};
}

FolderVerdict verdictOf(const Error& error) {
    const bool isSkipped = error.code == ErrorCode::missing;
    return {isSkipped ? FolderVerdict::State::skipped : FolderVerdict::State::failed, error.toString()};
}

/// The values of one data set's files, typed as the model declares them.
Result<std::vector<RuntimeValue>> readAllValues(const fs::path& folder, std::string_view prefix,
                                                const std::vector<Type>& types, MemoryPool& pool) {
    std::vector<RuntimeValue> values;
    for (const fs::path& file : numberedFiles(folder, prefix)) {
        if (file.empty()) { // an optional input that is left out, an output that nobody looks at
            values.emplace_back();
            continue;
        }
        const Type expected = values.size() < types.size() ? types[values.size()] : Type{};
        RuntimeValue value = TRY(readValueFile(file, expected, pool));
        // ONNX's own data keep bfloat16 under the name of uint16.
        const TensorData* tensor = value.tensor();
        if (tensor != nullptr && expected.element == ElementType::bfloat16 &&
            tensor->type() == ElementType::uint16)
            value = tensor->retyped(ElementType::bfloat16);
        values.push_back(std::move(value));
    }
    return values;
}

/// The worst output of one data set in words; empty where all are within the tolerance.
std::string differenceText(const Model& model, const std::vector<RuntimeValue>& results,
                           const std::vector<RuntimeValue>& expected, const Tolerance& tolerance) {
    for (std::size_t i = 0; i < expected.size() && i < results.size(); ++i) {
        if (expected[i].isAbsent()) continue;
        const ValueDifference found = compareValues(results[i], expected[i], tolerance);
        if (found.isWithin) continue;
        const std::string name(model.text((*model.graph(model.mainGraph()).outputs)[i].name));
        if (!found.fits) return formatMessage("exec.output-misfit", {name, found.misfit});
        return formatMessage("exec.output-differs",
                             {name, found.worstText(), formatCount(found.outside),
                              formatCount(found.elements), roundedNumber(tolerance.relative),
                              roundedNumber(tolerance.absolute)});
    }
    return {};
}

/// Adds the outputs of which a set holds no results, each once.
void noteUnstored(const Model& model, const std::vector<RuntimeValue>& expected,
                  std::vector<std::string>& unstored) {
    const auto& outputs = *model.graph(model.mainGraph()).outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (i < expected.size() && !expected[i].isAbsent()) continue;
        std::string name(model.text(outputs[i].name));
        if (std::find(unstored.begin(), unstored.end(), name) == unstored.end())
            unstored.push_back(std::move(name));
    }
}

/// The inputs that the files of a set belong to. They are numbered over the inputs that a caller must give,
/// for old models list initializers as inputs, too; where there are more files, over all inputs.
std::vector<std::size_t> slotsOf(const Model& model, std::size_t files) {
    const auto parameters = model.graphInputs(model.mainGraph());
    std::vector<std::size_t> needed, all;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        all.push_back(i);
        if (!model.isInitializer(parameters[i])) needed.push_back(i);
    }
    return files > needed.size() ? all : needed;
}

} // namespace

std::vector<fs::path> numberedFiles(const fs::path& folder, std::string_view prefix) {
    std::map<unsigned, fs::path> byNumber;
    std::error_code failedListing;
    for (const auto& entry : fs::directory_iterator(folder, failedListing)) {
        const std::string stem = entry.path().stem().string();
        const std::string extension = endingOf(entry.path());
        if (!stem.starts_with(prefix) || (extension != ".pb" && extension != ".npy")) continue;
        unsigned number = 0;
        const char* begin = stem.data() + prefix.size();
        const auto [end, bad] = std::from_chars(begin, stem.data() + stem.size(), number);
        if (bad == std::errc() && end == stem.data() + stem.size()) byNumber.emplace(number, entry.path());
    }
    std::vector<fs::path> files;
    for (auto& [number, path] : byNumber) {
        if (number >= kMostFiles) break;
        files.resize(number + 1);
        files.back() = std::move(path);
    }
    return files;
}

FolderVerdict runTestFolder(const fs::path& folder, Device device, const BackendOptions& options,
                            const Tolerance& tolerance, const WorkContext& work) {
    const fs::path file = folder / "model.onnx";
    const auto loaded = loadModel(file);
    if (!loaded) return verdictOf(loaded.error());
    const Model& model = loaded->model;
    const auto backend = Backend::open(model, file, device, options);
    if (!backend) return verdictOf(backend.error());
    const auto parameters = model.graphInputs(model.mainGraph());
    std::vector<Type> outputTypes;
    for (const OutputSlot& output : *model.graph(model.mainGraph()).outputs)
        outputTypes.push_back(output.info ? output.info->type : Type{});
    std::vector<fs::path> sets;
    std::error_code failedListing;
    for (const auto& entry : fs::directory_iterator(folder, failedListing)) {
        if (entry.path().filename().string().starts_with("test_data_set_")) sets.push_back(entry.path());
    }
    std::sort(sets.begin(), sets.end());
    std::vector<std::string> unstored;
    if (sets.empty()) return failed(formatMessage("exec.no-data-set", {folder.string()}));
    for (const fs::path& set : sets) {
        MemoryPool pool(options.limits.memoryBytes);
        const std::vector<std::size_t> slots = slotsOf(model, numberedFiles(set, "input_").size());
        std::vector<Type> inputTypes;
        for (const std::size_t slot : slots)
            inputTypes.push_back(model.declaredType(parameters[slot]));
        auto inputs = readAllValues(set, "input_", inputTypes, pool);
        if (!inputs) return verdictOf(inputs.error());
        const auto expected = readAllValues(set, "output_", outputTypes, pool);
        if (!expected) return verdictOf(expected.error());
        if (inputs->size() > slots.size())
            return failed(formatMessage("exec.surplus-inputs", {set.string(), std::to_string(slots.size())}));
        if (expected->size() > outputTypes.size())
            return failed(
                formatMessage("exec.surplus-outputs", {set.string(), std::to_string(outputTypes.size())}));
        const auto isStored = [](const RuntimeValue& value) { return !value.isAbsent(); };
        if (std::none_of(expected->begin(), expected->end(), isStored))
            return failed(formatMessage("exec.no-expected-output", {set.string()}));
        noteUnstored(model, *expected, unstored);
        std::vector<RuntimeValue> given(parameters.size());
        for (std::size_t i = 0; i < slots.size() && i < inputs->size(); ++i)
            given[slots[i]] = std::move((*inputs)[i]);
        const auto runs = (*backend)->run({std::move(given)}, work);
        if (!runs) return verdictOf(runs.error());
        const std::string difference = differenceText(model, runs->front().outputs, *expected, tolerance);
        if (!difference.empty()) return failed(set.filename().string() + ": " + difference);
    }
    if (unstored.empty()) return {};
    constexpr std::size_t kMostNames = 5;
    return {FolderVerdict::State::passed,
            formatMessage("exec.outputs-unstored", {quotedList(unstored, kMostNames)})};
}

} // namespace secateur
