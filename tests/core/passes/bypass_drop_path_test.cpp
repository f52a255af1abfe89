// SPDX-License-Identifier: Apache-2.0
#include "tests/core/passes/pass_fixture.h"

namespace secateur {
namespace {

using testing::PassGraph;
using Names = std::vector<std::string>;
constexpr std::string_view kPass = "bypass-drop-path";

Type batchOf(std::vector<std::int64_t> behind) {
    Type type = Type::tensor(ElementType::float32, std::move(behind));
    type.dims.insert(type.dims.begin(), Dim{std::nullopt, "N"});
    return type;
}

/// What a test varies in the pattern.
struct Form {
    float keep = 0.8F;
    float divisor = 0.8F;
    float high = 1.0F;
    std::int64_t behind = 1; ///< second dimension of the mask
    bool scalesMask = true;  ///< mask / keep, else branch / keep
    bool readsMask = false;  ///< the mask is an output, too
};

/// x [N,4] -> Relu -> r; a mask of shape [N,1]; y = x + r * mask / keep.
struct DropPathGraph : PassGraph {
    ValueId x, r, shape, keep, divisor;

    explicit DropPathGraph(const Form& form) : PassGraph(17) {
        x = input("x", batchOf({4}));
        r = add("Relu", {x}, "r");
        keep = scalar("keep", form.keep);
        divisor = scalar("divisor", form.divisor);
        const ValueId zero = initializer("zero", makeInt64Tensor({1}, {0}));
        const ValueId length =
            add("Gather", {add("Shape", {r}, "s"), zero}, "n", {Attribute::of("axis", std::int64_t{0})});
        const ValueId behind = initializer("behind", makeInt64Tensor({1}, {form.behind}));
        shape = add("Concat", {length, behind}, "mask_shape", {Attribute::of("axis", std::int64_t{0})});
    }

    void finish(ValueId mask, const Form& form) {
        const ValueId scaled = add("Div", {form.scalesMask ? mask : r, divisor}, "scaled");
        const ValueId dropped =
            form.scalesMask ? add("Mul", {r, scaled}, "dropped") : add("Mul", {scaled, mask}, "dropped");
        output(add("Add", {x, dropped}, "y"));
        if (form.readsMask) output(mask);
    }
    ValueId bernoulli() { return add("Bernoulli", {add("Expand", {keep, shape}, "p")}, "mask"); }
    ValueId uniform(float high) {
        const ValueId zeros = add("ConstantOfShape", {shape}, "z");
        return add("RandomUniformLike", {zeros}, "u",
                   high == 1.0F ? AttributeList{} : AttributeList{Attribute::of("high", high)});
    }
};

TEST(BypassDropPath, bernoulliGoesWithMaskAndScale) {
    for (const bool scalesMask : {true, false}) {
        Form form;
        form.scalesMask = scalesMask;
        DropPathGraph g(form);
        g.finish(g.bernoulli(), form);
        g.run(kPass);
        EXPECT_EQ(g.ops(), (Names{"Relu", "Add"}));
        EXPECT_EQ(g.applied(), Names{"bypass-drop-path.bypass"});
        EXPECT_EQ(g.records.front().exactness, Exactness::conversion);
        EXPECT_EQ(g.records.front().equalValues.front().second, g.r);
    }
}

TEST(BypassDropPath, floorOfUniformPlusKeep) {
    const Form form;
    DropPathGraph g(form);
    g.finish(g.add("Floor", {g.add("Add", {g.uniform(1), g.keep}, "q")}, "mask"), form);
    g.run(kPass);
    EXPECT_EQ(g.ops(), (Names{"Relu", "Add"}));
}

TEST(BypassDropPath, comparisonsOfUniform) {
    for (const char* op : {"Less", "LessOrEqual", "Greater", "GreaterOrEqual"}) {
        const bool isLess = std::string_view(op).starts_with("Less");
        const Form form;
        DropPathGraph g(form);
        const ValueId bound = isLess ? g.keep : g.scalar("drop", 0.2F);
        const ValueId mask = g.add("Cast", {g.add(op, {g.uniform(1), bound}, "c")}, "mask",
                                   {Attribute::of("to", std::int64_t{1})});
        g.finish(mask, form);
        g.run(kPass);
        EXPECT_EQ(g.ops(), (Names{"Relu", "Add"})) << op;
    }
}

TEST(BypassDropPath, scalingBehindTheProduct) {
    const Form form;
    DropPathGraph g(form);
    const ValueId product = g.add("Mul", {g.r, g.bernoulli()}, "product");
    g.output(g.add("Add", {g.x, g.add("Div", {product, g.divisor}, "scaled")}, "y"));
    g.run(kPass);
    EXPECT_EQ(g.ops(), (Names{"Relu", "Add"}));
}

TEST(BypassDropPath, theDivisorMustBeTheKeepProbability) {
    Form form;
    form.divisor = 0.7F;
    DropPathGraph g(form);
    g.finish(g.bernoulli(), form);
    g.run(kPass);
    EXPECT_TRUE(g.records.empty());
    EXPECT_TRUE(g.hasMiss("bypass-drop-path.miss.scale"));
}

TEST(BypassDropPath, anUnscaledMaskStays) {
    const Form form;
    DropPathGraph g(form);
    g.output(g.add("Mul", {g.r, g.bernoulli()}, "y"));
    g.run(kPass);
    EXPECT_TRUE(g.records.empty());
    EXPECT_TRUE(g.hasMiss("bypass-drop-path.miss.scale"));
}

TEST(BypassDropPath, aMaskForEveryElementStays) {
    Form form;
    form.behind = 4;
    DropPathGraph g(form);
    g.finish(g.bernoulli(), form);
    g.run(kPass);
    EXPECT_TRUE(g.records.empty());
    EXPECT_TRUE(g.hasMiss("bypass-drop-path.miss.shape"));
}

TEST(BypassDropPath, aDrawOverAnotherRangeStays) {
    const Form form;
    DropPathGraph g(form);
    g.finish(g.add("Floor", {g.add("Add", {g.uniform(2), g.keep}, "q")}, "mask"), form);
    g.run(kPass);
    EXPECT_TRUE(g.records.empty());
}

TEST(BypassDropPath, aMaskReadElsewhereStaysForItsOtherReader) {
    Form form;
    form.readsMask = true;
    DropPathGraph g(form);
    g.finish(g.bernoulli(), form);
    g.run(kPass);
    EXPECT_EQ(g.outputNames(), (Names{"y", "mask"}));
    const Names ops = g.ops();
    EXPECT_EQ(std::count(ops.begin(), ops.end(), "Bernoulli"), 1);
    EXPECT_EQ(std::count(ops.begin(), ops.end(), "Mul"), 0);
}

} // namespace
} // namespace secateur
