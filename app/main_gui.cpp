// SPDX-License-Identifier: Apache-2.0
#include "ui/app_state/strings.h"
#include "ui/theme/theme.h"
#include "ui/window/main_window.h"
#include "ui/window/screenshot.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QSettings>
#include <QTextStream>

#include <cstring>
#include <string_view>

namespace {

/// Scale and platform must be known before QApplication is made.
void prepareEnvironment(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        const bool isScreenshot = argument == "--screenshot" || argument.substr(0, 13) == "--screenshot=";
        if (isScreenshot && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
            qputenv("QT_QPA_PLATFORM", "offscreen");
        if (argument == "--scale" && i + 1 < argc) qputenv("QT_SCALE_FACTOR", argv[i + 1]);
        if (argument.substr(0, 8) == "--scale=") qputenv("QT_SCALE_FACTOR", argv[i] + 8);
        if (argument == "--version" && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
            qputenv("QT_QPA_PLATFORM", "offscreen");
    }
}

QSize sizeOf(const QString& text) {
    const QStringList parts = text.split(QLatin1Char('x'));
    return parts.size() == 2 ? QSize(parts[0].toInt(), parts[1].toInt()) : QSize();
}

} // namespace

int main(int argc, char** argv) {
    prepareEnvironment(argc, argv);
    QApplication application(argc, argv);
    QApplication::setOrganizationName(QStringLiteral("secateur"));
    QApplication::setApplicationName(QStringLiteral("secateur"));
    QApplication::setApplicationDisplayName(QString());
    QApplication::setApplicationVersion(QStringLiteral(SECATEUR_VERSION));
    QGuiApplication::setDesktopFileName(QStringLiteral("org.secateur.Secateur"));

    QCommandLineParser parser;
    parser.setApplicationDescription(secateur::tx("ui.cli.description"));
    parser.addHelpOption();
    parser.addVersionOption();
    const QCommandLineOption screenshot(QStringLiteral("screenshot"), secateur::tx("ui.cli.screenshot"),
                                        QStringLiteral("file"));
    const QCommandLineOption size(QStringLiteral("size"), secateur::tx("ui.cli.size"), QStringLiteral("WxH"),
                                  QStringLiteral("1440x900"));
    const QCommandLineOption scale(QStringLiteral("scale"), secateur::tx("ui.cli.scale"),
                                   QStringLiteral("n"));
    const QCommandLineOption theme(QStringLiteral("theme"), secateur::tx("ui.cli.theme"),
                                   QStringLiteral("name"));
    const QCommandLineOption select(QStringLiteral("select"), secateur::tx("ui.cli.select"),
                                    QStringLiteral("node"));
    const QCommandLineOption step(QStringLiteral("step"), secateur::tx("ui.cli.step"), QStringLiteral("n"));
    const QCommandLineOption overlay(QStringLiteral("overlay"), secateur::tx("ui.cli.overlay"));
    const QCommandLineOption roles(QStringLiteral("roles"), secateur::tx("ui.cli.roles"));
    const QCommandLineOption fit(QStringLiteral("fit"), secateur::tx("ui.cli.fit"));
    const QCommandLineOption sample(QStringLiteral("sample"), secateur::tx("ui.cli.sample"));
    parser.addOptions({screenshot, size, scale, theme, select, step, overlay, roles, fit, sample});
    parser.addPositionalArgument(QStringLiteral("model"), secateur::tx("ui.cli.model"),
                                 QStringLiteral("[model]"));
    parser.process(application);

    const bool isScreenshot = parser.isSet(screenshot);
    const QString themeName = parser.isSet(theme) ? parser.value(theme)
                              : isScreenshot      ? QStringLiteral("light")
                                                  : QSettings().value(QStringLiteral("theme")).toString();
    secateur::applyTheme(application, secateur::themeChoiceFromName(themeName));
    secateur::MainWindow window({!isScreenshot});
    if (!parser.positionalArguments().isEmpty())
        window.openFile(parser.positionalArguments().constFirst());
    else if (parser.isSet(sample))
        window.openSample();
    if (isScreenshot) {
        secateur::ScreenshotRequest request;
        request.path = parser.value(screenshot);
        request.size = sizeOf(parser.value(size));
        request.select = parser.value(select);
        if (parser.isSet(step)) request.step = parser.value(step).toInt();
        request.isOverlay = parser.isSet(overlay);
        request.isRoleColour = parser.isSet(roles);
        request.fitsAll = parser.isSet(fit);
        if (request.size.isEmpty()) {
            QTextStream(stderr) << secateur::tx("ui.cli.bad-size", {parser.value(size)}) << '\n';
            return 2;
        }
        secateur::takeScreenshot(window, request);
    } else {
        window.fitToSize();
        window.show();
    }
    return QApplication::exec();
}
