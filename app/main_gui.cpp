// SPDX-License-Identifier: Apache-2.0
#include "app/export_picture.h"
#include "app/stop_signals.h"
#include "app/window_arguments.h"
#include "ui/app_state/strings.h"
#include "ui/theme/theme.h"
#include "ui/window/main_window.h"
#include "ui/window/screenshot.h"

#include <QApplication>
#include <QSettings>
#include <QTextStream>

#include <csignal>
#include <cstdlib>
#include <string_view>

namespace {

using namespace secateur;

/// Scale and platform must be known before QApplication is made.
void prepareEnvironment(int argc, char** argv) {
    bool needsDisplay = true;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        for (const std::string_view word : {"--screenshot", "--version", "-v", "--help", "-h"})
            needsDisplay = needsDisplay && argument.substr(0, argument.find('=')) != word;
        const char* scale = argument == "--scale" && i + 1 < argc ? argv[i + 1] : nullptr;
        if (argument.substr(0, 8) == "--scale=") scale = argv[i] + 8;
        if (scale != nullptr && std::strtod(scale, nullptr) > 0) qputenv("QT_SCALE_FACTOR", scale);
    }
    if (!needsDisplay && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
}

void nameApplication() {
    QApplication::setOrganizationName(QStringLiteral("secateur"));
    QApplication::setApplicationName(QStringLiteral("secateur"));
    QApplication::setApplicationDisplayName(QString());
    QApplication::setApplicationVersion(QStringLiteral(SECATEUR_VERSION));
    QGuiApplication::setDesktopFileName(QStringLiteral("org.secateur.Secateur"));
}

/// A picture shows the light theme unless asked; a window the one that was chosen last.
ThemeChoice themeOf(const WindowArguments& arguments) {
    if (arguments.theme) return *arguments.theme;
    if (!arguments.screenshot.isEmpty()) return ThemeChoice::light;
    return themeChoiceFromName(QSettings().value(QStringLiteral("theme")).toString());
}

/// Brings an open window into the pose; what is not possible is said in it and on standard error.
void poseLater(MainWindow& window, const WindowPose& pose) {
    whenSettled(window, [&window, pose] {
        if (window.document().phase() == Document::Phase::failed) return; // the window says it
        const QString trouble = poseWindow(window, pose);
        if (trouble.isEmpty()) return;
        QTextStream(stderr) << tx("ui.cli.error", {trouble}) << '\n';
        window.document().say({QStringLiteral("pose"), BarMessage::Severity::warning, trouble, {}});
    });
}

} // namespace

int main(int argc, char** argv) {
    if (argc > 1 && std::string_view(argv[1]) == kExportPicture) return exportPictureFile(argc, argv);
    std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is a failed write with words, not a signal
    prepareEnvironment(argc, argv);
    QApplication application(argc, argv);
    nameApplication();
    endOnStopSignals();
    const ReadArguments read = readWindowArguments(QApplication::arguments());
    if (!read.text.isEmpty()) {
        QTextStream(stdout) << read.text;
        return 0;
    }
    if (!read.error.isEmpty()) {
        QTextStream(stderr) << tx("ui.cli.error", {read.error}) << '\n';
        return read.exit;
    }
    const WindowArguments& arguments = read.arguments;
    applyTheme(application, themeOf(arguments));
    const bool isPicture = !arguments.screenshot.isEmpty();
    MainWindow window({!isPicture, !isPicture});
    if (isPicture) window.actions()[ActionId::reduceMotion]->setChecked(true);
    if (!arguments.model.isEmpty())
        window.openFile(arguments.model);
    else if (arguments.isSample)
        window.openSample();
    if (isPicture) {
        takeScreenshot(window, {arguments.screenshot, arguments.size, arguments.pose});
    } else {
        window.fitToSize();
        window.show();
        if (arguments.pose.isAsked()) poseLater(window, arguments.pose);
    }
    return QApplication::exec();
}
