// SPDX-License-Identifier: Apache-2.0
// Says operators that only a training runtime, or only ONNX Runtime, knows in standard ones: the twin of the
// same meaning where there is one, else the arithmetic of the definition with its constants as shared
// initializers. New nodes take the place of the old one, whose name, notes and results they carry on.
//   ConcatTraining => Concat;  LSTMTraining => LSTM;  com.microsoft Gelu => Mul, Erf, Add, Mul, Mul
// Exact for twins; expansions may differ from a fused kernel in the last bit. With a model meant for ONNX
// Runtime, operators that it runs outside of training stay. Operators without a twin stay and are listed.
#include "core/ir/domains.h"
#include "core/ir/function_table.h"
#include "core/ir/journal.h"
#include "core/ir/walk.h"
#include "core/passes/convert/conversion_passes.h"
#include "core/passes/convert/node_parts.h"
#include "core/passes/convert/operator_twin.h"

#include <algorithm>
#include <optional>
#include <string>

namespace secateur {
namespace {

constexpr std::string_view kRule = "standard-operators";

/// By operator name; each name has one twin.
std::map<std::string_view, const OperatorTwin*> twinsByName() {
    std::map<std::string_view, const OperatorTwin*> table;
    for (const auto& twins : {trainingTwins(), activationTwins(), matMulTwins(), normalizationTwins()}) {
        for (const OperatorTwin& twin : twins)
            table.emplace(twin.op, &twin);
    }
    return table;
}

/// Domains whose operators only one runtime knows.
bool isVendorDomain(std::string_view domain) {
    return domain.starts_with("com.microsoft") || domain == "org.pytorch.aten" ||
           domain == "com.ms.internal.nhwc";
}

class Standardizing {
  public:
    explicit Standardizing(PassContext& context)
        : m_context(context), m_model(context.model()), m_table(twinsByName()), m_functions(m_model) {}

    void visit(NodeId node) {
        const auto at = m_table.find(m_model.op(node));
        const OperatorTwin* twin = at == m_table.end() || !isMatch(*at->second, node) ? nullptr : at->second;
        if (twin != nullptr) return convert(*twin, node);
        const bool isForeign =
            isVendorDomain(m_model.domain(node)) && m_functions.calledBy(m_model, node).isNone();
        if (isForeign)
            m_context.miss(
                kRule, node,
                Reason("standard-operators.miss.no-twin", {node, std::string(m_model.domain(node))}));
    }

  private:
    bool isMatch(const OperatorTwin& twin, NodeId node) const {
        const bool isDomain =
            twin.domain.empty() ? m_model.isDefaultDomain(node) : m_model.domain(node) == twin.domain;
        const bool isStandard = twin.standardSince != 0 && opsetOf(m_model, node) >= twin.standardSince;
        return isDomain && !isStandard && m_functions.calledBy(m_model, node).isNone();
    }

    void convert(const OperatorTwin& twin, NodeId node) {
        if (twin.hasRuntimeKernel && m_context.environment().isForOnnxRuntime) {
            return m_context.miss(kRule, node, Reason("standard-operators.miss.runtime-has-it", {node}));
        }
        const AttributeList& attributes = m_model.attributes(node);
        if (std::any_of(attributes.begin(), attributes.end(),
                        [](const Attribute& a) { return !a.reference.empty(); })) {
            return m_context.miss(kRule, node, Reason("standard-operators.miss.attribute-of-call", {node}));
        }
        if (!m_twin) m_twin.emplace(m_model, m_context.types());
        if (std::optional<Reason> why = twin.whyNot(*m_twin, node))
            return m_context.miss(kRule, node, std::move(*why));
        RewriteRecord request;
        request.rule = kRule;
        request.root = node;
        request.matched = {node};
        request.exactness = twin.exactness;
        const std::string domain(shownDomain(twin.domain));
        m_context.rewrite(std::move(request), [&](Editor& editor, RewriteRecord& record) -> Refusal {
            if (Refusal why = twin.apply(*m_twin, editor, node)) return why;
            record.reason =
                Reason("standard-operators.convert", {node, domain, operatorsSince(record.begin)});
            return kDone;
        });
    }

    /// "`Mul`, `Erf`, `Add`": the nodes made since, in the order in which they were made.
    std::string operatorsSince(JournalMark mark) const {
        std::string text;
        for (const Edit& edit : m_model.journal().editsSince(mark)) {
            const NodeId made(edit.id);
            const bool isNode = edit.kind == EditKind::createNode && m_model.isAlive(made) &&
                                m_model.node(made).kind == NodeKind::operation;
            if (isNode) text += (text.empty() ? "`" : ", `") + std::string(m_model.op(made)) + "`";
        }
        return text;
    }

    PassContext& m_context;
    const Model& m_model;
    std::optional<TwinContext> m_twin; ///< made when the first node asks for types
    std::map<std::string_view, const OperatorTwin*> m_table;
    FunctionTable m_functions; // twins add none
};

class StandardOperators final : public Pass {
  public:
    [[nodiscard]] const PassInfo& info() const override {
        static const PassInfo kInfo = passInfo(std::string(kRule), Exactness::value);
        return kInfo;
    }

    Result<void> run(PassContext& context) const override {
        Standardizing work(context);
        for (const NodeId node : convertibleNodes(context.model())) {
            if (context.work().isCancelled()) return cancelled();
            if (context.model().isAlive(node)) work.visit(node);
        }
        return {};
    }
};

} // namespace

const Pass& standardOperatorsPass() {
    static const StandardOperators pass;
    return pass;
}

} // namespace secateur
