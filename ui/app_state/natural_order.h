// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringView>

namespace secateur {

/// A text whose place in a sorted list is where people look for the given one: keys compared with `<` put
/// "n2" before "n10", and pay no attention to case or leading zeros.
[[nodiscard]] QString naturalKey(QStringView text);

} // namespace secateur
