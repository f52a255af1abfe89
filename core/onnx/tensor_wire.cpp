// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/tensor_wire.h"

#include "core/onnx/presence.h"
#include "core/onnx/wire.h"
#include "core/onnx/wire_schema.h"

#include <algorithm>

namespace secateur {
namespace {

using wire::Field;
using wire::isLength;
using wire::isVarint;
using wire::Reader;

/// What was found of a TensorProto before it is decided which field holds the elements.
class TensorReader {
  public:
    explicit TensorReader(ByteSource& source) : m_source(source) {}

    Tensor run(std::string_view bytes) {
        Reader reader(bytes);
        for (Field field; reader.next(field);) {
            if (wire::isKnown(wire::Message::tensor, field))
                take(field);
            else
                m_rest += field.whole;
        }
        if (!m_hasType) m_tensor.presence |= presence::tensor::kTypeAbsent;
        if (m_hasName && m_tensor.name.empty()) m_tensor.presence |= presence::tensor::kNameGiven;
        chooseEncoding();
        if (!m_rest.empty()) {
            m_tensor.rest = wire::isCanonical(wire::Message::tensor, m_rest)
                                ? std::move(m_rest)
                                : wire::canonicalize(wire::Message::tensor, m_rest);
        }
        return std::move(m_tensor);
    }

  private:
    void take(const Field& field) {
        switch (field.number) {
        case 1: takeDims(field); return;
        case 2:
            m_hasType = true;
            m_tensor.type = static_cast<ElementType>(static_cast<std::int32_t>(field.value));
            return;
        case 4:
        case 5:
        case 7:
        case 10:
        case 11: m_typed.push_back(field); return;
        case 6: m_strings.push_back(field); return;
        case 8:
            m_hasName = true;
            m_tensor.name = field.payload;
            return;
        case 9:
            m_hasRaw = true;
            m_raw = field;
            return;
        case 13: m_external += field.whole; return;
        case 14:
            m_hasLocation = true;
            m_isExternal = field.value == 1;
            return;
        default: m_rest += field.whole; return; // segment, doc string, metadata
        }
    }

    void takeDims(const Field& field) {
        if (isVarint(field)) {
            m_tensor.dims.push_back(static_cast<std::int64_t>(field.value));
            return;
        }
        std::string_view left = field.payload;
        bool ignored = true;
        while (!left.empty())
            m_tensor.dims.push_back(static_cast<std::int64_t>(wire::takeVarint(left, ignored)));
    }

    /// One place of a tensor holds its elements; what the file gives besides goes to `rest`.
    void chooseEncoding() {
        const bool useRaw =
            !m_isExternal && m_hasRaw && (!m_raw.payload.empty() || (m_typed.empty() && m_strings.empty()));
        int typedField = 0;
        if (!m_isExternal && !useRaw) typedField = firstTypedField();
        const bool useStrings = !m_isExternal && !useRaw && typedField == 0 && !m_strings.empty();
        if (m_isExternal)
            takeExternal();
        else if (m_hasLocation)
            m_tensor.presence |= presence::tensor::kLocationGiven;
        if (!m_isExternal) m_rest += m_external;
        if (useRaw) {
            m_tensor.encoding = Tensor::Encoding::raw;
            m_tensor.payload = m_source.ref(m_raw.payload);
        } else if (m_hasRaw) {
            m_rest += m_raw.whole;
        }
        std::string chosen;
        for (const Field& field : m_typed) {
            if (static_cast<int>(field.number) == typedField)
                chosen += field.whole;
            else
                m_rest += field.whole;
        }
        if (typedField != 0) takeTyped(typedField, chosen);
        if (useStrings) m_tensor.encoding = Tensor::Encoding::strings;
        for (const Field& field : m_strings) {
            if (useStrings)
                m_tensor.strings.emplace_back(field.payload);
            else
                m_rest += field.whole;
        }
    }

    [[nodiscard]] int firstTypedField() const {
        for (const Field& field : m_typed) {
            if (!isLength(field) || !field.payload.empty()) return static_cast<int>(field.number);
        }
        return 0;
    }

    void takeExternal() {
        m_tensor.encoding = Tensor::Encoding::external;
        bool isPlain = true;
        m_tensor.external = readEntries(m_external, 13, isPlain);
        if (!isPlain) m_rest += m_external; // saving prefers it as long as it says the same
    }

    /// Usually one packed field, which stays in the file. Else it is put together.
    void takeTyped(int number, const std::string& wholes) {
        const Field& first = *std::find_if(m_typed.begin(), m_typed.end(), [&](const Field& f) {
            return static_cast<int>(f.number) == number;
        });
        if (wholes.size() == first.whole.size() && wire::isCanonical(wire::Message::tensor, first.whole)) {
            m_tensor.payload = m_source.ref(first.payload);
        } else {
            const std::string_view canonical =
                m_source.keep(wire::canonicalize(wire::Message::tensor, wholes));
            const auto payload = wire::findBytes(canonical, static_cast<std::uint32_t>(number));
            m_tensor.payload = m_source.ref(payload.value_or(std::string_view()));
        }
        m_tensor.encoding = Tensor::Encoding::typed;
        m_tensor.typedField = number;
    }

    ByteSource& m_source;
    Tensor m_tensor;
    std::vector<Field> m_typed, m_strings;
    Field m_raw;
    std::string m_external, m_rest;
    bool m_hasType = false, m_hasName = false, m_hasRaw = false, m_hasLocation = false, m_isExternal = false;
};

} // namespace

Tensor readTensor(std::string_view bytes, ByteSource& source) {
    return TensorReader(source).run(bytes);
}

Tensor readSparseTensor(std::string_view bytes, ByteSource& source) {
    std::string_view canonical = bytes;
    if (!wire::isCanonical(wire::Message::sparseTensor, bytes)) {
        canonical = source.keep(wire::canonicalize(wire::Message::sparseTensor, bytes));
    }
    Tensor tensor;
    tensor.encoding = Tensor::Encoding::sparse;
    tensor.payload = source.ref(canonical);
    Reader reader(canonical);
    for (Field field; reader.next(field);) {
        if (field.number == 1 && isLength(field)) {
            Tensor values = readTensor(field.payload, source);
            tensor.type = values.type;
            tensor.name = std::move(values.name);
        } else if (field.number == 3 && isVarint(field)) {
            tensor.dims.push_back(static_cast<std::int64_t>(field.value));
        }
    }
    return tensor;
}

std::vector<std::pair<std::string, std::string>> readEntries(std::string_view message, std::uint32_t number,
                                                             bool& isPlain) {
    std::vector<std::pair<std::string, std::string>> entries;
    Reader reader(message);
    for (Field field; reader.next(field);) {
        if (field.number != number || !isLength(field)) continue;
        auto& [key, value] = entries.emplace_back();
        bool hasKey = false, hasValue = false;
        Reader inner(field.payload);
        for (Field part; inner.next(part);) {
            isPlain = isPlain && isLength(part) && (part.number == 1 || part.number == 2);
            if (!isLength(part)) continue;
            if (part.number == 1) {
                isPlain = isPlain && !hasKey && !hasValue;
                hasKey = true;
                key = part.payload;
            } else if (part.number == 2) {
                isPlain = isPlain && !hasValue;
                hasValue = true;
                value = part.payload;
            }
        }
        isPlain = isPlain && hasKey && hasValue;
    }
    return entries;
}

} // namespace secateur
