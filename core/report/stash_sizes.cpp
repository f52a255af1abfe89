// SPDX-License-Identifier: Apache-2.0
#include "core/report/stash_sizes.h"

#include "core/messages/sentences.h"
#include "core/support/text.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace secateur {
namespace {

/// A type's bytes as a number times named dimensions; none where a dimension has no name either.
struct Product {
    std::uint64_t bytes = 0;
    std::string names; ///< "batch x seq"; empty: the bytes are all
};

std::optional<Product> sizeOf(const Type& type) {
    if (!type.isTensor() || !type.hasShape) return std::nullopt;
    std::uint64_t elements = 1;
    std::vector<std::string> names;
    for (const Dim& dim : type.dims) {
        if (dim.value && *dim.value >= 0) {
            const auto n = static_cast<std::uint64_t>(*dim.value);
            if (n > 0 && elements > std::numeric_limits<std::uint64_t>::max() / n) return std::nullopt;
            elements *= n;
        } else if (!dim.symbol.empty()) {
            names.push_back(dim.symbol);
        } else {
            return std::nullopt;
        }
    }
    const auto bytes = packedBytes(type.element, elements);
    if (!bytes) return std::nullopt;
    std::sort(names.begin(), names.end());
    Product product{*bytes, {}};
    for (const std::string& name : names)
        product.names += (product.names.empty() ? "" : " x ") + name;
    return product;
}

} // namespace

std::vector<const StashEdge*> activationStashes(const RoleTable& roles) {
    std::vector<const StashEdge*> stashes;
    for (const StashEdge& edge : roles.stashes)
        if (edge.producer) stashes.push_back(&edge);
    return stashes;
}

void StashSizes::add(const Type& type) {
    const auto size = sizeOf(type);
    ++(size ? m_known : m_unknown);
    if (!size) return;
    std::uint64_t& sum = size->names.empty() ? m_fixed : m_per[size->names];
    sum += size->bytes;
}

std::string StashSizes::text() const {
    if (m_known == 0) return "?";
    std::string text = m_fixed > 0 || m_per.empty() ? formatBytes(m_fixed) : std::string();
    for (const auto& [names, bytes] : m_per)
        text += (text.empty() ? "" : " + ") + names + " x " + formatBytes(bytes);
    return m_unknown == 0 ? text : formatMessage("report.and-unknown-size", {text, formatCount(m_unknown)});
}

} // namespace secateur
