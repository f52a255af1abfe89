// SPDX-License-Identifier: Apache-2.0
//
// Real models with stored inputs and outputs, and what is exact enough.
#pragma once

#include "core/exec/backend.h"
#include "core/exec/compare.h"
#include "core/exec/test_folder.h"
#include "core/exec/value_file.h"
#include "core/onnx/load.h"
#include "tests/support/double_model.h"
#include "tests/support/models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace secateur::testing {

inline constexpr Tolerance kTolerance{1e-4, 1e-5};

/// A real model with what is stored beside it: inputs, and what ONNX Runtime gives without optimizations.
struct StoredModel {
    std::string name;
    std::unique_ptr<LoadedModel> loaded;
    std::vector<RuntimeValue> inputs, expected;

    explicit StoredModel(const std::filesystem::path& folder) : name(folder.filename().string()) {
        static MemoryPool pool;
        auto opened = loadModel(folder / "model.onnx");
        if (!opened) throw std::runtime_error(opened.error().toString());
        loaded = std::make_unique<LoadedModel>(std::move(*opened));
        const auto read = [&](const char* prefix, std::vector<Type> types) {
            std::vector<RuntimeValue> values;
            const auto files = numberedFiles(folder / "test_data_set_0", prefix);
            for (std::size_t i = 0; i < files.size(); ++i)
                values.push_back(readValueFile(files[i], i < types.size() ? types[i] : Type{}, pool).take());
            return values;
        };
        std::vector<Type> inputTypes, outputTypes;
        for (const ValueId input : model().graphInputs(model().mainGraph()))
            if (!model().isInitializer(input)) inputTypes.push_back(model().declaredType(input));
        for (const OutputSlot& output : *model().graph(model().mainGraph()).outputs)
            outputTypes.push_back(output.info ? output.info->type : Type{});
        std::vector<RuntimeValue> given = read("input_", inputTypes);
        std::size_t next = 0;
        for (const ValueId input : model().graphInputs(model().mainGraph()))
            inputs.push_back(model().isInitializer(input) || next >= given.size() ? RuntimeValue()
                                                                                  : given[next++]);
        expected = read("output_", outputTypes);
    }
    [[nodiscard]] const Model& model() const { return loaded->model; }
};

inline std::vector<std::filesystem::path> inferenceFolders() {
    std::vector<std::filesystem::path> folders;
    for (const std::filesystem::path& file : filesBelow(modelsFolder() / "inference", ".onnx"))
        if (file.filename() == "model.onnx") folders.push_back(file.parent_path());
    return folders;
}

/// Of the worst output: how far `values` lie from those expected.
inline ValueDifference farthest(const std::vector<RuntimeValue>& values,
                                const std::vector<RuntimeValue>& expected) {
    ValueDifference worst;
    EXPECT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < std::min(values.size(), expected.size()); ++i) {
        const ValueDifference found = compareValues(values[i], expected[i], kTolerance);
        EXPECT_TRUE(found.fits) << "output " << i << ": " << found.misfit;
        joinWorse(worst, found);
    }
    return worst;
}

/// Within kTolerance of what ONNX Runtime gives without optimizations; where that is not so (what is
/// quantized on the way may be rounded to the other side), at least no farther than ONNX Runtime is from what
/// the same model gives in double precision.
inline void expectAsExactAsOnnxRuntime(const StoredModel& stored, const std::vector<RuntimeValue>& outputs) {
    const ValueDifference found = farthest(outputs, stored.expected);
    if (found.isWithin) return;
    std::vector<RuntimeValue> inputs;
    for (const RuntimeValue& input : stored.inputs)
        inputs.push_back(asDouble(input));
    const Model wide = asDouble(stored.model());
    const auto backend = Backend::open(wide, {}, Device::reference, {});
    ASSERT_TRUE(backend.ok()) << stored.name << ": " << backend.error().toString();
    const auto truth = (*backend)->run({inputs}, {});
    ASSERT_TRUE(truth.ok()) << stored.name << ": " << truth.error().toString();
    std::vector<RuntimeValue> rounded;
    for (const RuntimeValue& value : truth->front().outputs)
        rounded.push_back(asFloat(value));
    const double ours = farthest(outputs, rounded).maxAbsolute;
    const double theirs = farthest(stored.expected, rounded).maxAbsolute;
    EXPECT_LE(ours, theirs) << stored.name << ": off by " << found.maxAbsolute << " from ONNX Runtime";
    std::cout << stored.name << ": " << ours << " from double precision, ONNX Runtime " << theirs << "\n";
}

} // namespace secateur::testing
