// SPDX-License-Identifier: Apache-2.0
#include "ui/theme/desktop_theme.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusVariant>
#include <QVariant>

namespace secateur {

std::optional<bool> desktopPrefersDark() {
    // Without an address libdbus would try to launch a bus of its own, which takes longer than the answer is
    // worth.
    if (qEnvironmentVariableIsEmpty("DBUS_SESSION_BUS_ADDRESS")) return std::nullopt;
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected()) return std::nullopt;
    QDBusMessage call = QDBusMessage::createMethodCall(
        QStringLiteral("org.freedesktop.portal.Desktop"), QStringLiteral("/org/freedesktop/portal/desktop"),
        QStringLiteral("org.freedesktop.portal.Settings"), QStringLiteral("Read"));
    call << QStringLiteral("org.freedesktop.appearance") << QStringLiteral("color-scheme");
    call.setAutoStartService(false);
    constexpr int kTimeoutMs = 200;
    const QDBusMessage answer = bus.call(call, QDBus::Block, kTimeoutMs);
    if (answer.type() != QDBusMessage::ReplyMessage || answer.arguments().isEmpty()) return std::nullopt;
    // Read wraps the value twice.
    QVariant value = answer.arguments().constFirst();
    for (int i = 0; i < 2 && value.canConvert<QDBusVariant>(); ++i)
        value = value.value<QDBusVariant>().variant();
    bool isNumber = false;
    const unsigned scheme = value.toUInt(&isNumber);
    if (!isNumber || scheme == 0) return std::nullopt; // 0: no preference
    return scheme == 1;
}

} // namespace secateur
