// SPDX-License-Identifier: Apache-2.0
#include "core/picture/display_list_file.h"

#include "core/messages/sentences.h"

#include <cmath>
#include <cstring>
#include <type_traits>

namespace secateur {
namespace {

/// Changes whenever DrawItem or the order of its enums does.
constexpr std::string_view kMagic = "secateur display list 1\n";

static_assert(std::is_trivially_copyable_v<DrawItem> && std::is_trivially_copyable_v<Point> &&
              std::is_trivially_copyable_v<Rect>);

template <class T> void appendRaw(std::string& out, const T* values, std::size_t count) {
    const std::uint64_t header[2]{count, sizeof(T)};
    out.append(reinterpret_cast<const char*>(header), sizeof header);
    if (count > 0) out.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

class Reader {
  public:
    explicit Reader(std::string_view bytes) : m_rest(bytes) {}

    bool take(std::string_view expected) {
        if (m_rest.substr(0, expected.size()) != expected) return false;
        m_rest.remove_prefix(expected.size());
        return true;
    }
    template <class List> bool take(List& list) {
        using T = typename List::value_type;
        std::uint64_t header[2];
        if (!takeBytes(header, sizeof header) || header[1] != sizeof(T)) return false;
        if (header[0] > m_rest.size() / sizeof(T)) return false;
        list.resize(header[0]);
        return header[0] == 0 || takeBytes(list.data(), header[0] * sizeof(T));
    }
    bool isAtEnd() const { return m_rest.empty(); }

  private:
    bool takeBytes(void* to, std::size_t count) {
        if (m_rest.size() < count) return false;
        std::memcpy(to, m_rest.data(), count);
        m_rest.remove_prefix(count);
        return true;
    }
    std::string_view m_rest;
};

bool isSound(ColorRef color) {
    return static_cast<int>(color.role) < kThemeRoleCount && static_cast<int>(color.shade) < kShadeCount;
}

/// Finite, and small enough that no arithmetic on it overflows.
bool isSound(double number) {
    return std::abs(number) < 1e9;
}

bool isSound(Point point) {
    return isSound(point.x) && isSound(point.y);
}

bool isSound(const Rect& rect) {
    return isSound(rect.x) && isSound(rect.y) && isSound(rect.width) && isSound(rect.height);
}

/// A truth value that came as a byte.
bool isSound(const bool& flag) {
    unsigned char byte = 0;
    std::memcpy(&byte, &flag, 1);
    return byte <= 1;
}

bool isSound(const DisplayList& list, const DrawItem& item) {
    if (item.op > DrawOp::lineBatch || item.dash > DashStyle::dashDot || item.face > FontFace::MonoBold ||
        item.align > TextAlign::right)
        return false;
    if (!isSound(item.fill) || !isSound(item.stroke) || !isSound(item.rect)) return false;
    const double numbers[]{item.strokeWidth, item.radius, item.textPx, item.baselineY, item.hatchGap};
    for (const double number : numbers)
        if (!isSound(number)) return false;
    if (!isSound(item.hasFill) || !isSound(item.hasStroke) || item.strokeWidth <= 0 || item.hatchGap < 1)
        return false;
    std::size_t size = 0;
    switch (item.op) {
    case DrawOp::rect:
    case DrawOp::ellipse:
    case DrawOp::hatch: return true;
    case DrawOp::path:
    case DrawOp::polyline:
    case DrawOp::lineBatch: size = list.points.size(); break;
    case DrawOp::rectBatch: size = list.rects.size(); break;
    case DrawOp::text: size = list.strings.size(); break;
    }
    return item.first <= size && item.count <= size - item.first;
}

} // namespace

std::string writeDisplayList(const DisplayList& list) {
    std::string out(kMagic);
    const double size[2]{list.width, list.height};
    appendRaw(out, size, 2);
    appendRaw(out, list.items.data(), list.items.size());
    appendRaw(out, list.points.data(), list.points.size());
    appendRaw(out, list.rects.data(), list.rects.size());
    appendRaw(out, list.strings.data(), list.strings.size());
    return out;
}

Result<DisplayList> readDisplayList(std::string_view bytes, const std::string& where) {
    const auto damaged = [&] {
        return Error{ErrorCode::invalidInput, std::string(message("picture.list-damaged")), where};
    };
    Reader reader(bytes);
    DisplayList list;
    std::vector<double> size;
    const bool isWhole = reader.take(kMagic) && reader.take(size) && reader.take(list.items) &&
                         reader.take(list.points) && reader.take(list.rects) && reader.take(list.strings) &&
                         reader.isAtEnd();
    if (!isWhole || size.size() != 2 || !isSound(size[0]) || !isSound(size[1])) return damaged();
    list.width = size[0];
    list.height = size[1];
    for (const DrawItem& item : list.items)
        if (!isSound(list, item)) return damaged();
    for (const Point& point : list.points)
        if (!isSound(point)) return damaged();
    for (const Rect& rect : list.rects)
        if (!isSound(rect)) return damaged();
    return list;
}

} // namespace secateur
