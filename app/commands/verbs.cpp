// SPDX-License-Identifier: Apache-2.0
#include "app/commands/commands.h"
#include "core/messages/messages.h"
#include "core/support/text.h"

#include <algorithm>
#include <array>

namespace secateur::cli {
namespace {

constexpr std::array kVerbs{"info",   "prune",  "optimize", "apply", "passes",  "explain",
                            "report", "export", "run",      "test",  "compare", "profile"};
constexpr std::array kLaterVerbs{"diff", "memory", "plan", "quantize", "extract", "set", "tune"};

} // namespace

Error unknownVerb(const std::string& name) {
    if (std::find(kLaterVerbs.begin(), kLaterVerbs.end(), name) != kLaterVerbs.end()) {
        return missingHere(formatMessage("cli.later-verb", {name}));
    }
    const std::vector<std::string> verbs(kVerbs.begin(), kVerbs.end());
    const auto near = nearestNames(name, verbs, 1);
    const std::string hint = near.empty() ? "" : formatMessage("error.did-you-mean", {"`" + near[0] + "`"});
    return usageError(formatMessage("cli.unknown-verb", {name, hint}));
}

} // namespace secateur::cli
