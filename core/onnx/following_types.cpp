// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/following_types.h"

#include <vector>

namespace secateur {

const TypeTable& FollowingTypes::upToDate(const Model& model) {
    const Journal& journal = model.journal();
    if (m_at != journal.mark()) {
        m_table.update(model, journal.editsSince(m_at));
        m_at = journal.mark();
    }
    return m_table;
}

void FollowingTypes::unwind(Model& model, JournalMark mark) {
    if (m_at <= mark) {
        Journal::unwind(model, mark);
        return;
    }
    const auto since = model.journal().editsSince(mark);
    const std::vector<Edit> seen(since.begin(),
                                 since.begin() + static_cast<std::ptrdiff_t>(m_at.edits - mark.edits));
    Journal::unwind(model, mark);
    m_table.update(model, seen);
    m_at = mark;
}

} // namespace secateur
