// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef Q_MOC_RUN // moc of Qt 6.4 cannot read <concepts>
#include "core/support/cancel.h"
#include "core/support/result.h"
#endif

#include <QString>

#include <functional>
#include <string>

namespace secateur {

class Document;

/// Makes a text in a worker, writes it whole or not at all, and says so in the message bar.
void exportText(Document& document, const QString& path,
                std::function<Result<std::string>(const WorkContext&)> make);

} // namespace secateur
