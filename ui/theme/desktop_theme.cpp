// SPDX-License-Identifier: Apache-2.0
#include "ui/theme/desktop_theme.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusVariant>
#include <QVariant>

namespace secateur {

namespace {

/// A setting by way of the desktop portal; invalid without a portal, such a setting or an answer.
QVariant desktopSetting(const QString& area, const QString& name) {
    // Without an address libdbus would try to launch a bus of its own, which takes longer than the answer is
    // worth.
    if (qEnvironmentVariableIsEmpty("DBUS_SESSION_BUS_ADDRESS")) return {};
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected()) return {};
    QDBusMessage call = QDBusMessage::createMethodCall(
        QStringLiteral("org.freedesktop.portal.Desktop"), QStringLiteral("/org/freedesktop/portal/desktop"),
        QStringLiteral("org.freedesktop.portal.Settings"), QStringLiteral("Read"));
    call << area << name;
    call.setAutoStartService(false);
    constexpr int kTimeoutMs = 200;
    const QDBusMessage answer = bus.call(call, QDBus::Block, kTimeoutMs);
    if (answer.type() != QDBusMessage::ReplyMessage || answer.arguments().isEmpty()) return {};
    // Read wraps the value twice.
    QVariant value = answer.arguments().constFirst();
    for (int i = 0; i < 2 && value.canConvert<QDBusVariant>(); ++i)
        value = value.value<QDBusVariant>().variant();
    return value;
}

} // namespace

std::optional<bool> desktopPrefersDark() {
    bool isNumber = false;
    const unsigned scheme =
        desktopSetting(QStringLiteral("org.freedesktop.appearance"), QStringLiteral("color-scheme"))
            .toUInt(&isNumber);
    if (!isNumber || scheme == 0) return std::nullopt; // 0: no preference
    return scheme == 1;
}

bool desktopReducesMotion() {
    static const bool isReduced = [] {
        const QVariant animations = desktopSetting(QStringLiteral("org.gnome.desktop.interface"),
                                                   QStringLiteral("enable-animations"));
        return animations.typeId() == QMetaType::Bool && !animations.toBool();
    }();
    return isReduced;
}

} // namespace secateur
