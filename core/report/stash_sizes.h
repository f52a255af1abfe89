// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/roles.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace secateur {

/// The stashes of a table that take memory of their own: what the forward half made. Weights and inputs of
/// the graph that the backward half reads are there anyway.
[[nodiscard]] std::vector<const StashEdge*> activationStashes(const RoleTable& roles);

/// Bytes of several values whose shapes may have named dimensions: "64 B + batch x 12 KiB".
class StashSizes {
  public:
    void add(const Type& type);

    [[nodiscard]] std::uint64_t fixedBytes() const { return m_fixed; }
    /// Bytes for each of the named dimensions, or products of them ("batch", "batch x seq"), in order.
    [[nodiscard]] const std::map<std::string, std::uint64_t>& bytesPer() const { return m_per; }
    /// "?" where nothing is known of any; of several values, how many are of unknown size stands at the end.
    [[nodiscard]] std::string text() const;

  private:
    std::uint64_t m_fixed = 0;
    std::map<std::string, std::uint64_t> m_per;
    std::uint64_t m_known = 0, m_unknown = 0; ///< values
};

} // namespace secateur
