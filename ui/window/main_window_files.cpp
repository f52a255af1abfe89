// SPDX-License-Identifier: Apache-2.0
//
// Files of the window: opening, dropping, recent ones, settings.
#include "ui/window/main_window.h"

#include "core/exec/own_inputs.h"
#include "ui/app_state/check.h"
#include "ui/app_state/strings.h"
#include "ui/theme/desktop_theme.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QCloseEvent>
#include <QCryptographicHash>
#include <QDir>
#include <QDragEnterEvent>
#include <QFile>
#include <QFileInfo>
#include <QFileOpenEvent>
#include <QMenu>
#include <QMimeData>
#include <QSettings>
#include <QStandardPaths>

#include <algorithm>

namespace secateur {

namespace {

constexpr int kMostRecent = 10;
/// Raised when the docks change, so that an older saved layout is not forced onto new ones.
constexpr int kLayoutVersion = 2;
const QString kRecentKey = QStringLiteral("recentFiles");
const QString kGeometryKey = QStringLiteral("window/geometry");
const QString kStateKey = QStringLiteral("window/state");
const QString kThemeKey = QStringLiteral("theme");
const QString kWheelKey = QStringLiteral("canvas/wheelZooms");
const QString kCheckKey = QStringLiteral("check/automatic");
const QString kMotionKey = QStringLiteral("canvas/reduceMotion");

/// Where the recipe of a model is kept when its window is closed before it was saved.
QString unsavedRecipePath(const QString& model) {
    const QByteArray name = QCryptographicHash::hash(model.toUtf8(), QCryptographicHash::Sha1).toHex();
    return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/unsaved/") +
           QString::fromLatin1(name) + QStringLiteral(".recipe.json");
}

/// The model in a folder that holds exactly one.
QString modelIn(const QString& path) {
    if (!QFileInfo(path).isDir()) return path;
    const QStringList models = QDir(path).entryList({QStringLiteral("*.onnx")}, QDir::Files);
    return models.size() == 1 ? QDir(path).filePath(models.front()) : path;
}

} // namespace

void MainWindow::openFile(const QString& path) {
    // Another model gets a window of its own while this one holds unsaved work: nothing is lost, nothing is
    // asked.
    if (m_document.session() && m_document.session()->isModified()) {
        auto* window = new MainWindow(m_options);
        window->setAttribute(Qt::WA_DeleteOnClose);
        window->show();
        window->openFile(path);
        return;
    }
    const QString model = modelIn(path);
    m_document.open(model);
    rememberRecent(QFileInfo(model).absoluteFilePath());
}

void MainWindow::openSample() {
    QFile file(QStringLiteral(":/samples/sample.onnx"));
    if (!file.open(QIODevice::ReadOnly)) return;
    m_document.openBytes(file.readAll(), QStringLiteral("mlp_gelu.training.onnx"));
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (!urls.isEmpty() && urls.front().isLocalFile()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.isEmpty() || !urls.front().isLocalFile()) return;
    event->acceptProposedAction();
    QStringList paths;
    for (const QUrl& url : urls)
        if (url.isLocalFile()) paths.append(url.toLocalFile());
    // Values for the model that is open are looked at by the check; all else is opened.
    const bool areInputs = std::all_of(paths.begin(), paths.end(), [](const QString& path) {
        return looksLikeInputs(std::filesystem::path(utf8(path)));
    });
    if (areInputs && m_document.history() != nullptr)
        m_check->useInputs(paths);
    else
        openFile(paths.front());
}

bool MainWindow::event(QEvent* event) {
    if (event->type() == QEvent::FileOpen) {
        openFile(static_cast<QFileOpenEvent*>(event)->file());
        return true;
    }
    return QMainWindow::event(event);
}

void MainWindow::rememberRecent(const QString& path) {
    if (!m_options.keepsSettings) return;
    QSettings settings;
    QStringList recent = settings.value(kRecentKey).toStringList();
    recent.removeAll(path);
    recent.prepend(path);
    settings.setValue(kRecentKey, recent.mid(0, kMostRecent));
    rebuildRecent();
}

void MainWindow::rebuildRecent() {
    m_recent->clear();
    const QStringList recent =
        m_options.keepsSettings ? QSettings().value(kRecentKey).toStringList() : QStringList();
    for (const QString& path : recent)
        connect(m_recent->addAction(QDir::toNativeSeparators(path)), &QAction::triggered, this,
                [this, path] { openFile(path); });
    if (recent.isEmpty()) {
        m_recent->addAction(tx("ui.menu.recent-none"))->setEnabled(false);
        return;
    }
    m_recent->addSeparator();
    connect(m_recent->addAction(tx("ui.menu.recent-clear")), &QAction::triggered, this, [this] {
        QSettings().remove(kRecentKey);
        rebuildRecent();
    });
}

void MainWindow::restoreSettings() {
    if (!m_options.keepsSettings) return;
    const QSettings settings;
    restoreGeometry(settings.value(kGeometryKey).toByteArray());
    restoreState(settings.value(kStateKey).toByteArray(), kLayoutVersion);
    (*m_actions)[ActionId::wheelZooms]->setChecked(settings.value(kWheelKey).toBool());
    if (m_options.checksByItself)
        (*m_actions)[ActionId::autoCheck]->setChecked(settings.value(kCheckKey, true).toBool());
    // What the desktop asks for holds until something else is chosen here.
    const QVariant motion = settings.value(kMotionKey);
    (*m_actions)[ActionId::reduceMotion]->setChecked(motion.isValid() ? motion.toBool()
                                                                      : desktopReducesMotion());
}

void MainWindow::saveSettings() {
    if (!m_options.keepsSettings) return;
    QSettings settings;
    settings.setValue(kGeometryKey, saveGeometry());
    settings.setValue(kStateKey, saveState(kLayoutVersion));
    settings.setValue(kThemeKey, themeChoiceName(currentThemeChoice()));
    settings.setValue(kWheelKey, (*m_actions)[ActionId::wheelZooms]->isChecked());
    if (m_options.checksByItself)
        settings.setValue(kCheckKey, (*m_actions)[ActionId::autoCheck]->isChecked());
    const bool isReduced = (*m_actions)[ActionId::reduceMotion]->isChecked();
    if (settings.contains(kMotionKey) || isReduced != desktopReducesMotion())
        settings.setValue(kMotionKey, isReduced);
}

void MainWindow::keepUnsavedRecipe() {
    if (!m_options.keepsSettings || m_document.path().isEmpty() || !m_document.session() ||
        !m_document.session()->isModified())
        return;
    const QString path = unsavedRecipePath(m_document.path());
    QDir().mkpath(QFileInfo(path).absolutePath());
    // Closing goes on whether or not this can be written: there is nobody left to tell.
    (void)saveRecipe(m_document.session()->recipe(), std::filesystem::path(utf8(path)));
}

void MainWindow::offerUnsavedRecipe() {
    if (!m_options.keepsSettings || m_document.phase() != Document::Phase::ready ||
        m_document.path().isEmpty())
        return;
    const QString path = unsavedRecipePath(m_document.path());
    if (!QFileInfo::exists(path)) return;
    const auto forget = [path] { QFile::remove(path); };
    const auto restore = [this, path, forget] {
        if (const auto recipe = loadRecipe(std::filesystem::path(utf8(path))))
            m_document.setRecipe(*recipe, "ui.edit.open-recipe");
        forget();
        m_document.dismiss(QStringLiteral("unsaved"));
    };
    m_document.say({QStringLiteral("unsaved"),
                    BarMessage::Severity::info,
                    tx("ui.bar.unsaved"),
                    {{tx("ui.link.restore"), restore}, {tx("ui.link.forget"), [this, forget] {
                                                            forget();
                                                            m_document.dismiss(QStringLiteral("unsaved"));
                                                        }}}});
}

void MainWindow::closeEvent(QCloseEvent* event) {
    keepUnsavedRecipe();
    saveSettings();
    m_document.work().cancelAll();
    event->accept();
}

} // namespace secateur
