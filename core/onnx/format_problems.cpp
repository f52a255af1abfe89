// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/format_problems.h"

#include "core/ir/domains.h"
#include "core/ir/walk.h"
#include "core/messages/messages.h"
#include "core/onnx/parse_message.h"
#include "core/onnx/wire.h"
#include "core/support/printable.h"

#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace secateur {
namespace {

/// The newest version of a domain that this program knows; none for domains that it does not know.
std::optional<std::int64_t> newestOpset(std::string_view domain) {
    static const auto& kRanges = onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map();
    const auto at = kRanges.find(std::string(plainDomain(domain)));
    return at == kRanges.end() ? std::nullopt : std::optional<std::int64_t>(at->second.second);
}

/// Does a tensor give elements besides those that it is read from? They stand in what is left of its message.
bool hasOtherContents(const Tensor& tensor) {
    constexpr std::array<std::uint32_t, 7> kContents{4, 5, 6, 7, 9, 10, 11}; // fields of TensorProto
    if (tensor.rest.empty() || tensor.encoding == Tensor::Encoding::sparse) return false;
    wire::Reader reader(tensor.rest);
    for (wire::Field field; reader.next(field);) {
        if (std::find(kContents.begin(), kContents.end(), field.number) != kContents.end()) return true;
    }
    return false;
}

bool isUnknown(ElementType type) {
    return type != ElementType::undefined && type != ElementType::string && elementBits(type) == 0;
}

class FormatCheck {
  public:
    explicit FormatCheck(const Model& model) : m_model(model) {}

    std::vector<Problem> run() {
        checkIrVersion();
        checkOpsets(m_model.header().opsets, formatMessage("maker.model", {}));
        for (const GraphId function : m_model.header().functions) {
            const GraphHeader& header = *m_model.graph(function).header;
            checkOpsets(header.opsets, formatMessage("maker.function", {"`" + header.name + "`"}));
        }
        checkSignature();
        checkNesting();
        for (const GraphId graph : allGraphs(m_model)) {
            for (const ValueId value : m_model.graph(graph).initializers) {
                if (m_model.isAlive(value) && m_model.value(value).tensor)
                    checkTensor(*m_model.value(value).tensor, formatMessage("maker.tensor", {nameOf(value)}),
                                {}, value);
            }
            for (const NodeId node : m_model.nodes(graph))
                if (m_model.node(node).attributes) checkAttributes(node);
        }
        return std::move(m_problems);
    }

  private:
    using Severity = Problem::Severity;

    /// The sentence of a problem has its id.
    Problem& report(const char* id, const std::vector<std::string>& arguments, Severity severity,
                    NodeId node = {}, ValueId value = {}) {
        Problem& problem = m_problems.emplace_back();
        problem.severity = severity;
        problem.id = id;
        problem.text = formatMessage(id, arguments);
        problem.node = node;
        problem.value = value;
        return problem;
    }
    [[nodiscard]] std::string nameOf(ValueId value) const { return printable(m_model.name(value)); }

    // --- versions ---

    void checkIrVersion() {
        constexpr std::int64_t kNewest = onnx::Version::IR_VERSION;
        constexpr std::int64_t kFirstWithOpsets = 3;
        const ModelHeader& header = m_model.header();
        const std::string version = std::to_string(header.irVersion);
        if (!header.hasIrVersion || header.irVersion < 1)
            report("problem.ir-version", {version}, Severity::error);
        else if (header.irVersion > kNewest)
            report("problem.ir-version-newer", {version, std::to_string(kNewest)}, Severity::warning);
        else if (header.irVersion < kFirstWithOpsets && !header.opsets.empty())
            report("problem.ir-version-older", {version}, Severity::warning);
    }

    void checkOpsets(const std::vector<OpsetImport>& imports, const std::string& where) {
        std::map<std::string_view, std::int64_t> seen;
        for (const OpsetImport& import : imports) {
            const std::string domain(shownDomain(import.domain)), version = std::to_string(import.version);
            const auto [at, isNew] = seen.emplace(plainDomain(import.domain), import.version);
            if (!isNew && at->second == import.version) {
                report("problem.repeated-opset", {domain, where, version}, Severity::warning);
            } else if (!isNew) {
                report("problem.duplicate-opset", {domain, where, std::to_string(at->second), version},
                       Severity::error)
                    .isFatal = true;
            }
            const auto newest = newestOpset(import.domain);
            if (!newest) continue;
            if (import.version < 1)
                report("problem.opset-version", {domain, where, version}, Severity::error);
            else if (import.version > *newest)
                report("problem.opset-newer", {domain, where, version, std::to_string(*newest)},
                       Severity::warning);
        }
    }

    void checkNesting() {
        std::size_t deepest = 0;
        std::vector<std::size_t> depths(m_model.graphIdCount(), 0);
        for (const GraphId graph : allGraphs(m_model)) { // a body stands behind the graph that holds it
            const GraphId parent = m_model.graph(graph).parent;
            if (parent.isNone()) continue;
            depths[graph.index] = depths[parent.index] + 1;
            deepest = std::max(deepest, depths[graph.index]);
        }
        if (deepest > kDeepestBodiesElsewhere)
            report("problem.deep-bodies", {std::to_string(deepest), std::to_string(kDeepestBodiesElsewhere)},
                   Severity::warning);
    }

    // --- values ---

    void checkSignature() {
        const GraphId main = m_model.mainGraph();
        const auto checkType = [&](ValueId value) {
            const Type& type = m_model.declaredType(value);
            if (isUnknown(type.element))
                report("problem.value-type-unknown", {nameOf(value), elementTypeName(type.element)},
                       Severity::warning, {}, value);
        };
        for (const ValueId input : m_model.graphInputs(main)) {
            if (m_model.declaredType(input).kind == Type::Kind::none && !m_model.isInitializer(input))
                report("problem.input-untyped", {nameOf(input)}, Severity::warning, {}, input);
            checkType(input);
        }
        for (const ValueId output : m_model.graphOutputs(main)) {
            if (output.isNone()) continue;
            checkType(output);
            const Type& type = m_model.declaredType(output);
            if (type.kind == Type::Kind::none)
                report("problem.output-untyped", {nameOf(output)}, Severity::warning, {}, output);
            else if (type.isTensor() && !type.hasShape)
                report("problem.output-unshaped", {nameOf(output)}, Severity::warning, {}, output);
        }
    }

    void checkTensor(const Tensor& tensor, const std::string& subject, NodeId node, ValueId value) {
        if (isUnknown(tensor.type))
            report("problem.tensor-type-unknown", {subject, elementTypeName(tensor.type)}, Severity::warning,
                   node, value);
        if (hasOtherContents(tensor))
            report("problem.tensor-two-contents", {subject}, Severity::error, node, value);
    }

    void checkAttributes(NodeId node) {
        m_names.clear();
        for (const Attribute& attribute : m_model.attributes(node))
            m_names.push_back(attribute.name);
        std::sort(m_names.begin(), m_names.end());
        const auto twice = std::adjacent_find(m_names.begin(), m_names.end());
        if (twice != m_names.end())
            report("problem.duplicate-attribute", {std::string(*twice), nodeText(m_model, node)},
                   Severity::error, node);
        for (const Attribute& attribute : m_model.attributes(node)) {
            const auto check = [&](const TensorPtr& tensor) {
                if (!tensor) return;
                checkTensor(*tensor,
                            formatMessage("maker.attribute", {attribute.name, nodeText(m_model, node)}), node,
                            {});
            };
            if (const auto* one = std::get_if<TensorPtr>(&attribute.value)) check(*one);
            if (const auto* many = std::get_if<std::vector<TensorPtr>>(&attribute.value))
                std::for_each(many->begin(), many->end(), check);
        }
    }

    const Model& m_model;
    std::vector<Problem> m_problems;
    std::vector<std::string_view> m_names; ///< of the attributes of one node
};

} // namespace

std::vector<Problem> findFormatProblems(const Model& model) {
    return FormatCheck(model).run();
}

} // namespace secateur
