// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/type.h"

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace secateur {

/// Each distinct type of a table once, in our form and in libonnx's: tens of thousands of values share a few
/// hundred. Entries never move or change; copies of a pool share them. Number 0 is "nothing is known".
class TypePool {
  public:
    TypePool() { (void)intern(onnx::TypeProto()); }

    [[nodiscard]] std::uint32_t intern(const onnx::TypeProto& proto);
    [[nodiscard]] std::uint32_t intern(const Type& type);
    [[nodiscard]] const Type& type(std::uint32_t number) const { return m_entries[number]->type; }
    [[nodiscard]] const onnx::TypeProto& proto(std::uint32_t number) const {
        return m_entries[number]->proto;
    }

  private:
    struct Entry {
        Type type;
        onnx::TypeProto proto;
    };
    std::vector<std::shared_ptr<const Entry>> m_entries;
    std::unordered_map<std::string, std::uint32_t> m_numbers; // by key
    std::string m_key;                                        // reused, so that a look-up allocates nothing
};

} // namespace secateur
