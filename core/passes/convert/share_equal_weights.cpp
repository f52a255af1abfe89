// SPDX-License-Identifier: Apache-2.0
#include "core/ir/tensor.h"
#include "core/passes/convert/node_parts.h"
#include "core/passes/convert/unread_data.h"
#include "core/support/hash.h"

#include <cstring>
#include <map>
#include <tuple>

namespace secateur {
namespace {

/// Smaller tensors are left alone: sharing them saves nothing worth a change.
constexpr std::uint64_t kLeastBytes = 1024;
constexpr std::size_t kSample = 64;

using Fingerprint = std::tuple<ElementType, std::vector<std::int64_t>, std::uint64_t>;

/// Where the elements are, without decoding: only plain bytes are compared.
const ByteRef* plainBytes(const Tensor& tensor) {
    const bool isPlain =
        tensor.encoding == Tensor::Encoding::raw || tensor.encoding == Tensor::Encoding::external;
    return isPlain && tensor.payload.data != nullptr && tensor.payload.size == tensor.byteSize()
               ? &tensor.payload
               : nullptr;
}

/// Type, shape and three samples: weights that differ mostly differ here, so that few bytes of a large file
/// are read.
Fingerprint fingerprintOf(const Tensor& tensor, const ByteRef& bytes) {
    StreamHash hash;
    hash.add(bytes.data, kSample)
        .add(bytes.data + bytes.size / 2, kSample / 2)
        .add(bytes.data + bytes.size - kSample, kSample);
    return {tensor.type, tensor.dims, hash.digest()};
}

class Sharing {
  public:
    Sharing(PassContext& context, std::string_view rule)
        : m_context(context), m_model(context.model()), m_rule(rule) {}

    void run() {
        const std::vector<ValueId> initializers = m_model.graph(m_model.mainGraph()).initializers;
        const std::vector<bool> held = valuesHeldByName(m_model);
        for (const ValueId value : initializers) {
            const bool isPlain =
                m_model.isAlive(value) && m_model.producer(value).isNone() && !held[value.index];
            if (!isPlain || m_model.isGraphOutput(value)) continue;
            const Tensor& tensor = *m_model.value(value).tensor;
            const ByteRef* bytes = plainBytes(tensor);
            if (bytes == nullptr || bytes->size < kLeastBytes || !tensor.rest.empty()) continue;
            std::vector<ValueId>& alike = m_seen[fingerprintOf(tensor, *bytes)];
            const ValueId first = firstEqual(alike, *bytes);
            if (first.isNone())
                alike.push_back(value);
            else
                share(value, first, bytes->size);
        }
    }

  private:
    ValueId firstEqual(const std::vector<ValueId>& candidates, const ByteRef& bytes) const {
        for (const ValueId candidate : candidates) {
            const ByteRef& other = m_model.value(candidate).tensor->payload;
            const bool isSame =
                other.data == bytes.data || std::memcmp(other.data, bytes.data, bytes.size) == 0;
            if (isSame) return candidate;
        }
        return {};
    }

    void share(ValueId copy, ValueId first, std::uint64_t bytes) {
        RewriteRecord request;
        request.rule = m_rule;
        request.erasedValues = {copy};
        request.reason =
            Reason("drop-training-state.copies", {copy, first, static_cast<std::int64_t>(bytes)});
        m_context.rewrite(std::move(request), [&](Editor& editor, RewriteRecord& record) -> Refusal {
            if (Refusal why = readInstead(editor, copy, first)) return why;
            record.equalValues.emplace_back(copy, first);
            editor.eraseValue(copy);
            return kDone;
        });
    }

    PassContext& m_context;
    const Model& m_model;
    std::string_view m_rule;
    std::map<Fingerprint, std::vector<ValueId>> m_seen;
};

} // namespace

void shareEqualWeights(PassContext& context, std::string_view rule) {
    Sharing(context, rule).run();
}

} // namespace secateur
