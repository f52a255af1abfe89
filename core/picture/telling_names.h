// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/font_metrics.h"
#include "core/support/number_table.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace secateur {

/// Cuts long names so that they stay apart: of `net.left.attention.weight` beside
/// `net.right.attention.weight` the second part is kept, whatever else goes. Names consist of parts that end
/// with one of . / : _
class TellingNames {
  public:
    void add(std::string_view name);
    [[nodiscard]] bool isEmpty() const { return m_next.size() == 0; }

    /// The name, where it is wider than `width` with "…" in the place of parts that tell it from no other
    /// name; as much of these stays as fits, the last ones first. Where what tells is too wide itself, its
    /// middle goes.
    [[nodiscard]] std::string cut(std::string_view name, FontFace face, double px, double width) const;

  private:
    static std::vector<std::string_view> partsOf(std::string_view name);

    /// By a name's first parts: the part that follows them, kMany when it is not always the same.
    NumberTable m_next;
};

} // namespace secateur
