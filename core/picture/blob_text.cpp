// SPDX-License-Identifier: Apache-2.0
#include "core/picture/blob_text.h"

#include "core/messages/messages.h"
#include "core/support/text.h"

#include <algorithm>

namespace secateur {

std::string blobText(const GroupTally& tally, Pane pane) {
    if (tally.total == 0 && tally.added == 0) return {}; // inputs or outputs of the graph alone
    const std::string total = formatCount(tally.total);
    if (pane == Pane::after) {
        const std::string now = formatCount(tally.now());
        return tally.now() == tally.total ? formatMessage("picture.nodes", {now})
                                          : formatMessage("picture.nodes-now", {now, total});
    }
    const std::uint32_t removed = tally.removed - tally.replaced;
    const std::string gone = formatCount(removed), replaced = formatCount(tally.replaced);
    if (tally.removed == 0) return formatMessage("picture.nodes", {total});
    if (tally.replaced == 0) return formatMessage("picture.removed", {gone, total});
    if (removed == 0) return formatMessage("picture.replaced", {replaced, total});
    return formatMessage("picture.removed-replaced", {gone, total, replaced});
}

double blobShare(const GroupTally& tally, Pane pane) {
    if (tally.total == 0) return pane == Pane::after && tally.now() == 0 && tally.ends == 0 ? 0 : 1;
    const double total = tally.total;
    if (pane == Pane::after) return std::min(1.0, tally.now() / total);
    return 1 - (tally.removed - tally.replaced) / total;
}

} // namespace secateur
