// SPDX-License-Identifier: Apache-2.0
#include "core/exec/value_file.h"

#include "core/exec/npy_format.h"
#include "core/messages/sentences.h"
#include "core/onnx/value_message.h"
#include "core/support/atomic_file.h"
#include "core/support/file_names.h"
#include "core/support/mapped_file.h"

namespace secateur {
namespace {

/// The contents of a message read from a file as a value to run with.
Result<RuntimeValue> fromMessage(const ValueMessage& message, MemoryPool& pool) {
    switch (message.kind) {
    case ValueMessage::Kind::tensor: return RuntimeValue(TRY(TensorData::from(pool, *message.tensor)));
    case ValueMessage::Kind::sequence: {
        auto sequence = std::make_shared<SequenceData>();
        sequence->element = message.element;
        for (const ValueMessage& item : message.items)
            sequence->items.push_back(TRY(fromMessage(item, pool)));
        return RuntimeValue(std::shared_ptr<const SequenceData>(std::move(sequence)));
    }
    case ValueMessage::Kind::optional: {
        auto optional = std::make_shared<OptionalData>();
        if (!message.items.empty()) optional->value = TRY(fromMessage(message.items.front(), pool));
        return RuntimeValue(std::shared_ptr<const OptionalData>(std::move(optional)));
    }
    }
    return RuntimeValue();
}

ValueMessage toMessage(const RuntimeValue& value) {
    ValueMessage message;
    if (const TensorData* tensor = value.tensor()) {
        message.kind = ValueMessage::Kind::tensor;
        message.tensor = tensor->toTensor();
    } else if (const SequenceData* sequence = value.sequence()) {
        message.kind = ValueMessage::Kind::sequence;
        message.element = sequence->element;
        for (const RuntimeValue& item : sequence->items)
            message.items.push_back(toMessage(item));
    } else if (const OptionalData* optional = value.optional()) {
        message.kind = ValueMessage::Kind::optional;
        if (!optional->value.isAbsent()) message.items.push_back(toMessage(optional->value));
    }
    return message;
}

} // namespace

Result<RuntimeValue> readValueFile(const std::filesystem::path& path, const Type& expected,
                                   MemoryPool& pool) {
    const auto file = TRY(MappedFile::open(path));
    const auto bytes = TRY(file->range(0, file->size()));
    if (endingOf(path) == ".npy") return RuntimeValue(TRY(readNpy(bytes, path.string(), pool)));
    const ByteRef ref{file, bytes.data(), bytes.size()};
    const auto message = readValueMessage(ref, expected);
    if (!message)
        return invalidInput(formatMessage("exec.value-file-damaged", {expected.text()}), path.string());
    auto value = fromMessage(*message, pool);
    if (!value) return Error{value.error().code, value.error().message, path.string()};
    return value;
}

Result<void> writeValueFile(const std::filesystem::path& path, const RuntimeValue& value,
                            std::string_view name) {
    std::vector<std::byte> bytes;
    if (endingOf(path) == ".npy") {
        if (value.tensor() == nullptr)
            return usageError(formatMessage("exec.npy-no-type", {value.text()}), path.string());
        bytes = TRY(writeNpy(*value.tensor()));
    } else {
        bytes = writeValueMessage(toMessage(value), name);
    }
    AtomicFile file = TRY(AtomicFile::create(path));
    TRY(file.write(bytes));
    return file.commit();
}

} // namespace secateur
