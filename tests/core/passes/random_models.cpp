// SPDX-License-Identifier: Apache-2.0
#include "tests/core/passes/random_models.h"

#include "core/ir/editor.h"
#include "core/ir/journal.h"
#include "core/ir/scalar_tensor.h"
#include "core/onnx/type_inference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace secateur::testing {
namespace {

using Integers = std::vector<std::int64_t>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class Builder {
  public:
    Builder(std::uint64_t seed, std::size_t nodes) : m_editor(m_model) {
        m_random.seed(seed);
        m_main = m_editor.createGraph(GraphKind::main);
        ModelHeader header;
        header.irVersion = 8;
        header.opsets = {{"", oneOf<std::int64_t>({13, 14, 15, 17, 18, 18, 20, 21}), ""}, {"local", 1, ""}};
        m_opset = header.opsets.front().version;
        header.functions = {addFunction()};
        m_editor.setModelHeader(std::move(header));
        m_graph = m_main;
        addInputs();
        for (std::size_t i = 0; i < nodes * 3 && m_made < nodes; ++i)
            addSomething();
        addOutputs();
    }

    Model take() { return std::move(m_model); }

  private:
    std::size_t below(std::size_t count) { return m_random() % count; }
    bool isOneIn(std::size_t count) { return below(count) == 0; }
    template <typename T> T oneOf(std::initializer_list<T> list) {
        return *(list.begin() + below(list.size()));
    }

    const Type& typeOf(ValueId value) const { return m_types.type(value); }
    std::optional<Integers> shapeOf(ValueId value) const {
        const Type& type = typeOf(value);
        if (!type.isTensor() || !type.hasShape) return std::nullopt;
        Integers shape;
        for (const Dim& dim : type.dims) {
            if (!dim.isKnown()) return std::nullopt;
            shape.push_back(*dim.value);
        }
        return shape;
    }
    static bool isFloat(ElementType type) {
        return type == ElementType::float32 || type == ElementType::float64 || type == ElementType::float16;
    }

    void infer() { m_types.inferAll(m_model); }

    void addInputs() {
        const std::array<Integers, 6> shapes{{{2, 3}, {1, 3}, {2, 1, 3}, {3}, {2, 3, 4}, {2, 0}}};
        std::vector<ValueId> inputs;
        for (std::size_t i = 0; i < 3; ++i) {
            const ValueId value = m_editor.createValue(m_main, "x" + std::to_string(i));
            ValueInfo info;
            const ElementType type =
                i == 0 ? ElementType::float32
                       : oneOf({ElementType::float32, ElementType::float32, ElementType::float64,
                                ElementType::int64, ElementType::int32, ElementType::boolean,
                                ElementType::float16});
            info.type = Type::tensor(type, shapes[below(shapes.size())]);
            if (isOneIn(3)) info.type.dims.front() = Dim{std::nullopt, "N"};
            m_editor.setInfo(value, std::make_shared<const ValueInfo>(info));
            inputs.push_back(value);
        }
        m_editor.setGraphInputs(m_main, inputs);
        m_values = inputs;
        infer();
    }

    /// A value of the kind that is wanted; none where there is none.
    template <typename F> ValueId pick(F&& isWanted) {
        std::vector<ValueId> fitting;
        for (const ValueId value : m_values) {
            if (typeOf(value).isTensor() && isWanted(typeOf(value))) fitting.push_back(value);
        }
        if (fitting.empty()) return {};
        // Late ones more often: chains are what rules look for.
        return isOneIn(3) ? fitting[below(fitting.size())]
                          : fitting[fitting.size() - 1 - below(std::min<std::size_t>(2, fitting.size()))];
    }
    ValueId pickFloat() {
        return pick([](const Type& type) { return isFloat(type.element); });
    }
    ValueId pickAny() {
        return pick([](const Type&) { return true; });
    }
    ValueId pickStatic() {
        return pick([](const Type& type) { return type.elementCount().has_value(); });
    }

    ValueId constant(TensorPtr tensor) {
        if (isOneIn(4)) {
            Attribute value = Attribute::of("value", std::move(tensor));
            return m_model.output(m_editor.createNode(m_graph, {"Constant", "", "", {}, {fresh()}, {value}}),
                                  0);
        }
        return m_editor.createInitializer(m_main, fresh(), std::move(tensor));
    }
    ValueId integers(const Integers& numbers) {
        return constant(makeInt64Tensor({static_cast<std::int64_t>(numbers.size())}, numbers));
    }
    /// A constant that broadcasts to `like`, all of one number or of several.
    ValueId constantLike(const Type& like) {
        const double number =
            oneOf({0.0, -0.0, 1.0, 1.0, 2.0, 0.5, 8.0, -1.0, 3.0, 1e-30, kInfinity, kNan, -4.0});
        const bool takesAll = isFloat(like.element);
        const double fit = takesAll ? number : std::floor(std::isfinite(number) ? std::abs(number) : 1);
        Integers dims;
        if (isOneIn(2) && !like.dims.empty() && like.dims.back().isKnown()) dims = {*like.dims.back().value};
        if (isOneIn(4)) dims.insert(dims.begin(), 1);
        const TensorPtr one = scalarTensor(like.element, fit);
        if (!one) return {};
        const std::int64_t count =
            std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
        std::vector<std::byte> raw;
        for (std::int64_t i = 0; i < count; ++i) {
            const bool isOther = isOneIn(9);
            const TensorPtr element = isOther ? scalarTensor(like.element, 2) : one;
            raw.insert(raw.end(), element->payload.data, element->payload.data + element->payload.size);
        }
        return constant(makeTensor(like.element, dims, raw));
    }

    std::string fresh() { return "v" + std::to_string(m_names++); }

    /// Adds a node where inference accepts it, and knows the type of each result.
    void add(std::string op, std::vector<ValueId> inputs, AttributeList attributes = {},
             std::size_t results = 1, JournalMark begin = {}) {
        const JournalMark mark = begin.edits == 0 ? m_model.journal().mark() : begin;
        for (const ValueId input : inputs)
            if (input.isNone() && op != "Clip") return;
        NodeSpec spec{std::move(op), m_nextDomain, "", std::move(inputs), {}, std::move(attributes)};
        for (std::size_t i = 0; i < results; ++i)
            spec.outputs.push_back(fresh());
        const NodeId node = m_editor.createNode(m_graph, spec);
        infer();
        const auto made = m_model.outputs(node);
        const bool isFine =
            m_types.problems().empty() && std::all_of(made.begin(), made.end(), [&](ValueId v) {
                return typeOf(v).kind != Type::Kind::none && typeOf(v).elementCount().value_or(0) < 4096;
            });
        if (!isFine) {
            Journal::unwind(m_model, mark);
            infer();
            return;
        }
        ++m_made;
        for (const ValueId value : made)
            m_values.push_back(value);
    }

    void addSomething() {
        switch (below(22)) {
        case 0:
        case 1:
            return add(oneOf<std::string>({"Relu", "Abs", "Neg", "Exp", "Sigmoid", "Tanh", "Sqrt", "Floor",
                                           "Round", "Sign", "Identity", "Softmax", "Relu", "Abs"}),
                       {pickFloat()});
        case 2:
        case 3: return addBinary();
        case 4:
            return add(
                "Cast", {pickAny()},
                {Attribute::of("to", static_cast<std::int64_t>(oneOf(
                                         {ElementType::float32, ElementType::float64, ElementType::float16,
                                          ElementType::int32, ElementType::int64, ElementType::boolean})))});
        case 5: return addReshape();
        case 6: return addTranspose();
        case 7: return addSqueeze();
        case 8: return addSlice();
        case 9: return addConcat();
        case 10: return addClip();
        case 11: return addReduce();
        case 12: return addShape();
        case 13: return addWhere();
        case 14: return addIf();
        case 15: return addLoop();
        case 16: return addCall();
        case 17: return addPartsAndJoin();
        case 18: return addPads();
        case 19: return addPicks();
        case 20: return addScatter();
        default: return addOdd();
        }
    }

    void addBinary() {
        const ValueId a = pickAny();
        if (a.isNone()) return;
        const Type type = typeOf(a);
        const bool isBoolean = type.element == ElementType::boolean;
        const JournalMark mark = m_model.journal().mark();
        ValueId b =
            isOneIn(3) ? pick([&](const Type& t) { return t.element == type.element; }) : constantLike(type);
        if (b.isNone()) return;
        const std::string op =
            isBoolean ? oneOf<std::string>({"And", "Or", "Xor"})
                      : oneOf<std::string>({"Add", "Add", "Mul", "Mul", "Sub", "Min", "Max", "Div"});
        // Integers divided by nought have no result.
        if (op == "Div" && !isFloat(type.element)) return;
        const bool isSwapped = isOneIn(3);
        add(op, isSwapped ? std::vector{b, a} : std::vector{a, b}, {}, 1, mark);
    }

    void addReshape() {
        const ValueId a = pickStatic();
        if (a.isNone()) return;
        const Integers shape = *shapeOf(a);
        const JournalMark mark = m_model.journal().mark();
        Integers target = shape;
        if (isOneIn(2) && target.size() > 1) {
            target[0] *= target.back();
            target.pop_back();
        } else if (isOneIn(2)) {
            target.push_back(1);
        } else {
            std::reverse(target.begin(), target.end());
        }
        if (!target.empty() && isOneIn(3)) target[below(target.size())] = -1;
        if (!target.empty() && !shape.empty() && target.front() == shape.front() && isOneIn(2)) target[0] = 0;
        add("Reshape", {a, integers(target)}, {}, 1, mark);
    }

    void addTranspose() {
        const ValueId a = pick([](const Type& t) { return t.hasShape; });
        if (a.isNone()) return;
        Integers perm(typeOf(a).dims.size());
        std::iota(perm.begin(), perm.end(), 0);
        std::shuffle(perm.begin(), perm.end(), m_random);
        if (isOneIn(4)) return add("Transpose", {a});
        add("Transpose", {a}, {Attribute::of("perm", perm)});
    }

    void addSqueeze() {
        const ValueId a = pick([](const Type& t) { return t.hasShape; });
        if (a.isNone()) return;
        const auto& dims = typeOf(a).dims;
        const JournalMark mark = m_model.journal().mark();
        Integers ones;
        for (std::size_t i = 0; i < dims.size(); ++i)
            if (dims[i].value == 1) ones.push_back(static_cast<std::int64_t>(i));
        if (!ones.empty() && isOneIn(2))
            return add("Squeeze", {a, integers({ones[below(ones.size())]})}, {}, 1, mark);
        Integers axes{static_cast<std::int64_t>(below(dims.size() + 1))};
        if (isOneIn(4)) axes = {-1};
        add("Unsqueeze", {a, integers(axes)}, {}, 1, mark);
    }

    void addSlice() {
        const ValueId a = pick([](const Type& t) { return t.hasShape && !t.dims.empty(); });
        if (a.isNone()) return;
        const auto axis = static_cast<std::int64_t>(below(typeOf(a).dims.size()));
        const JournalMark mark = m_model.journal().mark();
        const bool isBackwards = isOneIn(4);
        const std::int64_t most = std::numeric_limits<std::int64_t>::max();
        const Integers starts{isBackwards ? -1 : oneOf<std::int64_t>({0, 0, 1, -2})};
        const Integers ends{isBackwards ? -most : oneOf<std::int64_t>({most, 2, 3, most})};
        add("Slice",
            {a, integers(starts), integers(ends), integers({axis}), integers({isBackwards ? -1 : 1})}, {}, 1,
            mark);
    }

    void addConcat() {
        const ValueId a = pick([](const Type& t) { return t.hasShape && !t.dims.empty(); });
        if (a.isNone()) return;
        const auto axis = static_cast<std::int64_t>(below(typeOf(a).dims.size()));
        std::vector<ValueId> inputs{a};
        const ValueId b = pick([&](const Type& t) {
            return t.element == typeOf(a).element && t.dims.size() == typeOf(a).dims.size();
        });
        if (!isOneIn(4)) inputs.push_back(b);
        add("Concat", inputs, {Attribute::of("axis", axis)});
    }

    void addClip() {
        const ValueId a = pickFloat();
        if (a.isNone()) return;
        const ElementType type = typeOf(a).element;
        const JournalMark mark = m_model.journal().mark();
        const auto bound = [&](double number) {
            return isOneIn(4) ? ValueId() : constant(scalarTensor(type, number));
        };
        const ValueId low = bound(oneOf({-2.0, -1.0, 0.0, 1.0, -kInfinity}));
        const ValueId high = bound(oneOf({0.0, 1.0, 6.0, -1.0, kInfinity}));
        add("Clip", {a, low, high}, {}, 1, mark);
    }

    void addReduce() {
        const ValueId a =
            pick([](const Type& t) { return isFloat(t.element) && t.hasShape && !t.dims.empty(); });
        if (a.isNone()) return;
        const Integers axes{static_cast<std::int64_t>(below(typeOf(a).dims.size()))};
        const AttributeList keep{Attribute::of("keepdims", static_cast<std::int64_t>(below(2)))};
        const JournalMark mark = m_model.journal().mark();
        const std::string op =
            oneOf<std::string>({"ReduceMean", "ReduceMax", "ReduceSum", "ReduceMin", "ReduceL1"});
        if (op == "ReduceSum" || m_opset >= 18) return add(op, {a, integers(axes)}, keep, 1, mark);
        AttributeList both = keep;
        both.push_back(Attribute::of("axes", axes));
        add(op, {a}, both, 1, mark);
    }

    void addShape() {
        const ValueId a = pickAny();
        if (a.isNone()) return;
        add("Shape", {a});
        const ValueId shape = m_values.back();
        const auto size = shapeOf(shape);
        if (!size || size->size() != 1 || size->front() == 0 || isOneIn(2)) return;
        const JournalMark mark = m_model.journal().mark();
        add("Gather",
            {shape, integers({static_cast<std::int64_t>(below(static_cast<std::size_t>(size->front())))})},
            {}, 1, mark);
    }

    void addWhere() {
        const ValueId a = pickAny();
        if (a.isNone()) return;
        const ValueId b = pick([&](const Type& t) { return t.element == typeOf(a).element; });
        const JournalMark mark = m_model.journal().mark();
        ValueId condition = pick([](const Type& t) { return t.element == ElementType::boolean; });
        if (condition.isNone() || isOneIn(2))
            condition = constant(
                makeTensor(ElementType::boolean, {}, {std::byte{static_cast<unsigned char>(below(2))}}));
        add("Where", {condition, a, b}, {}, 1, mark);
    }

    /// A branch of a node or two that reads what is outside.
    void addIf() {
        if (m_graph != m_main) return;
        const ValueId a = pickFloat();
        if (a.isNone()) return;
        const JournalMark mark = m_model.journal().mark();
        ValueId condition = pick(
            [](const Type& t) { return t.element == ElementType::boolean && t.hasShape && t.dims.empty(); });
        if (condition.isNone() || isOneIn(2))
            condition = constant(
                makeTensor(ElementType::boolean, {}, {std::byte{static_cast<unsigned char>(below(2))}}));
        const NodeId node = m_editor.createNode(m_main, {"If", "", "", {condition}, {fresh()}, {}});
        for (const char* branch : {"then_branch", "else_branch"}) {
            const GraphId body = m_editor.createGraph(GraphKind::subgraph, m_main);
            m_editor.setGraphParent(body, m_main, node);
            // The same name in two branches is allowed, and what inlining must look out for.
            const std::string inner = isOneIn(2) ? "shared_name_" + std::string(branch) : fresh();
            const std::string op = oneOf<std::string>({"Relu", "Identity", "Neg", "Exp"});
            const NodeId first = m_editor.createNode(body, {op, "", "", {a}, {inner}, {}});
            m_editor.appendGraphOutput(body, m_model.output(first, 0), inner);
            Attribute attribute;
            attribute.name = branch;
            attribute.type = AttributeType::graph;
            attribute.value = body;
            m_editor.setAttribute(node, attribute);
        }
        infer();
        if (!m_types.problems().empty()) {
            Journal::unwind(m_model, mark);
            infer();
            return;
        }
        ++m_made;
        m_values.push_back(m_model.output(node, 0));
    }

    /// A function of two operators, which are repeated or cancel each other where it is called twice.
    GraphId addFunction() {
        const GraphId function = m_editor.createGraph(GraphKind::function);
        GraphHeader header;
        header.name = "f";
        header.domain = "local";
        header.opsets = {{"", m_opset, ""}};
        m_editor.setGraphHeader(function, std::move(header));
        const ValueId input = m_editor.createValue(function, "p");
        m_editor.setGraphInputs(function, std::vector{input});
        const auto unary = [&] { return oneOf<std::string>({"Relu", "Neg", "Abs", "Identity", "Floor"}); };
        const NodeId first = m_editor.createNode(function, {unary(), "", "", {input}, {"q"}, {}});
        const NodeId second =
            m_editor.createNode(function, {unary(), "", "", {m_model.output(first, 0)}, {"r"}, {}});
        m_editor.appendGraphOutput(function, m_model.output(second, 0), "r");
        return function;
    }

    void addCall() {
        const ValueId a = pickFloat();
        if (a.isNone()) return;
        m_nextDomain = "local";
        add("f", {a});
        m_nextDomain.clear();
    }

    /// A Loop that carries one value through an operator, and reads another from outside.
    void addLoop() {
        if (m_graph != m_main) return;
        const ValueId a =
            pick([](const Type& t) { return isFloat(t.element) && t.elementCount().has_value(); });
        if (a.isNone()) return;
        const JournalMark mark = m_model.journal().mark();
        const ValueId trips = constant(makeInt64Tensor({}, {static_cast<std::int64_t>(below(4))}));
        const NodeId node =
            m_editor.createNode(m_main, {"Loop", "", "", {trips, ValueId(), a}, {fresh()}, {}});
        const GraphId body = m_editor.createGraph(GraphKind::subgraph, m_main);
        m_editor.setGraphParent(body, m_main, node);
        std::vector<ValueId> inputs;
        const std::array<Type, 3> types{Type::tensor(ElementType::int64, {}),
                                        Type::tensor(ElementType::boolean, {}), typeOf(a)};
        for (const Type& type : types) {
            inputs.push_back(m_editor.createValue(body, fresh()));
            ValueInfo info;
            info.type = type;
            m_editor.setInfo(inputs.back(), std::make_shared<const ValueInfo>(info));
        }
        m_editor.setGraphInputs(body, inputs);
        const NodeId kept = m_editor.createNode(body, {"Identity", "", "", {inputs[1]}, {fresh()}, {}});
        const std::string op = oneOf<std::string>({"Relu", "Neg", "Abs", "Identity"});
        const NodeId first = m_editor.createNode(body, {op, "", "", {inputs[2]}, {fresh()}, {}});
        const NodeId second =
            m_editor.createNode(body, {"Max", "", "", {m_model.output(first, 0), a}, {fresh()}, {}});
        for (const NodeId made : {kept, second})
            m_editor.appendGraphOutput(body, m_model.output(made, 0), m_model.name(m_model.output(made, 0)));
        Attribute attribute;
        attribute.name = "body";
        attribute.type = AttributeType::graph;
        attribute.value = body;
        m_editor.setAttribute(node, attribute);
        infer();
        if (!m_types.problems().empty() || typeOf(m_model.output(node, 0)).kind == Type::Kind::none) {
            Journal::unwind(m_model, mark);
            infer();
            return;
        }
        ++m_made;
        m_values.push_back(m_model.output(node, 0));
    }

    /// A tensor in parts, joined again, in another order now and then.
    void addPartsAndJoin() {
        const ValueId a = pick([](const Type& t) {
            return t.elementCount().has_value() && !t.dims.empty() && *t.dims.back().value % 2 == 0;
        });
        if (a.isNone()) return;
        const std::size_t before = m_values.size();
        AttributeList attributes{Attribute::of("axis", std::int64_t{-1})};
        if (m_opset >= 18) attributes.push_back(Attribute::of("num_outputs", std::int64_t{2}));
        add("Split", {a}, attributes, 2);
        if (m_values.size() < before + 2) return;
        std::vector<ValueId> parts{m_values[before], m_values[before + 1]};
        if (isOneIn(3)) std::swap(parts[0], parts[1]);
        add("Concat", parts, {Attribute::of("axis", static_cast<std::int64_t>(typeOf(a).dims.size()) - 1)});
        if (isOneIn(2)) add("Split", {m_values.back()}, attributes, 2);
    }

    void addPads() {
        const ValueId a =
            pick([](const Type& t) { return isFloat(t.element) && t.hasShape && !t.dims.empty(); });
        if (a.isNone()) return;
        ValueId at = a;
        for (int i = 0; i < 2; ++i) {
            Integers amounts(2 * typeOf(a).dims.size(), 0);
            for (std::int64_t& amount : amounts)
                amount = oneOf<std::int64_t>({0, 0, 1, -1});
            const JournalMark mark = m_model.journal().mark();
            std::vector<ValueId> inputs{at, integers(amounts)};
            if (isOneIn(2))
                inputs.push_back(constant(scalarTensor(typeOf(a).element, oneOf({0.0, 1.0, -0.0}))));
            const std::size_t before = m_values.size();
            add("Pad", inputs, {}, 1, mark);
            if (m_values.size() == before) return;
            at = m_values.back();
        }
    }

    /// Single places of a tensor, side by side.
    void addPicks() {
        const ValueId a = pick([](const Type& t) {
            return t.hasShape && !t.dims.empty() && t.dims.front().value.value_or(0) > 0;
        });
        if (a.isNone()) return;
        const auto size = static_cast<std::size_t>(*typeOf(a).dims.front().value);
        std::vector<ValueId> picked;
        for (int i = 0; i < 2; ++i) {
            const JournalMark mark = m_model.journal().mark();
            const ValueId index = constant(makeInt64Tensor({}, {static_cast<std::int64_t>(below(size))}));
            std::size_t before = m_values.size();
            add("Gather", {a, index}, {Attribute::of("axis", std::int64_t{0})}, 1, mark);
            if (m_values.size() == before) return;
            const JournalMark next = m_model.journal().mark();
            before = m_values.size();
            add("Unsqueeze", {m_values.back(), integers({oneOf<std::int64_t>({0, 0, -1})})}, {}, 1, next);
            if (m_values.size() == before) return;
            picked.push_back(m_values.back());
        }
        add("Concat", picked, {Attribute::of("axis", std::int64_t{0})});
    }

    void addScatter() {
        const ValueId a = pick([](const Type& t) {
            return isFloat(t.element) && t.elementCount().value_or(0) > 0 && !t.dims.empty();
        });
        if (a.isNone()) return;
        const ValueId b = pick([&](const Type& t) { return t == typeOf(a); });
        const std::int64_t rows = *typeOf(a).dims.front().value;
        Integers places(static_cast<std::size_t>(rows));
        std::iota(places.begin(), places.end(), 0);
        if (isOneIn(3)) std::reverse(places.begin(), places.end());
        const JournalMark mark = m_model.journal().mark();
        const ValueId indices = constant(makeInt64Tensor({rows, 1}, places));
        AttributeList attributes;
        if (m_opset >= 16 && isOneIn(3)) attributes.push_back(Attribute::of("reduction", std::string("add")));
        add("ScatterND", {a, indices, b}, attributes, 1, mark);
    }

    void addOdd() {
        const JournalMark mark = m_model.journal().mark();
        const ValueId a = pickAny();
        if (a.isNone()) return;
        const auto rank = typeOf(a).dims.size();
        switch (below(6)) {
        case 0: return add("Dropout", {pickFloat()});
        case 1: return add("Tile", {a, integers(Integers(rank, isOneIn(3) ? 2 : 1))}, {}, 1, mark);
        case 2: return add("Pad", {pickFloat(), integers(Integers(2 * rank, 0))}, {}, 1, mark);
        case 3: return add("CastLike", {a, pickAny()});
        case 4: return add("Expand", {a, integers(Integers(rank, 1))}, {}, 1, mark);
        default: return add("Not", {pick([](const Type& t) { return t.element == ElementType::boolean; })});
        }
    }

    void addOutputs() {
        for (const ValueId value : m_values) {
            const NodeId producer = m_model.producer(value);
            const bool isMade = !producer.isNone() && m_model.node(producer).kind == NodeKind::operation;
            if (isMade && (!m_model.hasUses(value) ? !isOneIn(6) : isOneIn(6)))
                m_editor.appendGraphOutput(m_main, value, m_model.name(value));
        }
        if (m_model.graphOutputs(m_main).empty())
            m_editor.appendGraphOutput(m_main, m_values.back(), m_model.name(m_values.back()));
    }

    Model m_model;
    Editor m_editor;
    std::mt19937_64 m_random;
    GraphId m_main, m_graph;
    TypeTable m_types;
    std::vector<ValueId> m_values;
    std::int64_t m_opset = 18;
    std::size_t m_made = 0, m_names = 0;
    std::string m_nextDomain; ///< of the node that is added
};

} // namespace

Model randomModel(std::uint64_t seed, std::size_t nodes) {
    return Builder(seed, nodes).take();
}

} // namespace secateur::testing
