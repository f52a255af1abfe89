// SPDX-License-Identifier: Apache-2.0
#include "app/window_arguments.h"

#include "core/support/file_names.h"
#include "ui/app_state/strings.h"

#include <QCommandLineParser>
#include <QCoreApplication>

namespace secateur {
namespace {

constexpr int kUsage = 2;
constexpr int kMissing = 4;
constexpr int kLargest = 16384; ///< pixels a side: what one picture may take, 1 GiB

struct Option {
    const char* name;
    const char* helpId;
    const char* value; ///< null: a flag
};
constexpr Option kOptions[] = {{"screenshot", "ui.cli.screenshot", "file"},
                               {"size", "ui.cli.size", "WxH"},
                               {"scale", "ui.cli.scale", "n"},
                               {"theme", "ui.cli.theme", "name"},
                               {"select", "ui.cli.select", "node"},
                               {"step", "ui.cli.step", "n"},
                               {"overlay", "ui.cli.overlay", nullptr},
                               {"roles", "ui.cli.roles", nullptr},
                               {"fit", "ui.cli.fit", nullptr},
                               {"check", "ui.cli.check", nullptr},
                               {"sample", "ui.cli.sample", nullptr}};

/// Reads the options one by one and keeps the first thing that is wrong.
class Reader {
  public:
    explicit Reader(const QCommandLineParser& parser) : m_parser(parser) {}

    ReadArguments read() {
        readModel();
        readScreenshot();
        readTheme();
        checkScale();
        readPose();
        return std::move(m_read);
    }

  private:
    void complain(const QString& sentence, int exit = kUsage) {
        if (!m_read.error.isEmpty()) return;
        m_read.error = sentence;
        m_read.exit = exit;
    }

    [[nodiscard]] bool isSet(const char* name) const { return m_parser.isSet(QLatin1String(name)); }
    /// The value of an option that is set; an empty one is a mistake.
    QString value(const char* name) {
        const QString text = m_parser.value(QLatin1String(name));
        if (text.isEmpty()) complain(tx("ui.cli.empty", {QLatin1String(name)}));
        return text;
    }

    void readModel() {
        const QStringList models = m_parser.positionalArguments();
        if (models.size() > 1) complain(tx("ui.cli.one-model", {models[0], models[1]}), kMissing);
        if (!models.isEmpty() && models[0].isEmpty()) complain(tx("ui.cli.empty", {QStringLiteral("model")}));
        m_read.arguments.isSample = isSet("sample");
        if (!models.isEmpty() && m_read.arguments.isSample) complain(tx("ui.cli.model-or-sample"));
        if (!models.isEmpty()) m_read.arguments.model = models[0];
    }

    void readScreenshot() {
        if (isSet("screenshot")) {
            const QString file = value("screenshot");
            if (endingOf(utf8(file)) != ".png") complain(tx("ui.cli.screenshot-kind", {file}));
            m_read.arguments.screenshot = file;
        }
        if (!isSet("size")) return;
        const QString text = value("size");
        const QStringList parts = text.split(QLatin1Char('x'));
        const QSize size = parts.size() == 2 ? QSize(parts[0].toInt(), parts[1].toInt()) : QSize();
        const bool isGood =
            size.width() > 0 && size.height() > 0 && size.width() <= kLargest && size.height() <= kLargest;
        if (!isGood) complain(tx("ui.cli.bad-size", {text, QString::number(kLargest)}));
        if (!isSet("screenshot")) complain(tx("ui.cli.size-without-picture"));
        m_read.arguments.size = size;
    }

    void readTheme() {
        if (!isSet("theme")) return;
        const QString name = value("theme");
        const ThemeChoice choice = themeChoiceFromName(name);
        if (themeChoiceName(choice) != name) complain(tx("ui.cli.bad-theme", {name}));
        m_read.arguments.theme = choice;
    }

    /// The scale itself was taken before there was a QApplication.
    void checkScale() {
        if (!isSet("scale")) return;
        bool isNumber = false;
        const QString text = value("scale");
        const double scale = text.toDouble(&isNumber);
        if (!isNumber || scale < 0.25 || scale > 8) complain(tx("ui.cli.bad-scale", {text}));
    }

    void readPose() {
        WindowPose& pose = m_read.arguments.pose;
        if (isSet("select")) pose.select = value("select");
        if (isSet("step")) {
            bool isNumber = false;
            const QString text = value("step");
            pose.step = text.toInt(&isNumber);
            if (!isNumber || *pose.step < 0) complain(tx("ui.cli.bad-step", {text}));
        }
        pose.isOverlay = isSet("overlay");
        pose.isRoleColour = isSet("roles");
        pose.fitsAll = isSet("fit");
        pose.isChecked = isSet("check");
        const bool isAnythingOpen = m_read.arguments.isSample || !m_read.arguments.model.isEmpty();
        if (pose.isAsked() && !isAnythingOpen) complain(tx("ui.cli.pose-without-model"));
    }

    const QCommandLineParser& m_parser;
    ReadArguments m_read;
};

} // namespace

ReadArguments readWindowArguments(const QStringList& words) {
    QCommandLineParser parser;
    parser.setApplicationDescription(tx("ui.cli.description"));
    const QCommandLineOption help = parser.addHelpOption();
    const QCommandLineOption version = parser.addVersionOption();
    for (const Option& option : kOptions) {
        QCommandLineOption one(QLatin1String(option.name), tx(option.helpId));
        if (option.value != nullptr) one.setValueName(QLatin1String(option.value));
        parser.addOption(one);
    }
    parser.addPositionalArgument(QStringLiteral("model"), tx("ui.cli.model"), QStringLiteral("[model]"));
    ReadArguments read;
    if (!parser.parse(words)) {
        QString what = parser.errorText();
        if (what.endsWith(QLatin1Char('.'))) what.chop(1);
        read.error = tx("ui.cli.usage", {what});
        read.exit = kUsage;
        return read;
    }
    if (parser.isSet(help)) read.text = parser.helpText();
    if (parser.isSet(version)) {
        read.text = QCoreApplication::applicationName() + QLatin1Char(' ') +
                    QCoreApplication::applicationVersion() + QLatin1Char('\n');
    }
    return read.text.isEmpty() ? Reader(parser).read() : read;
}

} // namespace secateur
