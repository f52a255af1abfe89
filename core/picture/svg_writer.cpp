// SPDX-License-Identifier: Apache-2.0
#include "core/picture/svg_writer.h"

#include "core/picture/picture_state.h"
#include "core/support/printable.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace secateur {
namespace {

/// Shortest text of a coordinate with one decimal: "12", "-0.5" as "-.5".
void appendNumber(std::string& out, double value) {
    auto tenths = static_cast<std::int64_t>(std::llround(value * 10));
    if (tenths < 0) {
        out += '-';
        tenths = -tenths;
    }
    const std::int64_t whole = tenths / 10;
    if (whole != 0 || tenths == 0) out += std::to_string(whole);
    if (tenths % 10 != 0) {
        out += '.';
        out += static_cast<char>('0' + tenths % 10);
    }
}

/// Escapes text; what XML cannot hold is written out: controls, bytes that are no UTF-8.
void appendEscaped(std::string& out, std::string_view text) {
    for (const char c : printable(text)) {
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        default: out += c;
        }
    }
}

class SvgWriter {
  public:
    SvgWriter(const DisplayList& list, const SvgOptions& options) : m_list(list), m_options(options) {}

    std::string write() {
        for (const DrawItem& item : m_list.items)
            writeItem(item);
        std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"";
        appendNumber(out, m_list.width);
        out += "\" height=\"";
        appendNumber(out, m_list.height);
        out += "\" viewBox=\"0 0 ";
        appendNumber(out, m_list.width);
        out += ' ';
        appendNumber(out, m_list.height);
        out += "\">\n";
        if (!m_options.title.empty()) {
            out += "<title>";
            appendEscaped(out, m_options.title);
            out += "</title>\n";
        }
        out += "<style>text{white-space:pre}";
        out += ".s{font-family:'Noto Sans',sans-serif}.b{font-family:'Noto Sans',sans-serif;font-weight:700}";
        out += ".m{font-family:'Noto Sans Mono',monospace}";
        std::vector<std::pair<std::string, std::string>> byName;
        for (const auto& [style, name] : m_classes)
            byName.emplace_back(name, style);
        std::sort(byName.begin(), byName.end(), [](const auto& a, const auto& b) {
            return a.first.size() != b.first.size() ? a.first.size() < b.first.size() : a.first < b.first;
        });
        for (const auto& [name, style] : byName)
            out += "." + name + "{" + style + "}";
        out += "</style>\n<defs>";
        out += m_defs;
        out += "</defs>\n";
        out += m_body;
        out += "</svg>\n";
        return out;
    }

  private:
    std::string hex(ColorRef color) const { return toHex(themeColor(m_options.theme, color)); }

    /// The class of a style, made on first use.
    const std::string& classOf(const std::string& style) {
        const auto [it, isNew] = m_classes.try_emplace(style);
        if (isNew) it->second = "c" + std::to_string(m_classes.size() - 1);
        return it->second;
    }

    std::string paintOf(const DrawItem& item) const {
        std::string style = "fill:" + (item.hasFill ? hex(item.fill) : std::string("none"));
        if (!item.hasStroke) return style;
        style += ";stroke:" + hex(item.stroke);
        if (item.strokeWidth != 1) {
            style += ";stroke-width:";
            appendNumber(style, item.strokeWidth);
        }
        const DashPattern dash = dashPattern(item.dash);
        for (int i = 0; i < dash.count; ++i) {
            style += i == 0 ? ";stroke-dasharray:" : " ";
            appendNumber(style, dash.lengths[i]);
        }
        return style;
    }

    void attribute(const char* name, double value) {
        m_body += name;
        appendNumber(m_body, value);
        m_body += '"';
    }
    void point(Point p) {
        appendNumber(m_body, p.x);
        m_body += ' ';
        appendNumber(m_body, p.y);
    }
    void close(const DrawItem& item) { m_body += " class=\"" + classOf(paintOf(item)) + "\"/>\n"; }

    void writeItem(const DrawItem& item) {
        switch (item.op) {
        case DrawOp::rect: return writeRect(item);
        case DrawOp::ellipse: return writeEllipse(item);
        case DrawOp::path: return writePath(item);
        case DrawOp::polyline: return writePolyline(item);
        case DrawOp::text: return writeText(item);
        case DrawOp::hatch: return writeHatch(item);
        case DrawOp::rectBatch: return writeRectBatch(item);
        case DrawOp::lineBatch: return writeLineBatch(item);
        }
    }

    void writeBox(const Rect& rect) {
        attribute("<rect x=\"", rect.x);
        attribute(" y=\"", rect.y);
        attribute(" width=\"", rect.width);
        attribute(" height=\"", rect.height);
    }
    void writeRect(const DrawItem& item) {
        if (item.rect.isEmpty()) return;
        writeBox(item.rect);
        if (item.radius > 0) attribute(" rx=\"", item.radius);
        close(item);
    }
    void writeEllipse(const DrawItem& item) {
        attribute("<ellipse cx=\"", item.rect.centerX());
        attribute(" cy=\"", item.rect.centerY());
        attribute(" rx=\"", item.rect.width / 2);
        attribute(" ry=\"", item.rect.height / 2);
        close(item);
    }
    void writePath(const DrawItem& item) {
        const Point* p = &m_list.points[item.first];
        m_body += "<path d=\"M";
        point(p[0]);
        for (std::uint32_t k = 1; k + 2 < item.count; k += 3)
            writeCubic(p + k - 1);
        m_body += '"';
        close(item);
    }
    /// Most pieces are straight, and short to write then.
    void writeCubic(const Point* p) {
        const bool isVertical = p[0].x == p[1].x && p[1].x == p[2].x && p[2].x == p[3].x;
        const bool isHorizontal = p[0].y == p[1].y && p[1].y == p[2].y && p[2].y == p[3].y;
        if (isVertical) {
            m_body += 'V';
            appendNumber(m_body, p[3].y);
        } else if (isHorizontal) {
            m_body += 'H';
            appendNumber(m_body, p[3].x);
        } else {
            m_body += 'C';
            point(p[1]);
            m_body += ' ';
            point(p[2]);
            m_body += ' ';
            point(p[3]);
        }
    }
    void writePolyline(const DrawItem& item) {
        m_body += "<path d=\"";
        for (std::uint32_t k = 0; k < item.count; ++k) {
            m_body += k == 0 ? 'M' : 'L';
            point(m_list.points[item.first + k]);
        }
        m_body += '"';
        close(item);
    }
    void writeText(const DrawItem& item) {
        const char* face = item.face == FontFace::SansBold      ? "b"
                           : item.face == FontFace::SansRegular ? "s"
                                                                : "m";
        std::string style = "fill:" + hex(item.stroke) + ";font-size:";
        appendNumber(style, item.textPx);
        style += "px";
        double x = item.rect.x;
        if (item.align == TextAlign::center) {
            style += ";text-anchor:middle";
            x = item.rect.centerX();
        } else if (item.align == TextAlign::right) {
            style += ";text-anchor:end";
            x = item.rect.right();
        }
        attribute("<text x=\"", x);
        attribute(" y=\"", item.baselineY);
        m_body += " class=\"";
        m_body += face;
        m_body += ' ' + classOf(style) + "\">";
        appendEscaped(m_body, m_list.textOf(item));
        m_body += "</text>\n";
    }
    /// The hatch is a pattern, one for each colour and gap, fixed to the page so that neighbours line up.
    void writeHatch(const DrawItem& item) {
        if (item.rect.isEmpty()) return;
        const std::string color = hex(item.stroke);
        std::string key = color;
        appendNumber(key, item.hatchGap);
        const auto [it, isNew] = m_patterns.try_emplace(key);
        if (isNew) {
            it->second = "h" + std::to_string(m_patterns.size() - 1);
            std::string gap;
            appendNumber(gap, item.hatchGap);
            m_defs += "<pattern id=\"" + it->second + "\" width=\"" + gap + "\" height=\"" + gap +
                      "\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><path d=\"M0 0V" +
                      gap + "\" stroke=\"" + color + "\" stroke-width=\"2\"/></pattern>";
        }
        writeBox(item.rect);
        m_body += " fill=\"url(#" + it->second + ")\"/>\n";
    }
    void writeRectBatch(const DrawItem& item) {
        m_body += "<path d=\"";
        for (std::uint32_t k = 0; k < item.count; ++k) {
            const Rect& r = m_list.rects[item.first + k];
            m_body += 'M';
            point({r.x, r.y});
            m_body += 'h';
            appendNumber(m_body, r.width);
            m_body += 'v';
            appendNumber(m_body, r.height);
            m_body += 'h';
            appendNumber(m_body, -r.width);
            m_body += 'z';
        }
        m_body += '"';
        close(item);
    }
    void writeLineBatch(const DrawItem& item) {
        m_body += "<path d=\"";
        for (std::uint32_t k = 0; k + 1 < item.count; k += 2) {
            m_body += 'M';
            point(m_list.points[item.first + k]);
            m_body += 'L';
            point(m_list.points[item.first + k + 1]);
        }
        m_body += '"';
        close(item);
    }

    const DisplayList& m_list;
    const SvgOptions& m_options;
    std::string m_body;
    std::string m_defs;
    std::map<std::string, std::string> m_classes;
    std::map<std::string, std::string> m_patterns;
};

} // namespace

std::string writeSvg(const DisplayList& list, const SvgOptions& options) {
    return SvgWriter(list, options).write();
}

std::string writeSvg(const Scene& scene, ViewRequest request, const SvgOptions& options) {
    const ViewRequest whole = wholePicture(scene, request.pane);
    request.viewport = whole.viewport;
    request.zoom = whole.zoom;
    request.isWholePicture = true;
    DisplayList list;
    compose(scene, request, list);
    return writeSvg(list, options);
}

} // namespace secateur
