// SPDX-License-Identifier: Apache-2.0
// Makes the chosen values the outputs of the model: a target inside becomes an output under its own name, and
// every other output is dropped with a reason.
//   outputs loss, w.grad  =>  output logits
// Conversion: the interface changes. Outputs that stay keep their names, order and declared types, and get
// the inferred one where the file declares none; nodes stay.
#include "core/passes/convert/conversion_passes.h"
#include "core/passes/convert/removal.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

namespace secateur {
namespace {

constexpr std::string_view kRule = "choose-targets";

/// A name that says nothing: empty, or a number with or without `%`, as exporters count values. `y1` is a
/// name.
bool isNameless(std::string_view name) {
    if (name.empty()) return true;
    const std::string_view digits = name.front() == '%' ? name.substr(1) : name;
    return !digits.empty() && std::all_of(digits.begin(), digits.end(), [](char c) {
        return std::isdigit(static_cast<unsigned char>(c)) != 0;
    });
}

class TargetChoice {
  public:
    explicit TargetChoice(PassContext& context)
        : m_context(context), m_model(context.model()), m_main(m_model.mainGraph()) {
        m_isTarget.resize(m_model.valueIdCount(), false);
        for (const ValueId target : context.environment().targets) {
            const bool isThere =
                !target.isNone() && m_model.isAlive(target) && m_model.value(target).graph == m_main;
            if (!isThere || m_isTarget[target.index]) continue;
            m_isTarget[target.index] = true;
            m_targets.push_back(target);
        }
    }

    [[nodiscard]] bool hasTargets() const { return !m_targets.empty(); }

    void run() {
        for (const ValueId target : m_targets) {
            if (!fillsOutput(target)) expose(target);
        }
        declareOutputs();
        std::map<Role, std::vector<std::size_t>> drops; // slots by the role of what fills them
        std::size_t slot = 0;
        for (const ValueId output : m_model.graphOutputs(m_main)) {
            if (!output.isNone() && !isTarget(output)) drops[roleOf(output)].push_back(slot);
            ++slot;
        }
        // Slots are named by their values from here on: dropping some moves the others.
        std::vector<std::pair<Role, std::vector<ValueId>>> groups;
        for (const auto& [role, slots] : drops) {
            groups.emplace_back(role, std::vector<ValueId>());
            for (const std::size_t at : slots)
                groups.back().second.push_back(m_model.graphOutputs(m_main)[at]);
        }
        for (const auto& [role, values] : groups)
            drop(role, values);
    }

  private:
    bool isTarget(ValueId value) const { return value.index < m_isTarget.size() && m_isTarget[value.index]; }

    bool fillsOutput(ValueId value) const {
        const NodeId exit = m_model.graph(m_main).exit;
        for (const Use use : m_model.uses(value)) {
            if (use.node == exit) return true;
        }
        return false;
    }

    Role roleOf(ValueId output) const {
        const NodeId producer = output.isNone() ? NodeId() : m_model.producer(output);
        const auto& roles = m_context.environment().roles;
        return producer.isNone() || !roles ? Role::forward : roles->of(producer);
    }

    /// What the output is declared as: what the file says of the value, else what inference found.
    ValueInfoPtr infoOf(ValueId value) const {
        const ValueInfoPtr& declared = m_model.value(value).info;
        ValueInfo info;
        info.type = m_context.types().type(value);
        if (declared && (declared->type.kind != Type::Kind::none || info.type.kind == Type::Kind::none))
            info = *declared;
        info.isListed = false;
        if (info.type.kind == Type::Kind::none && info.verbatim.empty()) return nullptr;
        return std::make_shared<const ValueInfo>(std::move(info));
    }

    void expose(ValueId target) {
        RewriteRecord request;
        request.rule = kRule;
        request.root = m_model.isGraphInput(target) ? NodeId() : m_model.producer(target);
        request.exactness = Exactness::conversion;
        const std::string_view name = m_model.name(target);
        // A name that a person called the target by is one, whatever it looks like.
        const bool isNamed = m_context.environment().areTargetsNamed && !name.empty();
        const bool isTelling = isNamed || (!m_context.environment().areTargetsNamed && !isNameless(name));
        const bool isPlain = isTelling || m_model.producer(target).isNone() || m_model.isGraphInput(target);
        request.reason = Reason(isNamed   ? "choose-targets.expose-named"
                                : isPlain ? "choose-targets.expose"
                                          : "choose-targets.expose-nameless",
                                {target});
        m_context.rewrite(std::move(request), [&](Editor& editor, RewriteRecord& record) {
            if (!isPlain) editor.rename(target, editor.freshName("output"));
            editor.appendGraphOutput(m_main, target, m_model.name(target), infoOf(target));
            if (!record.root.isNone()) record.matched = {record.root};
            return kDone;
        });
    }

    /// A graph output needs a type with a rank (onnx.proto, "GraphProto.output"); files leave it out.
    static bool isWhole(const ValueInfo& info) {
        const bool isTensor = info.type.kind == Type::Kind::tensor;
        return info.type.kind != Type::Kind::none && (!isTensor || info.type.hasShape);
    }

    /// An output whose type the file does not say, and inference found.
    struct Undeclared {
        std::size_t slot = 0;
        ValueId value;
        ValueInfoPtr info;
    };

    [[nodiscard]] std::vector<Undeclared> undeclaredOutputs() const {
        std::vector<Undeclared> found;
        for (std::size_t slot = 0; slot < m_model.graphOutputs(m_main).size(); ++slot) {
            const ValueId value = m_model.graphOutputs(m_main)[slot];
            const ValueInfoPtr& given = (*m_model.graph(m_main).outputs)[slot].info;
            if (value.isNone() || !isTarget(value) || (given && isWhole(*given))) continue;
            // What else is said of the output stays; names of sizes that inference made up are nobody's.
            auto info = given ? std::make_shared<ValueInfo>(*given) : std::make_shared<ValueInfo>();
            info->type = m_context.types().type(value);
            for (Dim& dim : info->type.dims)
                if (m_context.types().isOwnSymbol(dim.symbol)) dim.symbol.clear();
            if (isWhole(*info)) found.push_back({slot, value, std::move(info)});
        }
        return found;
    }

    /// All at once: an edit of the outputs holds all of them, and there may be tens of thousands.
    void declareOutputs() {
        const std::vector<Undeclared> found = undeclaredOutputs();
        if (found.empty()) return;
        const ValueId first = found.front().value;
        RewriteRecord request;
        request.rule = kRule;
        request.root = m_model.producer(first);
        request.exactness = Exactness::conversion;
        request.reason =
            found.size() == 1
                ? Reason("choose-targets.declare", {first, found.front().info->type.text()})
                : Reason("choose-targets.declare.all", {static_cast<std::int64_t>(found.size()), first});
        m_context.rewrite(std::move(request), [&](Editor& editor, RewriteRecord&) {
            std::vector<ValueId> values;
            for (const ValueId output : m_model.graphOutputs(m_main))
                values.push_back(output);
            std::vector<OutputSlot> slots = *m_model.graph(m_main).outputs;
            for (const Undeclared& output : found)
                slots[output.slot].info = output.info;
            editor.setGraphOutputs(m_main, values, std::move(slots));
            return kDone;
        });
    }

    void drop(Role role, const std::vector<ValueId>& values) {
        static constexpr std::array<std::string_view, 7> kReasons{
            "choose-targets.drop.forward",   "choose-targets.drop.loss",
            "choose-targets.drop.backward",  "choose-targets.drop.accumulator",
            "choose-targets.drop.optimizer", "choose-targets.drop.recompute",
            "choose-targets.drop.metric"};
        const std::string reason(kReasons[static_cast<std::size_t>(role)]);
        RewriteRecord request;
        request.rule = kRule;
        request.exactness = Exactness::conversion;
        request.erasedValues = values;
        request.reason = Reason(reason + ".all", {static_cast<std::int64_t>(values.size()), values.front()});
        for (const ValueId value : values) {
            request.valueReasons.emplace_back(value, Reason(reason, {value}));
        }
        m_context.rewrite(std::move(request), [&](Editor& editor, RewriteRecord&) {
            std::vector<bool> goes(m_model.valueIdCount(), false);
            for (const ValueId value : values)
                goes[value.index] = true;
            std::vector<ValueId> kept;
            std::vector<OutputSlot> slots;
            for (std::size_t at = 0; const ValueId output : m_model.graphOutputs(m_main)) {
                const OutputSlot& slot = (*m_model.graph(m_main).outputs)[at++];
                if (output.isNone() || goes[output.index]) continue;
                kept.push_back(output);
                slots.push_back(slot);
            }
            editor.setGraphOutputs(m_main, kept, std::move(slots));
            return kDone;
        });
    }

    PassContext& m_context;
    const Model& m_model;
    GraphId m_main;
    std::vector<ValueId> m_targets;
    std::vector<bool> m_isTarget; ///< by value
};

class ChooseTargets final : public Pass {
  public:
    [[nodiscard]] const PassInfo& info() const override {
        static const PassInfo kInfo = passInfo(std::string(kRule), Exactness::conversion);
        return kInfo;
    }

    Result<void> run(PassContext& context) const override {
        TargetChoice choice(context);
        if (!choice.hasTargets()) {
            context.ask({Reason("choose-targets.ask"), "target", {}, {}});
            return {};
        }
        choice.run();
        return {};
    }
};

} // namespace

const Pass& chooseTargetsPass() {
    static const ChooseTargets pass;
    return pass;
}

} // namespace secateur
