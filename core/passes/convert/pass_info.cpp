// SPDX-License-Identifier: Apache-2.0
#include "core/passes/convert/conversion_passes.h"

namespace secateur {

PassInfo passInfo(std::string id, Exactness exactness, std::vector<PassOption> options, bool isOnByDefault) {
    PassInfo info;
    const std::string stem = "pass." + id + ".";
    info.id = std::move(id);
    info.exactness = exactness;
    info.titleId = stem + "title";
    info.summaryId = stem + "summary";
    info.beforeAfterId = stem + "before-after";
    info.gainId = stem + "gain";
    info.costId = stem + "cost";
    info.whenId = stem + "when";
    for (PassOption& option : options)
        option.helpId = stem + "option." + option.name;
    info.options = std::move(options);
    info.isOnByDefault = isOnByDefault;
    return info;
}

} // namespace secateur
