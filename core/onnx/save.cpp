// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/save.h"

#include "core/ir/walk.h"
#include "core/messages/sentences.h"
#include "core/onnx/external_data.h"
#include "core/onnx/external_plan.h"
#include "core/onnx/load.h"
#include "core/onnx/model_writer.h"
#include "core/support/atomic_file.h"
#include "core/support/mapped_file.h"
#include "core/support/text.h"

#include <algorithm>
#include <system_error>
#include <vector>

namespace secateur {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kLargestMessage = 0x7fffffff; // protobuf reads no message of 2 GiB and more
constexpr std::size_t kStep = 16 * 1024 * 1024;       // bytes between two looks at the cancel token

/// The name of an output is that of the value that fills it; a file has no other way to say it.
Result<void> checkOutputNames(const Model& model) {
    for (const GraphId graph : allGraphs(model)) {
        const auto values = model.graphOutputs(graph);
        const auto& slots = *model.graph(graph).outputs;
        for (std::size_t i = 0; i < slots.size(); ++i) {
            if (values[i].isNone() || model.value(values[i]).name == slots[i].name) continue;
            const std::string output(model.text(slots[i].name)), value(model.name(values[i]));
            return Error{ErrorCode::verification,
                         formatMessage("save.output-name", {output, model.graph(graph).header->name, value}),
                         {}};
        }
    }
    return {};
}

void count(const Model& model, wire::Writer& writer, const ExternalPlan& plan) {
    ModelWriter(model, writer, plan).write();
}

/// Writes what was counted with `writer`, cancellable between pieces.
Result<void> writeCounted(const Model& model, wire::Writer& writer, const ExternalPlan& plan,
                          AtomicFile& file, const WorkContext& work) {
    const std::uint64_t total = writer.size();
    writer.beginWriting([&](std::string_view bytes) -> Result<void> {
        if (work.isCancelled()) return cancelled();
        work.report("progress.writing", file.size(), total);
        return file.write(bytes);
    });
    ModelWriter(model, writer, plan).write();
    return writer.finish();
}

/// The elements of one tensor. A splat is never made in memory.
Result<void> writeElements(const Tensor& tensor, AtomicFile& file, const WorkContext& work) {
    if (tensor.encoding == Tensor::Encoding::splat && tensor.payload.size != 0) {
        std::vector<std::byte> block;
        while (block.size() < 64 * 1024)
            block.insert(block.end(), tensor.payload.data, tensor.payload.data + tensor.payload.size);
        for (std::uint64_t left = tensor.byteSize().value_or(0); left > 0;) {
            if (work.isCancelled()) return cancelled();
            const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, block.size()));
            TRY(file.write(std::span(block.data(), count)));
            left -= count;
        }
        return {};
    }
    const auto bytes = rawBytes(tensor);
    if (!bytes) return invalidInput(formatMessage("save.damaged-tensor", {}));
    for (std::size_t at = 0; at < bytes->size; at += kStep) {
        if (work.isCancelled()) return cancelled();
        TRY(file.write(std::span(bytes->data + at, std::min(kStep, bytes->size - at))));
    }
    return {};
}

Result<void> writeSegments(const ExternalPlanner& planner, AtomicFile& file, const WorkContext& work) {
    static constexpr std::string_view kZeros("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
    const std::uint64_t total = planner.segments().empty() ? 0 : planner.segments().back().offset;
    for (const auto& segment : planner.segments()) {
        while (file.size() < segment.offset) {
            TRY(file.write(
                kZeros.substr(0, std::min<std::size_t>(kZeros.size(), segment.offset - file.size()))));
        }
        work.report("progress.writing-data", file.size(), std::max(total, file.size()));
        TRY(writeElements(*segment.tensor, file, work));
    }
    return {};
}

/// Both files are complete before the first takes its name.
Result<void> commitBoth(AtomicFile& data, const fs::path& dataPath, AtomicFile& model) {
    std::error_code ignored;
    const bool wasThere = fs::exists(dataPath, ignored);
    TRY(data.commit());
    Result<void> done = model.commit();
    if (!done && !wasThere) fs::remove(dataPath, ignored);
    return done;
}

/// Does the model file at `path` keep tensors in the file `data` beside it?
bool keepsTensorsIn(const fs::path& path, const fs::path& data) {
    std::error_code none;
    if (!fs::is_regular_file(path, none)) return false;
    const auto loaded = loadModel(path);
    if (!loaded) return false;
    const Model& model = loaded->model;
    for (std::size_t i = 0; i < model.valueIdCount(); ++i) {
        const TensorPtr& tensor = model.value(ValueId(i)).tensor;
        if (!tensor || tensor->encoding != Tensor::Encoding::external) continue;
        const std::string* location = externalEntry(*tensor, "location");
        if (location && (path.parent_path() / *location).lexically_normal() == data.lexically_normal())
            return true;
    }
    return false;
}

/// A file with the name that the data of `path` get is only replaced together with the model that it belongs
/// to: of another model's weights nobody spoke.
Result<void> checkDataIsOurs(const fs::path& path, const fs::path& data) {
    std::error_code none;
    if (!fs::exists(fs::symlink_status(data, none)) || keepsTensorsIn(path, data)) return {};
    return usageError(formatMessage("save.data-taken", {path.filename().string()}), data.string());
}

} // namespace

Result<void> checkHoldsNoWeights(const Model& model, const fs::path& target) {
    std::error_code none;
    if (!fs::exists(target, none)) return {};
    const void* last = nullptr; // most tensors share one file
    for (std::size_t i = 0; i < model.valueIdCount(); ++i) {
        const TensorPtr& tensor = model.value(ValueId(i)).tensor;
        if (!tensor || tensor->encoding != Tensor::Encoding::external || tensor->payload.owner.get() == last)
            continue;
        last = tensor->payload.owner.get();
        if (last == nullptr) continue;
        const auto& file = *static_cast<const MappedFile*>(last);
        if (!fs::equivalent(file.path(), target, none)) continue;
        return usageError(formatMessage("save.holds-weights", {}), target.string());
    }
    return {};
}

Result<std::string> serializeModel(const Model& model) {
    TRY(checkOutputNames(model));
    const ExternalPlan nothing;
    wire::Writer writer;
    count(model, writer, nothing);
    std::string out;
    out.reserve(writer.size());
    writer.beginWriting([&](std::string_view bytes) -> Result<void> {
        out += bytes;
        return {};
    });
    ModelWriter(model, writer, nothing).write();
    TRY(writer.finish());
    return out;
}

Result<std::uint64_t> serializedSize(const Model& model) {
    const ExternalPlan nothing;
    wire::Writer writer;
    count(model, writer, nothing);
    return writer.size();
}

Result<void> saveModel(const Model& model, const fs::path& path, const WorkContext& work,
                       const SaveOptions& options) {
    TRY(checkOutputNames(model));
    TRY(checkHoldsNoWeights(model, path));
    ExternalPlanner planner(model, path);
    TRY(planner.make(false));
    wire::Writer writer;
    count(model, writer, planner.plan());
    if (writer.size() > std::min(options.largestFile, kLargestMessage)) {
        TRY(planner.make(true));
        writer = {};
        count(model, writer, planner.plan());
    }
    if (writer.size() > kLargestMessage) {
        return invalidInput(formatMessage("save.too-large", {formatBytes(writer.size())}), path.string());
    }
    AtomicFile file = TRY(AtomicFile::create(path));
    if (planner.segments().empty()) {
        TRY(writeCounted(model, writer, planner.plan(), file, work));
        return file.commit();
    }
    TRY(checkHoldsNoWeights(model, planner.dataPath()));
    TRY(checkDataIsOurs(path, planner.dataPath()));
    AtomicFile data = TRY(AtomicFile::create(planner.dataPath()));
    TRY(writeSegments(planner, data, work));
    TRY(writeCounted(model, writer, planner.plan(), file, work));
    return commitBoth(data, planner.dataPath(), file);
}

} // namespace secateur
