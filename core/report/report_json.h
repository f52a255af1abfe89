// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/report/report.h"

#include <nlohmann/json.hpp>

namespace secateur {

/// The fields of a report that the command line prints, too, in the order of its contract. `seconds` of the
/// steps are left out unless asked for: they differ from run to run.
[[nodiscard]] nlohmann::ordered_json reportToJsonObject(const Report& report, bool hasSeconds);

/// What was checked: `status`, `judge`, `structure`, `baseline`, `inputs`, numbers; null where unknown.
[[nodiscard]] nlohmann::ordered_json verifiedJson(const Verified& verified);

/// JSON text of an object; bytes in names that are no UTF-8 are replaced.
[[nodiscard]] std::string jsonText(const nlohmann::ordered_json& json);

} // namespace secateur
