// SPDX-License-Identifier: Apache-2.0
#include "app/export_picture.h"

#include "core/messages/sentences.h"
#include "core/picture/display_list_file.h"
#include "core/support/file_names.h"
#include "core/support/text.h"
#include "ui/app_state/strings.h"
#include "ui/report/picture_file.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QFile>
#include <QTextStream>

#include <csignal>
#include <cstdio>
#include <sys/prctl.h>

namespace secateur {

namespace {

int fail(const Error& error) {
    QTextStream(stderr) << QString::fromStdString(error.toString()) << '\n';
    return exitCodeOf(error.code);
}

std::string said(const PictureFileFacts& facts, bool isPdf) {
    if (!isPdf)
        return formatMessage("ui.png.done", {formatCount(facts.width), formatCount(facts.height),
                                             formatCount(facts.strips), formatBytes(facts.stripBytes)});
    if (facts.pages == 1)
        return formatMessage("ui.pdf.one", {formatCount(facts.width), formatCount(facts.height)});
    return formatMessage("ui.pdf.many", {formatCount(facts.pages), formatCount(facts.columns),
                                         formatCount(facts.pages / facts.columns)});
}

/// What the command line asks for.
struct Job {
    QString out;
    PictureFileOptions options;
};

Job readJob(const QStringList& words) {
    QCommandLineParser parser;
    const auto valued = [&](const char* name, const char* otherwise) {
        const QCommandLineOption option(QLatin1String(name), QString(), QLatin1String("value"),
                                        QLatin1String(otherwise));
        parser.addOption(option);
        return option;
    };
    const QCommandLineOption out = valued("export-picture", ""), scale = valued("picture-scale", "1"),
                             theme = valued("theme", "light"), title = valued("picture-title", ""),
                             page = valued("page", "");
    parser.parse(words);
    Job job;
    job.out = parser.value(out);
    job.options.theme = parser.value(theme) == QLatin1String("dark") ? ThemeKind::dark : ThemeKind::light;
    job.options.scale = parser.value(scale).toDouble();
    job.options.page = utf8(parser.value(page));
    job.options.title = utf8(parser.value(title));
    return job;
}

} // namespace

int exportPictureFile(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen"); // whatever this shell has
    // Who asked for the picture may be killed: then nobody waits for it.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is a failed write with words, not a signal
    QApplication application(argc, argv);
    const Job job = readJob(QApplication::arguments());
    QFile file;
    if (!file.open(stdin, QIODevice::ReadOnly)) return fail(invalidInput(utf8(file.errorString()), "stdin"));
    const QByteArray bytes = file.readAll();
    const auto list =
        readDisplayList(std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())), "stdin");
    if (!list) return fail(list.error());
    const std::filesystem::path path(utf8(job.out));
    const bool isPdf = endingOf(path) == ".pdf";
    const auto facts = isPdf ? writePdf(*list, path, job.options) : writePng(*list, path, job.options);
    if (!facts) return fail(facts.error());
    QTextStream(stdout) << QString::fromStdString(said(*facts, isPdf)) << '\n';
    return 0;
}

} // namespace secateur
