// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/roles.h"

namespace secateur {

std::string_view roleName(Role role) {
    switch (role) {
    case Role::forward: return "forward";
    case Role::loss: return "loss";
    case Role::backward: return "backward";
    case Role::accumulator: return "accumulator";
    case Role::optimizer: return "optimizer";
    case Role::recompute: return "recompute";
    case Role::metric: return "metric";
    }
    return "forward";
}

} // namespace secateur
