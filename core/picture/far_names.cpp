// SPDX-License-Identifier: Apache-2.0
#include "core/picture/far_names.h"

#include "core/layout/font_metrics.h"
#include "core/picture/blob.h"
#include "core/picture/card.h"
#include "core/picture/edges.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace secateur {
namespace {

constexpr std::size_t kEnough = 24; ///< names in a view
constexpr std::size_t kMostBoxes =
    3000; ///< of which the largest are looked for: more are too small for names
constexpr std::size_t kMostLooked = 400; ///< of the largest
constexpr double kWidest = 110;          ///< on screen
constexpr double kLine = 10;             ///< height of a line, a little more than its letters
constexpr double kGap = 3;               ///< between box and name

class FarNames {
  public:
    FarNames(const Scene& scene, const ViewRequest& request, DisplayList& out)
        : m_scene(scene), m_request(request), m_out(out) {
        for (const DrawItem& item : out.items)
            if (item.op == DrawOp::text) m_taken.push_back(item.rect);
        // A page has its title and legend above the picture.
        if (request.isWholePicture) m_top = toView(request, {0, scene.layout->bounds.y}).y;
    }

    void draw(std::vector<std::uint32_t> items) {
        if (items.size() > kMostBoxes) return;
        std::erase_if(items, [this](std::uint32_t i) { return !hasName(i); });
        const std::size_t looked = std::min(items.size(), kMostLooked);
        std::partial_sort(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(looked), items.end(),
                          [this](std::uint32_t a, std::uint32_t b) { return rankOf(a) < rankOf(b); });
        for (std::size_t i = 0; i < looked && m_named < kEnough; ++i)
            drawName(items[i]);
    }

  private:
    [[nodiscard]] const PlacedItem& item(std::uint32_t i) const { return m_scene.layout->items[i]; }

    /// Seen in this pane, and not as a hole.
    [[nodiscard]] bool isShown(std::uint32_t i) const {
        const Look look = lookOf(m_scene.state->stateOf(item(i).node).diff, m_request.pane);
        return look != Look::nothing && look != Look::hole;
    }

    /// Names are given as if all boxes of Before and After stood here, so that the panes, which stand beside
    /// each other, name the same ones.
    [[nodiscard]] bool hasName(std::uint32_t i) const {
        return m_scene.state->stateOf(item(i).node).diff != DiffState::absent && !titleOf(i).empty();
    }

    [[nodiscard]] std::string_view titleOf(std::uint32_t i) const {
        const NodeFace* face = m_scene.state->faceOf(item(i).node, m_request.pane);
        return face ? face->title : m_scene.graph->nodes[item(i).node].title;
    }

    /// What is selected, then the largest, then as the program has them.
    [[nodiscard]] std::tuple<bool, double, std::uint32_t> rankOf(std::uint32_t i) const {
        const Rect& box = item(i).rect;
        return {!m_scene.state->stateOf(item(i).node).isSelected, -box.width * box.height, item(i).node};
    }

    void drawName(std::uint32_t i) {
        const std::string name = elideMiddleToWidth(titleOf(i), FontFace::SansRegular, kFarTextPx, kWidest);
        const double width = textWidth(name, FontFace::SansRegular, kFarTextPx);
        const Rect& world = item(i).rect;
        const Point corner = toView(m_request, {world.x, world.y});
        const double right = corner.x + world.width * m_request.zoom;
        const double middle = corner.y + world.height * m_request.zoom / 2;
        for (const double left : {right + kGap, corner.x - kGap - width}) {
            const Rect place{left, middle - kLine / 2, width, kLine};
            if (!isFree(place)) continue;
            m_taken.push_back(place);
            ++m_named;
            if (!isShown(i)) return;
            ++m_out.counters.labels;
            // Lines pass below it, not through it.
            filled(m_out.addRect({place.x - 1, place.y, place.width + 2, place.height}, 2),
                   {ThemeRole::canvas, Shade::solid});
            drawText(name, {left, middle}, width + 1, FontFace::SansRegular, kFarTextPx,
                     {ThemeRole::muted, Shade::solid}, m_out);
            return;
        }
    }

    [[nodiscard]] bool isFree(const Rect& place) {
        const bool isInView =
            place.x >= 0 && place.y >= 0 && place.right() <= m_out.width && place.bottom() <= m_out.height;
        if (!isInView || place.y < m_top) return false;
        const Rect apart = place.inflated(2);
        if (std::any_of(m_taken.begin(), m_taken.end(), [&](const Rect& r) { return r.intersects(apart); }))
            return false;
        const Point corner = toWorld(m_request, {place.x, place.y});
        m_found.clear();
        m_scene.layout->itemIndex.query(
            {corner.x, corner.y, place.width / m_request.zoom, place.height / m_request.zoom}, m_found);
        return std::none_of(m_found.begin(), m_found.end(), [this](std::uint32_t i) {
            const std::uint32_t node = item(i).node;
            return node == kNoIndex || m_scene.state->stateOf(node).diff != DiffState::absent;
        });
    }

    const Scene& m_scene;
    const ViewRequest& m_request;
    DisplayList& m_out;
    double m_top = 0;
    std::size_t m_named = 0;
    std::vector<Rect> m_taken;
    std::vector<std::uint32_t> m_found;
};

} // namespace

void drawFarNames(const Scene& scene, const ViewRequest& request, const std::vector<std::uint32_t>& items,
                  DisplayList& out) {
    FarNames(scene, request, out).draw(items);
}

} // namespace secateur
