// SPDX-License-Identifier: Apache-2.0
#include "ui/report/picture_file.h"

#include "core/messages/sentences.h"
#include "core/support/atomic_file.h"
#include "core/support/text.h"
#include "ui/app_state/strings.h"
#include "ui/canvas/list_painter.h"
#include "ui/fonts/bundled_fonts.h"
#include "ui/report/png_stream.h"
#include "ui/theme/theme.h"

#include <QBuffer>
#include <QImage>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>

#include <algorithm>
#include <cmath>

namespace secateur {

namespace {

constexpr std::uint64_t kStripBytes = 64ULL << 20;
constexpr double kUnitsPerInch = 96; ///< one unit of a list is a pixel of 1/96 inch
constexpr double kPointsPerUnit = 72 / kUnitsPerInch;
constexpr double kLongestPage = 14400;       ///< points: 200 inches
constexpr double kPageMargin = 28;           ///< points, of a page that is one of several
constexpr double kMostPoints = 1e12;         ///< of a side: beyond it even counting pages makes no sense
constexpr std::uint64_t kMostPages = 10'000; ///< of one file: minutes of painting
constexpr int kPdfDpi = 288;                 ///< three steps for a unit: thin lines keep their width

/// Where an item may leave marks, a little generous.
Rect reachOf(const DisplayList& list, const DrawItem& item) {
    Rect reach = item.rect;
    const auto include = [&](double left, double top, double right, double bottom) {
        const Rect box{left, top, std::max(right - left, 1e-3), std::max(bottom - top, 1e-3)};
        reach = reach.united(box);
    };
    switch (item.op) {
    case DrawOp::path:
    case DrawOp::polyline:
    case DrawOp::lineBatch:
        for (std::uint32_t i = 0; i < item.count; ++i) {
            const Point p = list.points[item.first + i];
            include(p.x, p.y, p.x, p.y);
        }
        break;
    case DrawOp::rectBatch:
        for (std::uint32_t i = 0; i < item.count; ++i) {
            const Rect& r = list.rects[item.first + i];
            include(r.x, r.y, r.right(), r.bottom());
        }
        break;
    case DrawOp::text: // substitute fonts may be taller than the bundled ones
        reach = reach.inflated(static_cast<double>(item.textPx) * 0.5);
        break;
    case DrawOp::rect:
    case DrawOp::ellipse:
    case DrawOp::hatch: break;
    }
    return reach.inflated(static_cast<double>(item.strokeWidth) + 2);
}

/// The items of a list with their reaches, so that a strip paints what touches it and no more.
class ReachedList {
  public:
    explicit ReachedList(const DisplayList& list) : m_list(list) {
        m_reach.reserve(list.items.size());
        for (const DrawItem& item : list.items)
            m_reach.push_back(reachOf(list, item));
    }
    void paint(QPainter& painter, const Rect& area, ThemeKind theme) {
        for (std::size_t i = 0; i < m_reach.size(); ++i)
            if (m_reach[i].intersects(area)) m_painter.paintItem(painter, m_list, m_list.items[i], theme);
    }

  private:
    const DisplayList& m_list;
    std::vector<Rect> m_reach;
    ListPainter m_painter;
};

Result<void> addRows(PngStream& png, const QImage& strip, int rows, std::vector<std::uint8_t>& row) {
    for (int y = 0; y < rows; ++y) {
        const auto* pixel = reinterpret_cast<const QRgb*>(strip.constScanLine(y));
        for (int x = 0; x < strip.width(); ++x) {
            row[static_cast<std::size_t>(x) * 3] = static_cast<std::uint8_t>(qRed(pixel[x]));
            row[static_cast<std::size_t>(x) * 3 + 1] = static_cast<std::uint8_t>(qGreen(pixel[x]));
            row[static_cast<std::size_t>(x) * 3 + 2] = static_cast<std::uint8_t>(qBlue(pixel[x]));
        }
        TRY(png.addRow(row));
    }
    return {};
}

/// The page that a picture is cut into when nothing else is asked.
std::string pageName(const std::string& asked) {
    return asked.empty() ? "a3" : asked;
}

/// Sizes of pages by name, in points, upright.
QSizeF pageSize(const std::string& name) {
    const QPageSize::PageSizeId id = name == "a4"   ? QPageSize::A4
                                     : name == "a2" ? QPageSize::A2
                                     : name == "a1" ? QPageSize::A1
                                     : name == "a0" ? QPageSize::A0
                                                    : QPageSize::A3;
    return QPageSize(id).size(QPageSize::Point);
}

/// How a picture is cut into pages. All in points.
struct Pages {
    QSizeF page;
    double margin = 0;
    std::uint64_t columns = 1, rows = 1;
    [[nodiscard]] std::uint64_t count() const { return columns * rows; }
};

Pages cutInto(double width, double height, const std::string& page) {
    if (page.empty() && width <= kLongestPage && height <= kLongestPage) return {{width, height}, 0, 1, 1};
    Pages best;
    for (const bool isUpright : {true, false}) {
        Pages pages;
        pages.page = pageSize(page);
        if (!isUpright) pages.page.transpose();
        pages.margin = kPageMargin;
        const auto count = [&](double length, double side) {
            return static_cast<std::uint64_t>(
                std::max(1.0, std::ceil(length / (side - 2 * kPageMargin) - 1e-6)));
        };
        pages.columns = count(width, pages.page.width());
        pages.rows = count(height, pages.page.height());
        const bool isFirst = best.page.isEmpty();
        if (isFirst || pages.count() < best.count()) best = pages;
    }
    return best;
}

void paintPageNumber(QPainter& painter, const Pages& pages, std::uint64_t row, std::uint64_t column,
                     double unit) {
    painter.setPen(QColor(Qt::darkGray));
    QFont font = fontOf(FontFace::SansRegular, 9);
    font.setPixelSize(std::max(1, static_cast<int>(9 * unit)));
    painter.setFont(font);
    painter.drawText(QRectF(0, (pages.page.height() - pages.margin) * unit, pages.page.width() * unit,
                            pages.margin * unit),
                     Qt::AlignCenter,
                     tx("ui.pdf.page", {QString::number(row + 1), QString::number(pages.rows),
                                        QString::number(column + 1), QString::number(pages.columns)}));
}

} // namespace

Result<PictureFileFacts> writePng(const DisplayList& list, const std::filesystem::path& path,
                                  const PictureFileOptions& options, const WorkContext& work) {
    if (!std::isfinite(options.scale) || options.scale <= 0)
        return usageError(formatMessage("ui.png.scale", {std::to_string(options.scale)}));
    const double width = std::ceil(list.width * options.scale),
                 height = std::ceil(list.height * options.scale);
    if (!(width >= 1 && height >= 1 && width <= 2e9 && height <= 2e9))
        return usageError(formatMessage("ui.png.size", {QString::number(width, 'g', 10).toStdString(),
                                                        QString::number(height, 'g', 10).toStdString()}));
    PictureFileFacts facts;
    facts.width = static_cast<std::uint64_t>(width);
    facts.height = static_cast<std::uint64_t>(height);
    const std::uint64_t rowBytes = facts.width * 4;
    const std::uint64_t stripRows = std::clamp<std::uint64_t>(kStripBytes / rowBytes, 1, facts.height);
    facts.strips = static_cast<std::uint32_t>((facts.height + stripRows - 1) / stripRows);
    facts.stripBytes = rowBytes * stripRows;
    QImage strip(static_cast<int>(facts.width), static_cast<int>(stripRows), QImage::Format_RGB32);
    if (strip.isNull())
        return missingHere(formatMessage("ui.png.memory", {std::to_string(facts.stripBytes)}));
    PngStream png =
        TRY(PngStream::create(path, static_cast<std::uint32_t>(facts.width),
                              static_cast<std::uint32_t>(facts.height), kUnitsPerInch * options.scale));
    ReachedList reached(list);
    std::vector<std::uint8_t> row(facts.width * 3);
    for (std::uint64_t top = 0; top < facts.height; top += stripRows) {
        if (work.isCancelled()) return cancelled();
        work.report("ui.phase.export", top, facts.height);
        strip.fill(themeColorOf(options.theme, {ThemeRole::canvas, Shade::solid}));
        const auto rows = static_cast<int>(std::min(stripRows, facts.height - top));
        QPainter painter(&strip);
        painter.translate(0, -static_cast<double>(top));
        painter.scale(options.scale, options.scale);
        reached.paint(painter,
                      {0, static_cast<double>(top) / options.scale, list.width,
                       static_cast<double>(rows) / options.scale},
                      options.theme);
        painter.end();
        TRY(addRows(png, strip, rows, row));
    }
    TRY(png.finish());
    return facts;
}

Result<PictureFileFacts> writePdf(const DisplayList& list, const std::filesystem::path& path,
                                  const PictureFileOptions& options, const WorkContext& work) {
    const double width = std::max(1.0, list.width * kPointsPerUnit);
    const double height = std::max(1.0, list.height * kPointsPerUnit);
    if (!(width < kMostPoints && height < kMostPoints))
        return usageError(formatMessage("ui.pdf.size", {}), path.string());
    const Pages pages = cutInto(width, height, options.page);
    if (pages.count() > kMostPages)
        return usageError(
            formatMessage("ui.pdf.too-many",
                          {formatCount(pages.count()), pageName(options.page), formatCount(kMostPages)}));
    PictureFileFacts facts;
    facts.width = static_cast<std::uint64_t>(std::ceil(width));
    facts.height = static_cast<std::uint64_t>(std::ceil(height));
    if (pages.count() == 1) {
        facts.width = static_cast<std::uint64_t>(std::ceil(pages.page.width()));
        facts.height = static_cast<std::uint64_t>(std::ceil(pages.page.height()));
    }
    facts.columns = static_cast<std::uint32_t>(pages.columns);
    facts.pages = static_cast<std::uint32_t>(pages.count());
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter pdf(&buffer);
    pdf.setTitle(QString::fromStdString(options.title));
    pdf.setCreator(QStringLiteral("secateur"));
    pdf.setResolution(kPdfDpi);
    pdf.setPageSize(QPageSize(pages.page, QPageSize::Point, QString(), QPageSize::ExactMatch));
    pdf.setPageMargins(QMarginsF());
    QPainter painter(&pdf);
    ReachedList reached(list);
    const double unit = kPdfDpi / 72.0; // device steps for a point
    const double wide = pages.page.width() - 2 * pages.margin, tall = pages.page.height() - 2 * pages.margin;
    for (std::uint32_t page = 0; page < facts.pages; ++page) {
        if (work.isCancelled()) return cancelled();
        work.report("ui.phase.export", page, facts.pages);
        if (page > 0) pdf.newPage();
        const std::uint64_t row = page / pages.columns, column = page % pages.columns;
        const Rect area{static_cast<double>(column) * wide / kPointsPerUnit,
                        static_cast<double>(row) * tall / kPointsPerUnit, wide / kPointsPerUnit,
                        tall / kPointsPerUnit};
        painter.save();
        painter.setClipRect(QRectF(pages.margin * unit, pages.margin * unit, wide * unit, tall * unit));
        painter.translate(pages.margin * unit, pages.margin * unit);
        painter.scale(kPdfDpi / kUnitsPerInch, kPdfDpi / kUnitsPerInch);
        painter.translate(-area.x, -area.y);
        reached.paint(painter, area, options.theme);
        painter.restore();
        if (facts.pages > 1) paintPageNumber(painter, pages, row, column, unit);
    }
    painter.end();
    const QByteArray& bytes = buffer.data();
    TRY(writeFile(path, std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size()))));
    return facts;
}

} // namespace secateur
