// SPDX-License-Identifier: Apache-2.0
#include "core/picture/picture_head.h"

#include "core/layout/font_metrics.h"
#include "core/messages/sentences.h"
#include "core/picture/edges.h"
#include "core/picture/legend_view.h"
#include "core/support/text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace secateur {
namespace {

using Sign = PictureHead::Sign;

constexpr double kMargin = 32; ///< of the page, left and right
constexpr double kTop = 22;    ///< above the title
constexpr double kTitlePx = 16, kTextPx = 12, kSignPx = 11;
constexpr double kTitleLine = 24, kTextLine = 20, kSignLine = 20;
constexpr double kAbove = 6;    ///< between the texts and the signs
constexpr double kGap = 6;      ///< between a sign and its words
constexpr double kBetween = 18; ///< between two signs
constexpr double kLeast = 400;  ///< a narrower page would break the legend into a column
constexpr double kWidestTitle = 900;
constexpr ColorRef kInk{ThemeRole::text, Shade::solid}, kQuiet{ThemeRole::muted, Shade::solid};

constexpr std::array<const char*, kOperatorKindCount> kKindWords{
    "ui.kind.layer",     "ui.kind.activation", "ui.kind.pool",      "ui.kind.normalization",
    "ui.kind.shape",     "ui.kind.tensor",     "ui.kind.transform", "ui.kind.quantization",
    "ui.kind.attention", "ui.kind.dropout",    "ui.kind.control",   "ui.kind.constant",
    "ui.kind.input",     "ui.kind.output",     "ui.kind.generic",   "ui.kind.unknown"};

const char* roleWords(NodeRole role) {
    switch (role) {
    case NodeRole::forward: return "ui.role.forward";
    case NodeRole::loss: return "ui.role.loss";
    case NodeRole::backward: return "ui.role.backward";
    case NodeRole::accumulator: return "ui.role.accumulator";
    case NodeRole::optimizer: return "ui.role.optimizer";
    case NodeRole::recompute: return "ui.role.recompute";
    case NodeRole::metric: return "ui.role.metric";
    }
    return "ui.role.forward";
}

/// What a look says; null: nothing that needs words.
const char* lookWords(Look look) {
    switch (look) {
    case Look::removed:
    case Look::removedFaded: return "picture.sign-removed";
    case Look::hole: return "picture.sign-hole";
    case Look::willGo: return "picture.sign-will-go";
    case Look::replaced: return "picture.sign-replaced";
    case Look::changed: return "picture.sign-changed";
    case Look::added: return "picture.sign-added";
    case Look::nothing:
    case Look::card:
    case Look::unlit:
    case Look::front: return nullptr;
    }
    return nullptr;
}

/// Finds out which signs occur.
class SignCollector {
  public:
    SignCollector(const Scene& scene, const ViewRequest& request) : m_scene(scene), m_request(request) {}

    std::vector<Sign> run() {
        lookAtBoxes();
        if (m_request.colorMode == ColorMode::kind) addKinds();
        if (m_request.colorMode == ColorMode::role) addRoles(Sign::Kind::fill);
        if (m_request.colorMode != ColorMode::role && m_scene.state->showRoles) addRoles(Sign::Kind::rail);
        if (m_hasGroups)
            m_signs.push_back({Sign::Kind::group,
                               {ThemeRole::roleForward, Shade::solid},
                               {},
                               {},
                               {},
                               std::string(message("picture.sign-group"))});
        addLooks();
        addRings();
        addFindings();
        addEdges();
        return std::move(m_signs);
    }

  private:
    void lookAtBoxes() {
        for (const PlacedItem& item : m_scene.layout->items) {
            if (item.rect.isEmpty()) continue;
            if (item.node == kNoIndex) {
                m_hasGroups = true;
                m_roles[static_cast<std::size_t>(item.role)] = true;
                continue;
            }
            const CardInput card = cardOf(m_scene, m_request, item.node);
            if (card.look == Look::nothing) continue;
            const auto look = static_cast<std::size_t>(card.look);
            if (!m_looks[look]) m_lookRoles[look] = card.role;
            m_looks[look] = true;
            if (card.look == Look::hole) continue;
            m_isSelected = m_isSelected || card.state.isSelected;
            m_isInStep = m_isInStep || card.state.isInSelectedStep;
            m_findings[static_cast<std::size_t>(card.state.finding)] = true;
            m_roles[static_cast<std::size_t>(card.role)] = true;
            // A removed card has no title bar.
            if (card.look != Look::removed && card.look != Look::removedFaded)
                m_kinds[static_cast<std::size_t>(card.kind)] = true;
        }
    }

    /// Kinds that share a colour share a sign.
    void addKinds() {
        for (std::size_t i = 0; i < m_kinds.size(); ++i) {
            if (!m_kinds[i]) continue;
            const ColorRef color{themeRoleOf(static_cast<OperatorKind>(i)), Shade::solid};
            const Rgb shade = themeColor(ThemeKind::light, color);
            const auto same = std::find_if(m_signs.begin(), m_signs.end(), [&](const Sign& sign) {
                return themeColor(ThemeKind::light, sign.color) == shade;
            });
            const std::string words(message(kKindWords[i]));
            if (same == m_signs.end())
                m_signs.push_back({Sign::Kind::fill, color, {}, {}, {}, words});
            else
                same->words += ", " + lowered(words);
        }
    }
    static std::string lowered(std::string words) {
        if (!words.empty() && words[0] >= 'A' && words[0] <= 'Z')
            words[0] = static_cast<char>(words[0] - 'A' + 'a');
        return words;
    }

    void addRoles(Sign::Kind kind) {
        for (std::size_t i = 0; i < m_roles.size(); ++i) {
            if (!m_roles[i]) continue;
            const auto role = static_cast<NodeRole>(i);
            m_signs.push_back({kind,
                               {themeRoleOf(role), Shade::solid},
                               role,
                               {},
                               {},
                               std::string(message(roleWords(role)))});
        }
    }

    void addLooks() {
        bool hasRemoved = false;
        for (std::size_t i = 0; i < m_looks.size(); ++i) {
            const auto look = static_cast<Look>(i);
            const char* words = m_looks[i] ? lookWords(look) : nullptr;
            const bool isRemoved = look == Look::removed || look == Look::removedFaded;
            if (words == nullptr || (isRemoved && hasRemoved)) continue;
            hasRemoved = hasRemoved || isRemoved;
            m_signs.push_back({Sign::Kind::card, {}, m_lookRoles[i], look, {}, std::string(message(words))});
        }
    }

    void addRings() {
        const auto add = [this](DashStyle dash, const char* words) {
            Sign sign;
            sign.kind = Sign::Kind::ring;
            sign.dash = dash;
            sign.words = message(words);
            m_signs.push_back(std::move(sign));
        };
        if (m_isSelected) add(DashStyle::solid, "picture.sign-selected");
        if (m_isInStep) add(DashStyle::dashed, "picture.sign-step");
    }

    void addFindings() {
        const auto add = [this](Finding finding, const char* words) {
            if (!m_findings[static_cast<std::size_t>(finding)]) return;
            Sign sign;
            sign.kind = Sign::Kind::finding;
            sign.finding = finding;
            sign.words = message(words);
            m_signs.push_back(std::move(sign));
        };
        add(Finding::problem, "picture.sign-problem");
        add(Finding::failedCheck, "picture.sign-failed");
    }

    /// One sign for each class of edges, in the colour of the first.
    void addEdges() {
        constexpr std::array<std::pair<EdgeClass, const char*>, 5> kWords{
            {{EdgeClass::data, "picture.sign-data"},
             {EdgeClass::gradient, "picture.sign-gradient"},
             {EdgeClass::stash, "picture.sign-stash"},
             {EdgeClass::capture, "picture.sign-capture"},
             {EdgeClass::control, "picture.sign-control"}}};
        std::array<std::optional<EdgeLook>, kWords.size()> found;
        bool hasPortal = false;
        for (const PlacedEdge& edge : m_scene.layout->edges) {
            std::optional<EdgeLook>& look = found[static_cast<std::size_t>(edge.edgeClass)];
            if (look && (hasPortal || !edge.isPortal)) continue;
            const EdgeLook own = edgeLookOf(m_scene, m_request, edge);
            if (!own.isVisible) continue;
            hasPortal = hasPortal || edge.isPortal;
            if (!edge.isPortal && !look) look = own;
        }
        for (const auto& [edgeClass, words] : kWords) {
            const auto& look = found[static_cast<std::size_t>(edgeClass)];
            if (look)
                m_signs.push_back(
                    {Sign::Kind::edge, look->color, {}, {}, look->dash, std::string(message(words))});
        }
        if (hasPortal)
            m_signs.push_back(
                {Sign::Kind::portal, kQuiet, {}, {}, {}, std::string(message("picture.sign-portal"))});
    }

    const Scene& m_scene;
    const ViewRequest& m_request;
    std::vector<Sign> m_signs;
    std::array<bool, kOperatorKindCount> m_kinds{};
    std::array<bool, kNodeRoleCount> m_roles{};
    std::array<bool, static_cast<std::size_t>(Look::front) + 1> m_looks{};
    std::array<NodeRole, static_cast<std::size_t>(Look::front) + 1> m_lookRoles{};
    std::array<bool, static_cast<std::size_t>(Finding::failedCheck) + 1> m_findings{};
    bool m_hasGroups = false, m_isSelected = false, m_isInStep = false;
};

double widthOf(const Sign& sign) {
    return signWidth(sign) + kGap + textWidth(sign.words, FontFace::SansRegular, kSignPx);
}

/// Left ends and lines of the signs, in as many lines as they need; returns how many.
std::size_t arrange(const PictureHead& head, double pageWidth, std::vector<Point>& at) {
    const double right = pageWidth - kMargin;
    double x = kMargin;
    std::size_t line = 0;
    for (const Sign& sign : head.signs) {
        const double width = widthOf(sign);
        if (x > kMargin && x + width > right) {
            x = kMargin;
            ++line;
        }
        at.push_back({x, static_cast<double>(line)});
        x += width + kBetween;
    }
    return head.signs.empty() ? 0 : line + 1;
}

double textHeight(const PictureHead& head) {
    return kTop + kTitleLine + (head.counts.empty() ? 0 : kTextLine);
}

void drawEdgeSign(const Sign& sign, const Rect& box, DisplayList& out) {
    const double y = box.centerY(), tip = box.right();
    const std::array<Point, 2> line{Point{box.x, y}, Point{tip, y}};
    stroked(out.addPolyline(line.data(), line.size()), sign.color, 1.2F, sign.dash);
    const std::array<Point, 4> head{Point{tip, y}, Point{tip - 6, y - 3}, Point{tip - 6, y + 3},
                                    Point{tip, y}};
    filled(out.addPolyline(head.data(), head.size()), sign.color);
}

void drawRailSign(const Sign& sign, const Rect& box, DisplayList& out) {
    filled(out.addRect({box.x, box.y, 4, box.height}, 2), sign.color);
    const Rect chip{box.x + 6, box.centerY() - 7, 14, 14};
    stroked(filled(out.addRect(chip, 3), {ThemeRole::card, Shade::solid}),
            {ThemeRole::outline, Shade::faded});
    const char letter = roleLetter(sign.role);
    constexpr double kPx = 10;
    const double baseline =
        chip.centerY() + (fontAscent(FontFace::SansBold, kPx) - fontDescent(FontFace::SansBold, kPx)) / 2;
    out.addText({&letter, 1}, chip, baseline, FontFace::SansBold, kPx, sign.color, TextAlign::center);
}

/// A small card as the picture draws it, with its hatching, outline and badge.
void drawCardSign(const Sign& sign, const Rect& box, DisplayList& out) {
    static const std::vector<LayoutRow> kNoRows;
    CardInput card{std::string_view(), kNoRows};
    card.role = sign.role;
    card.look = sign.look == Look::removedFaded ? Look::removed : sign.look;
    card.fill = {ThemeRole::card, Shade::solid};
    card.box = {box.x, box.y, box.width - 6, box.height};
    card.zoom = 0.5;
    drawCard(card, out);
}

void drawGroupSign(const Sign& sign, const Rect& box, DisplayList& out) {
    const Rect sheet{box.x, box.y, box.width - 2, box.height - 2};
    stroked(filled(out.addRect({sheet.x + 2, sheet.y + 2, sheet.width, sheet.height}, 2),
                   {ThemeRole::card, Shade::solid}),
            {ThemeRole::outline, Shade::faded}, 1);
    stroked(filled(out.addRect(sheet, 2), {ThemeRole::card, Shade::solid}), sign.color, 1.2F);
    filled(out.addRect({sheet.x + 3, sheet.bottom() - 5, sheet.width - 6, 3}), sign.color);
}

void drawPortalSign(const Rect& box, DisplayList& out) {
    stroked(filled(out.addRect(box, static_cast<float>(box.height / 2)), {ThemeRole::panel, Shade::solid}),
            kQuiet, 1);
    const Point c{box.x + 8, box.centerY()};
    const std::array<Point, 3> head{Point{c.x - 3, c.y - 1.8}, Point{c.x, c.y + 2.1},
                                    Point{c.x + 3, c.y - 1.8}};
    stroked(out.addPolyline(head.data(), head.size()), kQuiet, 1.3F);
}

/// The ring around a small card.
void drawRingSign(const Sign& sign, const Rect& box, DisplayList& out) {
    stroked(filled(out.addRect(box.inflated(-4), 2), {ThemeRole::card, Shade::solid}),
            {ThemeRole::outline, Shade::solid});
    stroked(out.addRect(box.inflated(-1), 4), {ThemeRole::accent, Shade::solid}, 2, sign.dash);
}

void drawFindingSign(const Sign& sign, const Rect& box, DisplayList& out) {
    static const std::vector<LayoutRow> kNoRows;
    CardInput card{std::string_view(), kNoRows};
    card.fill = {ThemeRole::card, Shade::solid};
    card.state.finding = sign.finding;
    card.box = {box.x, box.y, box.width - 6, box.height - 2};
    card.zoom = 0.5;
    drawCard(card, out);
}

} // namespace

std::vector<Sign> signsOf(const Scene& scene, const ViewRequest& request) {
    return SignCollector(scene, request).run();
}

double signWidth(const Sign& sign) {
    switch (sign.kind) {
    case Sign::Kind::fill: return 11;
    case Sign::Kind::rail: return 20;
    case Sign::Kind::card: return 30;
    case Sign::Kind::group:
    case Sign::Kind::finding:
    case Sign::Kind::portal: return 24;
    case Sign::Kind::ring:
    case Sign::Kind::edge: return 28;
    }
    return 0;
}

void drawSignMark(const Sign& sign, Point at, DisplayList& out) {
    const double width = signWidth(sign);
    const Rect box{at.x, at.y - 6, width, 12};
    switch (sign.kind) {
    case Sign::Kind::fill: filled(out.addRect({at.x, at.y - 5.5, width, 11}, 2), sign.color); break;
    case Sign::Kind::rail: drawRailSign(sign, {at.x, at.y - 7, width, 14}, out); break;
    case Sign::Kind::card: drawCardSign(sign, box, out); break;
    case Sign::Kind::group: drawGroupSign(sign, {at.x, at.y - 7, width, 14}, out); break;
    case Sign::Kind::edge: drawEdgeSign(sign, box, out); break;
    case Sign::Kind::portal: drawPortalSign(box, out); break;
    case Sign::Kind::ring: drawRingSign(sign, {at.x, at.y - 7.5, width, 15}, out); break;
    case Sign::Kind::finding: drawFindingSign(sign, box, out); break;
    }
}

std::string countsText(const LayoutGraph& graph, const PictureState& state, Pane pane) {
    const GroupTally all = tallyAll(graph, state);
    const std::string before = formatCount(all.total), after = formatCount(all.now());
    if (all.removed + all.changed + all.added == 0) return formatMessage("picture.nodes", {before});
    const std::string gone = formatCount(all.removed - all.replaced);
    switch (pane) {
    case Pane::before: return formatMessage("picture.head-before", {before});
    case Pane::after: return formatMessage("picture.head-after", {after, before});
    case Pane::overlay: break;
    }
    if (all.replaced == 0) return formatMessage("picture.head-overlay", {before, gone, after});
    return formatMessage("picture.head-overlay-replaced", {before, gone, formatCount(all.replaced), after});
}

PictureHead headOf(const Scene& scene, const ViewRequest& request, std::string title) {
    PictureHead head;
    head.title = std::move(title);
    head.counts = countsText(*scene.graph, *scene.state, request.pane);
    head.signs = signsOf(scene, request);
    if (request.colorMode == ColorMode::heat && request.heat != nullptr)
        head.heat = heatLegend(*request.heat, scaleOf(*request.heat, scene.state->heat));
    return head;
}

double headWidth(const PictureHead& head) {
    double width = std::min(textWidth(head.title, FontFace::SansBold, kTitlePx), kWidestTitle);
    width = std::max(width, textWidth(head.counts, FontFace::SansRegular, kTextPx));
    if (head.heat) width = std::max(width, legendWidth(*head.heat));
    for (const Sign& sign : head.signs)
        width = std::max(width, widthOf(sign));
    return std::max(kLeast, width + 1 + 2 * kMargin);
}

double headHeight(const PictureHead& head, double pageWidth) {
    std::vector<Point> at;
    const auto lines = static_cast<double>(arrange(head, pageWidth, at));
    return textHeight(head) + (head.heat ? kAbove + kLegendHeight : 0) +
           (lines > 0 ? kAbove + lines * kSignLine : 0);
}

void drawHead(const PictureHead& head, double pageWidth, DisplayList& out) {
    drawText(head.title, {kMargin, kTop + kTitleLine / 2}, pageWidth - 2 * kMargin, FontFace::SansBold,
             kTitlePx, kInk, out);
    drawText(head.counts, {kMargin, kTop + kTitleLine + kTextLine / 2}, pageWidth - 2 * kMargin,
             FontFace::SansRegular, kTextPx, kQuiet, out);
    double y = textHeight(head) + kAbove;
    if (head.heat) {
        drawLegend(*head.heat, {kMargin, y}, out);
        y += kLegendHeight + kAbove;
    }
    std::vector<Point> at;
    arrange(head, pageWidth, at);
    for (std::size_t i = 0; i < at.size(); ++i) {
        const Sign& sign = head.signs[i];
        const double middle = y + (at[i].y + 0.5) * kSignLine;
        drawSignMark(sign, {at[i].x, middle}, out);
        drawText(sign.words, {at[i].x + signWidth(sign) + kGap, middle}, 1e5, FontFace::SansRegular, kSignPx,
                 kQuiet, out);
    }
}

} // namespace secateur
