// SPDX-License-Identifier: Apache-2.0
#include "core/picture/groups.h"

#include "core/layout/font_metrics.h"
#include "core/layout/node_metrics.h"
#include "core/messages/sentences.h"
#include "core/picture/blob.h"
#include "core/picture/blob_text.h"
#include "core/picture/frames.h"
#include "core/picture/heat.h"
#include "core/support/text.h"

#include <algorithm>
#include <unordered_map>

namespace secateur {
namespace {

constexpr double kLabelPitch = 11;  ///< pixels between names beside blobs too small to hold them
constexpr double kBetweenNames = 8; ///< between one and the next that stands left of it

/// One thing to draw as a blob: an item, or the frame of an open group.
struct Body {
    std::uint32_t group = kNoIndex;
    std::uint8_t column = 0;
    NodeRole role = NodeRole::forward;
    Rect rect;
    GroupTally tally;
    std::uint32_t lit = 0;  ///< nodes that a walk has reached
    std::uint32_t size = 0; ///< nodes that it could reach
    double heat = Heat::kNotMeasured;
    std::uint32_t unknown = 0; ///< nodes that `heat` leaves out
    bool isHovered = false;
};

class GroupPainter {
  public:
    GroupPainter(const Scene& scene, const ViewRequest& request, DisplayList& out)
        : m_scene(scene), m_request(request), m_out(out) {}

    void drawAll(const std::vector<std::uint32_t>& items) {
        collectFrameTitles();
        collectFrameBodies();
        collectItems(items);
        // Top to bottom, so that names beside them keep their distance.
        std::stable_sort(m_bodies.begin(), m_bodies.end(),
                         [](const Body& a, const Body& b) { return a.rect.y < b.rect.y; });
        for (const Body& body : m_bodies)
            draw(body);
    }

  private:
    /// Names of frames that are drawn as such.
    void collectFrameTitles() {
        m_frameTitles.clear();
        const std::vector<GroupFrame>& frames = m_scene.layout->frames;
        for (std::uint32_t f = 0; f < frames.size(); ++f)
            if (frames[f].rect.intersects(m_request.viewport) && isFrameDrawn(m_scene, m_request, f))
                if (const Rect title = frameTitleBox(m_scene, m_request, f); !title.isEmpty())
                    m_frameTitles.push_back(title);
    }

    void collectFrameBodies() {
        const Layout& layout = *m_scene.layout;
        for (std::uint32_t f = 0; f < layout.frames.size() && f < m_scene.state->frames.size(); ++f) {
            const GroupFrame& frame = layout.frames[f];
            if (!frame.rect.intersects(m_request.viewport) || !isFrameBlob(m_scene, m_request, f)) continue;
            for (std::uint8_t column = 0; column < frame.parts.size(); ++column) {
                const std::uint32_t around = frame.around[column];
                const bool isInside = around != kNoIndex && isFrameBlob(m_scene, m_request, around);
                if (!frame.parts[column].isEmpty() && !isInside) m_bodies.push_back(framePart(f, column));
            }
        }
    }

    /// What of an open group stands in one column.
    Body framePart(std::uint32_t f, std::uint8_t column) const {
        const GroupFrame& frame = m_scene.layout->frames[f];
        Body body{frame.group, column, frame.roles[column], frame.parts[column],
                  m_scene.state->frames[f][column]};
        if (f < m_scene.state->walk.frames.size()) setWalk(body, m_scene.state->walk.frames[f][column]);
        if (const HeatSums& heat = m_scene.state->heat; f < heat.frames.size()) {
            body.heat = heat.frames[f][column];
            body.unknown = heat.unknownInFrames[f][column];
        }
        body.isHovered = isHovered(Hit::Kind::frame, f);
        return body;
    }

    void collectItems(const std::vector<std::uint32_t>& items) {
        const Layout& layout = *m_scene.layout;
        for (const std::uint32_t i : items) {
            const PlacedItem& item = layout.items[i];
            if (item.node != kNoIndex || blobAround(m_scene, m_request, i) != kNoIndex) continue;
            Body body{item.group, item.column, item.role, item.rect, {}};
            body.tally = i < m_scene.state->items.size() ? m_scene.state->items[i]
                                                         : GroupTally{.total = item.nodeCount};
            if (i < m_scene.state->walk.items.size()) setWalk(body, m_scene.state->walk.items[i]);
            if (const HeatSums& heat = m_scene.state->heat; i < heat.items.size()) {
                body.heat = heat.items[i];
                body.unknown = heat.unknownInItems[i];
            }
            body.isHovered = isHovered(Hit::Kind::group, i);
            m_bodies.push_back(body);
        }
    }

    bool isHovered(Hit::Kind kind, std::uint32_t index) const {
        return m_request.hovered.kind == kind && m_request.hovered.index == index;
    }

    static void setWalk(Body& body, const WalkTally& tally) {
        body.lit = tally.lit;
        body.size = tally.total;
    }

    void draw(const Body& body) {
        const Point corner = toView(m_request, {body.rect.x, body.rect.y});
        BlobInput blob;
        blob.title = groupTitle(m_scene, body.group);
        blob.siblings = siblingsOf(body, blob.title);
        blob.box = {corner.x, corner.y, body.rect.width * m_request.zoom, body.rect.height * m_request.zoom};
        blob.zoom = m_request.zoom;
        blob.color = {themeRoleOf(body.role), Shade::solid}; // a group is of no kind
        blob.isHovered = body.isHovered;
        blob.isSelected = body.tally.selected > 0;
        placeName(body, blob);
        setContents(body, blob);
        blob.isInSelectedStep = body.tally.inSelectedStep > 0 && !blob.isHole;
        drawBlob(blob, m_out);
        ++m_out.counters.groups;
    }

    /// The names that a title too wide for its box is cut beside: of the groups around it.
    const TellingNames* siblingsOf(const Body& body, std::string_view title) {
        const double px = std::min(kFarTextPx, node_metrics::kTitlePx * m_request.zoom);
        const bool mayFit =
            textWidth(title, FontFace::SansRegular, px) < body.rect.width * m_request.zoom / 2;
        if (mayFit || m_scene.hierarchy == nullptr || body.group >= m_scene.hierarchy->groups.size())
            return nullptr;
        const std::uint32_t parent = m_scene.hierarchy->groups[body.group].parent;
        const auto [at, isNew] = m_siblings.try_emplace(parent);
        if (isNew)
            for (const std::uint32_t g :
                 parent == kNoIndex ? m_scene.hierarchy->roots : m_scene.hierarchy->groups[parent].children)
                at->second.add(groupTitle(m_scene, g));
        return &at->second;
    }

    void setContents(const Body& body, BlobInput& blob) const {
        const GroupTally& tally = body.tally;
        blob.kept = blobShare(tally, m_request.pane);
        blob.words = blobText(tally, m_request.pane);
        blob.isHollow = blob.kept == 0 && tally.total > 0;
        blob.isHole = m_request.pane == Pane::after && blob.isHollow;
        blob.showsRemoved = m_request.pane != Pane::after;
        if (m_request.walk != nullptr) {
            blob.kept = body.size == 0 ? 0 : static_cast<double>(body.lit) / static_cast<double>(body.size);
            blob.words = formatMessage("picture.reached", {formatCount(body.lit), formatCount(body.size)});
            blob.isHollow = body.lit == 0;
            blob.isHole = false;
            blob.showsRemoved = false;
        } else if (m_request.colorMode == ColorMode::heat && m_request.heat != nullptr) {
            blob.words = heatText(*m_request.heat, body.heat, body.unknown);
            blob.barColor = heatColor(scaleOf(*m_request.heat, m_scene.state->heat), body.heat);
        }
    }

    /// Gives a small blob in the first column room for its name: at its left; where a name stands too close
    /// there at its right, or left of that name. None over another box or name.
    void placeName(const Body& body, BlobInput& blob) {
        if (body.column != 0) return;
        const double middle = blob.box.centerY();
        const double left = freeBeside(body, blob, false);
        const double width = textWidth(blob.title, FontFace::SansRegular, kFarTextPx);
        if (left > 0 && middle >= m_lastLeftY + kLabelPitch) {
            m_lastLeftY = middle;
            m_lastLeftWidth = std::min(width, left);
            blob.labelRoom = left;
            return;
        }
        if (const double right = freeBeside(body, blob, true);
            right > 0 && middle >= m_lastRightY + kLabelPitch) {
            m_lastRightY = middle;
            blob.labelRoom = right;
            blob.isLabelRight = true;
            return;
        }
        const double gap = blob.labelGap + m_lastLeftWidth + kBetweenNames;
        if (left < gap + width || middle < m_lastFarY + kLabelPitch) return;
        m_lastFarY = middle;
        blob.labelRoom = left - gap;
        blob.labelGap = gap;
    }

    /// Pixels between the blob and what stands beside it, or the border of the view.
    double freeBeside(const Body& body, const BlobInput& blob, bool isRight) {
        const double half = kLabelPitch / 2;
        const Rect& view = m_request.viewport;
        const double from = isRight ? body.rect.right() : view.x, to = isRight ? view.right() : body.rect.x;
        if (to <= from) return 0;
        double room = (to - from) * m_request.zoom - 8;
        m_found.clear();
        m_scene.layout->itemIndex.query(
            {from, body.rect.centerY() - half / m_request.zoom, to - from, kLabelPitch / m_request.zoom},
            m_found);
        for (const std::uint32_t i : m_found) {
            const Rect& other = m_scene.layout->items[i].rect;
            const double gap = isRight ? other.x - body.rect.right() : body.rect.x - other.right();
            // At the right the other columns begin: a name between two boxes of a row says too little.
            if (gap >= 0) room = isRight ? 0 : std::min(room, gap * m_request.zoom - 8);
        }
        const double width = std::min(room, textWidth(blob.title, FontFace::SansRegular, kFarTextPx));
        const Rect name{isRight ? blob.box.right() + 5 : blob.box.x - width - 5, blob.box.centerY() - half,
                        width, kLabelPitch};
        const bool isOverTitle =
            room > 0 && std::any_of(m_frameTitles.begin(), m_frameTitles.end(),
                                    [&](const Rect& title) { return title.intersects(name); });
        return isOverTitle ? 0 : room;
    }

    const Scene& m_scene;
    const ViewRequest& m_request;
    DisplayList& m_out;
    double m_lastLeftY = -1e9, m_lastRightY = -1e9, m_lastFarY = -1e9;
    double m_lastLeftWidth = 0;                                 ///< of the name at m_lastLeftY
    std::unordered_map<std::uint32_t, TellingNames> m_siblings; ///< by parent
    std::vector<Body> m_bodies;
    std::vector<Rect> m_frameTitles;
    std::vector<std::uint32_t> m_found;
};

} // namespace

void drawGroups(const Scene& scene, const ViewRequest& request, const std::vector<std::uint32_t>& items,
                DisplayList& out) {
    GroupPainter(scene, request, out).drawAll(items);
}

} // namespace secateur
