// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"
#include "core/onnx/byte_source.h"

#include <string>
#include <string_view>
#include <unordered_map>

namespace secateur {

/// The type in a serialized TypeProto, as far as Type has words for it.
[[nodiscard]] Type readType(std::string_view bytes);
/// Appends `type` as a serialized TypeProto; appends nothing for kinds that Type does not hold in full.
void appendType(std::string& out, const Type& type);

/// Everything in a ValueInfoProto but its name, serialized.
[[nodiscard]] std::string valueInfoBody(const ValueInfo& info);

/// Reads ValueInfoProtos. Most values of a model share few types, and so share their ValueInfo.
class ValueInfoReader {
  public:
    explicit ValueInfoReader(ByteSource& source) : m_source(source) {}

    struct Result {
        std::string_view name;
        ValueInfoPtr info;
        std::size_t metadataBytes = 0; ///< of its doc string and metadata
    };
    /// `isListed`: it stands in value_info, not among the inputs or outputs.
    Result read(std::string_view bytes, bool isListed);

  private:
    struct Known {
        ValueInfoPtr info;
        std::size_t metadataBytes = 0;
    };
    Known make(std::string_view body, bool isListed, bool hasName) const;

    ByteSource& m_source;
    std::unordered_map<std::string_view, Known> m_known[2]; // by body; [1] listed ones
};

} // namespace secateur
