// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/layouts.h"

#include <algorithm>
#include <array>

namespace secateur {
namespace {

using Tag = dnnl::memory::format_tag;

constexpr std::array kLayouts{kPlainLayout, kChannelsLast, LayoutCode{8}, LayoutCode{16}};

Tag tagOf(std::size_t rank, LayoutCode layout) {
    static constexpr std::array kPlain{Tag::a,     Tag::a,      Tag::ab,      Tag::abc,     Tag::abcd,
                                       Tag::abcde, Tag::abcdef, Tag::abcdefg, Tag::abcdefgh};
    static constexpr std::array kLast{Tag::acb, Tag::acdb, Tag::acdeb};
    static constexpr std::array k8{Tag::aBc8b, Tag::aBcd8b, Tag::aBcde8b};
    static constexpr std::array k16{Tag::aBc16b, Tag::aBcd16b, Tag::aBcde16b};
    if (layout == kPlainLayout) return kPlain.at(rank);
    if (layout == kChannelsLast) return kLast.at(rank - 3);
    return layout == 8 ? k8.at(rank - 3) : k16.at(rank - 3);
}

} // namespace

dnnl::memory::desc descOf(const Shape& shape, LayoutCode layout, ElementType type) {
    using Data = dnnl::memory::data_type;
    const Data data = type == ElementType::uint8  ? Data::u8
                      : type == ElementType::int8 ? Data::s8
                                                  : Data::f32;
    const dnnl::memory::dims dims = shape.empty() ? dnnl::memory::dims{1} : dnnl::memory::dims(shape);
    return {dims, data, tagOf(dims.size(), layout)};
}

std::optional<LayoutCode> layoutOf(const dnnl::memory::desc& desc, const Shape& shape) {
    for (const LayoutCode layout : kLayouts) {
        if (layout != kPlainLayout && (shape.size() < 3 || shape.size() > 5)) continue;
        if (desc == descOf(shape, layout)) return layout;
    }
    return std::nullopt;
}

bool isUnpadded(const Shape& shape, LayoutCode layout) {
    return layout == kPlainLayout || layout == kChannelsLast ||
           shape[1] % static_cast<std::int64_t>(layout) == 0;
}

LayoutCode canonical(const Shape& shape, LayoutCode layout) {
    if (layout == kPlainLayout || !isUnpadded(shape, layout)) return layout;
    const bool isOnePosition = std::all_of(shape.begin() + 2, shape.end(), [](auto d) { return d == 1; });
    return isOnePosition ? kPlainLayout : layout;
}

std::uint64_t layoutBytes(const Shape& shape, LayoutCode layout) {
    return elementCountOf(physicalShape(shape, layout)).value_or(0) * sizeof(float);
}

Shape physicalShape(const Shape& shape, LayoutCode layout) {
    if (layout == kPlainLayout) return shape;
    Shape physical{shape[0]};
    const auto block = static_cast<std::int64_t>(layout);
    if (layout != kChannelsLast) physical.push_back((shape[1] + block - 1) / block);
    physical.insert(physical.end(), shape.begin() + 2, shape.end());
    physical.push_back(layout == kChannelsLast ? shape[1] : block);
    return physical;
}

} // namespace secateur
