// SPDX-License-Identifier: Apache-2.0
#include "core/picture/blob_text.h"

#include "core/messages/messages.h"
#include "core/support/text.h"

namespace secateur {

std::string blobText(const GroupTally& tally, Pane pane) {
    const std::uint32_t total = pane == Pane::before ? tally.total : tally.total + tally.added;
    if (tally.removed == 0) return formatMessage("picture.nodes", {formatCount(total)});
    return formatMessage("picture.removed", {formatCount(tally.removed), formatCount(tally.total)});
}

} // namespace secateur
