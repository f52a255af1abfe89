// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/size_expression.h"
#include "core/onnx/text.h"
#include "core/onnx/type_inference.h"
#include "tests/core/onnx/model_maker.h"

#include <gtest/gtest.h>

namespace secateur {
namespace {

using Dimension = onnx::TensorShapeProto::Dimension;

Dimension named(const std::string& symbol) {
    Dimension dim;
    dim.set_dim_param(symbol);
    return dim;
}

SizeExpression sizeOf(const std::string& symbol) {
    const auto size = SizeExpression::of(named(symbol));
    EXPECT_TRUE(size.has_value()) << symbol;
    return size.value_or(SizeExpression::number(-1));
}

SizeExpression number(std::int64_t value) {
    return SizeExpression::number(value);
}

TEST(SizeExpression, equalSizesHaveOneText) {
    const SizeExpression n = sizeOf("N"), s = sizeOf("S");
    const auto a = n.times(s)->times(number(8))->plus(number(2));
    const auto b = number(2).plus(*s.times(number(4))->times(*n.times(number(2))));
    EXPECT_EQ(a->dimension().dim_param(), "=8*N*S+2");
    EXPECT_EQ(a->dimension().dim_param(), b->dimension().dim_param());
    EXPECT_EQ(n.plus(s)->minus(s)->dimension().dim_param(), "N");
    EXPECT_EQ(n.minus(n)->value(), 0);
    EXPECT_EQ(n.minus(number(1))->dimension().dim_param(), "=N+-1");
}

TEST(SizeExpression, whatIsWrittenIsReadBack) {
    for (const char* text : {"=8*N*S+2", "=-3*S+N*N", "=2*'a b'", "=N*'it''s'", "='2*N'+1", "=2*'=N'"})
        EXPECT_EQ(sizeOf(text).dimension().dim_param(), text);
}

TEST(SizeExpression, aNameOfTheModelIsNeverReadAsASize) {
    // "2*N" is one name: twice N is another size.
    const auto twice = sizeOf("N").times(number(2));
    EXPECT_NE(sizeOf("2*N").dimension().dim_param(), twice->dimension().dim_param());
    EXPECT_NE(sizeOf("2*N").plus(number(1))->dimension().dim_param(),
              twice->plus(number(1))->dimension().dim_param());
}

TEST(SizeExpression, quotientsHaveNoRemainder) {
    const SizeExpression all = *sizeOf("N").times(number(12))->plus(*sizeOf("N").times(sizeOf("S")));
    EXPECT_EQ(all.over(sizeOf("N"))->dimension().dim_param(), "=S+12");
    EXPECT_FALSE(all.over(number(12)).has_value());
    EXPECT_FALSE(all.over(number(0)).has_value());
    EXPECT_FALSE(number(7).over(number(2)).has_value());
    EXPECT_FALSE(number(INT64_MIN).over(number(-1)).has_value());
}

TEST(SizeExpression, whatGrowsTooLongIsNotKnown) {
    SizeExpression power = sizeOf("N"), sum = sizeOf("a");
    std::optional<SizeExpression> next = power;
    for (int i = 0; i < 8 && next; ++i)
        next = next->times(power);
    EXPECT_FALSE(next.has_value());
    next = sum;
    for (int i = 0; i < 8 && next; ++i)
        next = next->plus(sizeOf("b" + std::to_string(i)));
    EXPECT_FALSE(next.has_value());
}

TypeTable inferred(const std::string& text, Model& model) {
    auto loaded = parseModelText("<ir_version: 8, opset_import: [\"\" : 17]>\n" + text);
    EXPECT_TRUE(loaded.ok()) << (loaded.ok() ? "" : loaded.error().toString());
    model = std::move(loaded->model);
    TypeTable types;
    types.inferAll(model);
    return types;
}

std::string typeOf(const std::string& text, std::string_view value) {
    Model model;
    const TypeTable types = inferred(text, model);
    return types.type(model.findValue(value)).text();
}

TEST(SizeInference, productsOfDimensionsAreKnown) {
    EXPECT_EQ(typeOf("g (float[N,S,12,64] x) => (float[a,b,c] y) <int64[3] t = {0, -1, 64}> "
                     "{ y = Reshape(x, t) }",
                     "y"),
              "float[N,=12*S,64]");
    EXPECT_EQ(typeOf("g (float[N,S,4] x) => (float[a,b] y) { y = Flatten<axis=2>(x) }", "y"),
              "float[=N*S,4]");
    EXPECT_EQ(typeOf("g (float[N,4] x, float[M,4] z) => (float[a,4] y) { y = Concat<axis=0>(x, z, x) }", "y"),
              "float[=2*N+M,4]");
}

TEST(SizeInference, shapesThatAreComputedAreFollowed) {
    // x is cut into heads and put together again: the shape is that of x, and inference sees it.
    const std::string text =
        "g (float[N,S,64] x) => (float[a,b,c] y) <int64[1] o = {0}, int64[1] i = {1}, int64[1] h = {8}> "
        "{ s = Shape(x) n = Gather(s, o) l = Gather(s, i) nl = Mul(n, l) nh = Mul(nl, h) "
        "t = Concat<axis=0>(nh, h) v = Reshape(x, t) nl2 = Div(nh, h) u = Div(nl2, n) "
        "w = Concat<axis=0>(n, u, h, h) z = Reshape(v, w) nk = Mul(h, h) "
        "k = Concat<axis=0>(n, l, nk) y = Reshape(z, k) }";
    Model model;
    const TypeTable types = inferred(text, model);
    EXPECT_EQ(types.type(model.findValue("v")).text(), "float[=8*N*S,8]");
    EXPECT_EQ(types.type(model.findValue("z")).text(), "float[N,S,8,8]");
    EXPECT_EQ(types.type(model.findValue("y")).text(), "float[N,S,64]");
    EXPECT_TRUE(types.isOwnSymbol(types.type(model.findValue("v")).dims[0].symbol));
}

TEST(SizeInference, shapesThatTrainingGraphsPutTogetherAreFollowed) {
    // ONNX Runtime writes Concat so, where its gradient needs the lengths.
    auto loaded =
        parseModelText("<ir_version: 8, opset_import: [\"\" : 17, \"com.microsoft\" : 1]>\n"
                       "g (float[N,S,64] x) => (float[a,b,c,d] y) <int64[1] o = {0}, int64[1] i = {1}, "
                       "int64[1] h = {4}, int64[1] k = {16}> { s = Shape(x) n = Gather(s, o) "
                       "l = Gather(s, i) t, per = com.microsoft.ConcatTraining<axis=0>(n, l, h, k) "
                       "y = Reshape(x, t) }");
    ASSERT_TRUE(loaded.ok()) << loaded.error().toString();
    TypeTable types;
    types.inferAll(loaded->model);
    EXPECT_EQ(types.type(loaded->model.findValue("y")).text(), "float[N,S,4,16]");
}

TEST(SizeInference, whatMayBeNegativeIsNoDimension) {
    // For N = 0 the target is -1, which stands for all that is left.
    const std::string type = typeOf("g (float[N] x, float[6] z) => (float[a] y) <int64[1] i = {1}> "
                                    "{ s = Shape(x) t = Sub(s, i) y = Reshape(z, t) }",
                                    "y");
    EXPECT_EQ(type.find("N"), std::string::npos) << type;
}

TEST(SizeInference, a32BitProductWrapsElsewhere) {
    Model model;
    const TypeTable types = inferred("g (float[N] x) => (int32[a] y) <int32[1] h = {8}> "
                                     "{ s = Shape(x) t = Cast<to=6>(s) y = Mul(t, h) }",
                                     model);
    const auto elements = types.elements(model.findValue("y"));
    EXPECT_TRUE(!elements || elements->front().symbol.empty());
}

TEST(SizeInference, aQuestionMarkIsNoName) {
    ModelMaker m;
    const ValueId x = m.input("x", ElementType::float32, {"?", "None", "N"});
    const ValueId z = m.input("z", ElementType::float32, {"?", "None", "N"});
    m.output(m.node("Add", {x, z}));
    TypeTable types;
    types.inferAll(m.model);
    for (const std::size_t i : {0U, 1U})
        EXPECT_NE(types.type(x).dims[i].symbol, types.type(z).dims[i].symbol);
    EXPECT_EQ(types.type(x).dims[2].symbol, types.type(z).dims[2].symbol);
}

/// What is known of the elements of `y`, which are whole numbers; "?" for one of which nothing is.
std::string elementsOfY(const std::string& text) {
    const auto loaded = parseModelText("<ir_version: 8, opset_import: [\"\" : 18]>\n" + text);
    if (!loaded.ok()) return loaded.error().toString();
    TypeTable types;
    types.inferAll(loaded->model);
    const auto elements = types.elements(loaded->model.findValue("y"));
    if (!elements) return "nothing";
    std::string shown;
    for (const Dim& element : *elements)
        shown += (shown.empty() ? "" : ",") + (element.isKnown()        ? std::to_string(*element.value)
                                               : element.symbol.empty() ? "?"
                                                                        : element.symbol);
    return shown;
}

TEST(SizeInference, castsKeepWhatTheTypeHolds) {
    const auto through = [](const std::string& size, int type) {
        return elementsOfY("g (float[" + size + "] x) => (int64[1] y) { s = Shape(x) c = Cast<to=" +
                           std::to_string(type) + ">(s) y = Cast<to=7>(c) }");
    };
    const auto isKnown = [&](const std::string& size, int type) { return through(size, type) == size; };
    EXPECT_TRUE(isKnown("255", onnx::TensorProto::UINT8));
    EXPECT_FALSE(isKnown("300", onnx::TensorProto::UINT8)) << "it wraps";
    EXPECT_FALSE(isKnown("200", onnx::TensorProto::INT8));
    EXPECT_TRUE(isKnown("4100", onnx::TensorProto::FLOAT16));
    EXPECT_FALSE(isKnown("4097", onnx::TensorProto::FLOAT16)) << "it is rounded";
    EXPECT_FALSE(isKnown("257", onnx::TensorProto::BFLOAT16));
    EXPECT_TRUE(isKnown("16777216", onnx::TensorProto::FLOAT));
    EXPECT_FALSE(isKnown("16777217", onnx::TensorProto::FLOAT));
    EXPECT_TRUE(isKnown("16777217", onnx::TensorProto::DOUBLE));
    EXPECT_TRUE(isKnown("N", onnx::TensorProto::INT32));
    for (const int type : {onnx::TensorProto::UINT8, onnx::TensorProto::INT16, onnx::TensorProto::FLOAT16,
                           onnx::TensorProto::FLOAT})
        EXPECT_FALSE(isKnown("N", type)) << type;
}

TEST(SizeInference, largeNumbersDoNotPassThroughNarrowTypes) {
    EXPECT_NE(elementsOfY("g (float[1] x) => (int64[1] y) <int64[1] c = {1099511627777}> { "
                          "n = Cast<to=6>(c) y = Cast<to=7>(n) }"),
              "1099511627777");
    EXPECT_NE(elementsOfY("g (float[5001] x) => (int64[1] y) { s = Shape(x) c = Cast<to=1>(s) p = Mul(c, c) "
                          "y = Cast<to=7>(p) }"),
              "25010001")
        << "the product is rounded";
}

TEST(SizeInference, windowsThatStartBehindTheDataAreNone) {
    const auto sizes = [](int opset, const std::string& attributes) {
        const auto loaded = parseModelText("<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) +
                                           "]>\ng (float[1,1,7,7] x) => (float[1,1,A,B] y) { y = MaxPool<" +
                                           attributes + ">(x) }");
        if (!loaded.ok()) return loaded.error().toString();
        TypeTable types;
        types.inferAll(loaded->model);
        return types.type(loaded->model.findValue("y")).text();
    };
    const std::string wide = "kernel_shape=[2,2], strides=[2,2], pads=[1,1,1,1], ceil_mode=1";
    for (const int opset : {10, 13, 17, 22})
        EXPECT_EQ(sizes(opset, wide), "float[1,1,4,4]") << opset << ": 5 windows, the last in the pads alone";
    EXPECT_EQ(sizes(17, "kernel_shape=[2,2], strides=[2,2], ceil_mode=1"), "float[1,1,4,4]");
    EXPECT_EQ(sizes(17, "kernel_shape=[3,3], strides=[2,2], pads=[1,1,1,1], ceil_mode=1"), "float[1,1,4,4]");
}

TEST(SizeInference, aSpectrumIsOneSided) {
    const auto bins = [](const std::string& attribute) {
        const auto loaded =
            parseModelText("<ir_version: 8, opset_import: [\"\" : 17]>\n"
                           "g (float[1,32,1] x) => (float[A,B,C,D] y) <int64 step = {4}, int64 size = {8}> "
                           "{ y = STFT" +
                           attribute + "(x, step, , size) }");
        if (!loaded.ok()) return loaded.error().toString();
        TypeTable types;
        types.inferAll(loaded->model);
        return types.type(loaded->model.findValue("y")).text();
    };
    EXPECT_EQ(bins(""), "float[1,7,5,2]");
    EXPECT_EQ(bins("<onesided=1>"), "float[1,7,5,2]");
    EXPECT_EQ(bins("<onesided=0>"), "float[1,7,8,2]");
}

TEST(SizeInference, aDefaultSaysNothingOfTheShape) {
    // Whoever calls the model may give w another number of elements.
    EXPECT_NE(elementsOfY("g (float[2] x, float[K] w = {1, 1, 1}) => (int64[1] y) { y = Shape(w) }"), "3");
}

TEST(SizeInference, tensorsOfASequenceHaveSizesOfTheirOwn) {
    const std::string body = "{ a = SequenceAt(s, i) b = SequenceAt(s, j) y = Shape(a) z = Shape(b) }";
    for (const char* type : {"seq(float[N])", "seq(float[?])"}) {
        const auto loaded =
            parseModelText(std::string("<ir_version: 8, opset_import: [\"\" : 18]>\ng (") + type +
                           " s, int64 i, int64 j) => (int64[1] y, int64[1] z) " + body);
        ASSERT_TRUE(loaded.ok()) << loaded.error().toString();
        TypeTable types;
        types.inferAll(loaded->model);
        const Type &a = types.type(loaded->model.findValue("a")),
                   &b = types.type(loaded->model.findValue("b"));
        EXPECT_TRUE(a.dims[0].symbol.empty() || a.dims[0].symbol != b.dims[0].symbol)
            << type << " " << a.text();
    }
}

TEST(SizeInference, aSymbolOfTheFileThatLooksLikeASizeProvesNothing) {
    ModelMaker m;
    const ValueId x = m.input("x", ElementType::float32, {"=2*M"});
    const ValueId z = m.input("z", ElementType::float32, {"M"});
    const ValueId y = m.node("Relu", {x});
    const ValueId w = m.node("Concat", {z, z}, {Attribute::of("axis", std::int64_t{0})});
    m.output(y);
    m.output(w);
    TypeTable types;
    types.inferAll(m.model);
    EXPECT_EQ(types.type(w).text(), "float[=2*M]");
    EXPECT_NE(types.type(y).text(), types.type(w).text());
}

} // namespace
} // namespace secateur
