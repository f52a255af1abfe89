// SPDX-License-Identifier: Apache-2.0
#include "core/report/stash_sizes.h"

#include "core/report/report.h"
#include "tests/core/session/session_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace secateur {
namespace {

Type withDims(std::vector<Dim> dims) {
    Type type = Type::tensor(ElementType::float32, {});
    type.dims = std::move(dims);
    return type;
}

TEST(StashSizes, numbersAreAddedUp) {
    StashSizes sizes;
    sizes.add(Type::tensor(ElementType::float32, {16}));
    sizes.add(Type::tensor(ElementType::boolean, {4, 4}));
    EXPECT_EQ(sizes.fixedBytes(), 80U);
    EXPECT_EQ(sizes.text(), "80 B");
}

TEST(StashSizes, aNamedDimensionIsAFactor) {
    StashSizes sizes;
    sizes.add(withDims({Dim{{}, "batch"}, Dim{3072, {}}}));
    EXPECT_EQ(sizes.text(), "batch x 12.0 KiB");
    EXPECT_EQ(sizes.fixedBytes(), 0U);
    sizes.add(withDims({Dim{{}, "seq"}, Dim{{}, "batch"}, Dim{4, {}}}));
    sizes.add(Type::tensor(ElementType::float32, {16}));
    EXPECT_EQ(sizes.text(), "64 B + batch x 12.0 KiB + batch x seq x 16 B");
    EXPECT_EQ(sizes.bytesPer().at("batch"), 12288U);
}

TEST(StashSizes, whatIsUnknownIsSaid) {
    StashSizes sizes;
    sizes.add(withDims({Dim{}, Dim{4, {}}}));
    EXPECT_EQ(sizes.text(), "?");
    sizes.add(Type::tensor(ElementType::float32, {16}));
    EXPECT_EQ(sizes.text(), "64 B and 1 value of unknown size");
}

TEST(StashSizes, whatTheForwardHalfDoesNotMakeIsNoStash) {
    const auto original = testing::openModel(testing::ownModel("classifier.training"));
    const Model& model = original->file.model;
    const auto stashes = activationStashes(*original->roles);
    EXPECT_FALSE(stashes.empty());
    for (const StashEdge* edge : stashes) {
        EXPECT_FALSE(edge->producer.isNone()) << "a weight or an input: " << model.name(edge->value);
        EXPECT_FALSE(edge->readers.empty());
    }
    const auto& all = original->roles->stashes;
    const auto made =
        std::count_if(all.begin(), all.end(), [](const StashEdge& e) { return !e.producer.isNone(); });
    EXPECT_EQ(stashes.size(), static_cast<std::size_t>(made));
    EXPECT_LT(stashes.size(), all.size());
}

} // namespace
} // namespace secateur
