// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/editor.h"
#include "core/ir/journal.h"
#include "core/ir/model_hash.h"
#include "core/ir/verifier.h"
#include "core/ir/walk.h"
#include "core/messages/messages.h"
#include "core/passes/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace secateur::testing {

/// A small model built by hand, and a pass run on it with the laws that hold for every pass checked on the
/// way.
class PassGraph {
  public:
    explicit PassGraph(std::int64_t opset = 17, std::int64_t irVersion = 8) : m_editor(model) {
        main = m_editor.createGraph(GraphKind::main);
        ModelHeader header;
        header.irVersion = irVersion;
        header.opsets = {{"", opset, ""}, {"com.microsoft", 1, ""}};
        m_editor.setModelHeader(std::move(header));
    }

    Model model;
    GraphId main;

    Editor& editor() { return m_editor; }

    ValueId input(std::string_view name, Type type = Type::tensor(ElementType::float32, {2, 4})) {
        const ValueId value = m_editor.createValue(main, name);
        m_editor.setInfo(value, infoOf(std::move(type)));
        const auto old = model.graphInputs(main);
        std::vector<ValueId> inputs(old.begin(), old.end());
        inputs.push_back(value);
        m_editor.setGraphInputs(main, inputs);
        return value;
    }
    ValueId initializer(std::string_view name, TensorPtr tensor) {
        return m_editor.createInitializer(main, name, std::move(tensor));
    }
    ValueId scalar(std::string_view name, float number) {
        return initializer(name, makeFloatTensor({}, {number}));
    }
    ValueId flag(std::string_view name, bool isSet) {
        return initializer(
            name, makeTensor(ElementType::boolean, {}, {std::byte{static_cast<unsigned char>(isSet)}}));
    }
    ValueId floats(std::string_view name, const std::vector<float>& numbers) {
        return initializer(name, makeFloatTensor({static_cast<std::int64_t>(numbers.size())}, numbers));
    }
    NodeId node(std::string_view op, std::vector<ValueId> inputs, std::vector<std::string> outputs,
                AttributeList attributes = {}, std::string_view domain = "", GraphId graph = GraphId()) {
        const NodeSpec spec{std::string(op),   std::string(domain), "",
                            std::move(inputs), std::move(outputs),  std::move(attributes)};
        return m_editor.createNode(graph.isNone() ? main : graph, spec);
    }
    /// The first result of a new node.
    ValueId add(std::string_view op, std::vector<ValueId> inputs, std::string output,
                AttributeList attributes = {}, std::string_view domain = "") {
        return model.output(node(op, std::move(inputs), {std::move(output)}, std::move(attributes), domain),
                            0);
    }
    void output(ValueId value) { m_editor.appendGraphOutput(main, value, model.name(value)); }

    static ValueInfoPtr infoOf(Type type) {
        ValueInfo info;
        info.type = std::move(type);
        return std::make_shared<const ValueInfo>(std::move(info));
    }

    // --- after the run ---
    PassEnvironment environment;
    std::vector<RewriteRecord> records;
    std::vector<RewriteMiss> misses;
    std::vector<Question> questions;

    /// Runs a pass. Checks: arenas and model stay sound, undo gives the exact model back and redo the changed
    /// one, keys are unique, nodes that stay keep their operators, every reason is a whole sentence, and a
    /// second run changes nothing.
    void run(std::string_view id, const PassOptions& options = {},
             const std::set<std::string>& skipped = {}) {
        const std::uint64_t before = exactHash(model);
        const JournalMark mark = model.journal().mark();
        const bool isSound = findProblems(model).empty();
        const auto operators = operatorsById();
        inferTypes();
        runOnce(id, options, skipped);
        for (const auto& [node, op] : operators) {
            if (model.isAlive(node)) {
                EXPECT_EQ(operatorOf(node), op) << id << ": another operator is another node";
            }
        }
        EXPECT_TRUE(brokenInvariants(model).empty()) << brokenInvariants(model).front();
        if (isSound) {
            EXPECT_TRUE(findProblems(model).empty()) << findProblems(model).front().text;
        }
        checkKeys();

        const std::uint64_t after = exactHash(model);
        EditLog log = Journal::unwind(model, mark);
        EXPECT_EQ(exactHash(model), before) << id << ": undo";
        Journal::reapply(model, std::move(log));
        EXPECT_EQ(exactHash(model), after) << id << ": redo";

        const auto first = std::tuple(records, misses, questions);
        inferTypes();
        runOnce(id, options, skipped);
        EXPECT_EQ(exactHash(model), after) << id << ": a second run changes nothing";
        std::tie(records, misses, questions) = first;
    }

    [[nodiscard]] std::vector<std::string> ops() const {
        std::vector<std::string> names;
        for (const NodeId id : nodesWithin(model, main))
            names.emplace_back(model.op(id));
        return names;
    }
    [[nodiscard]] std::vector<std::string> inputNames() const {
        std::vector<std::string> names;
        for (const ValueId value : model.graphInputs(main))
            names.emplace_back(model.name(value));
        return names;
    }
    [[nodiscard]] std::vector<std::string> outputNames() const {
        std::vector<std::string> names;
        for (const ValueId value : model.graphOutputs(main))
            names.emplace_back(model.name(value));
        return names;
    }
    [[nodiscard]] ValueId onlyOutput() const { return model.graphOutputs(main)[0]; }
    [[nodiscard]] bool hasMiss(std::string_view reason) const {
        return std::any_of(misses.begin(), misses.end(),
                           [&](const RewriteMiss& miss) { return miss.reason.id == reason; });
    }
    [[nodiscard]] std::vector<std::string> applied() const {
        std::vector<std::string> ids;
        for (const RewriteRecord& record : records) {
            if (!record.isSkipped) ids.push_back(record.reason.id);
        }
        return ids;
    }

    /// Types of the model as it is now, for a context of one's own.
    void inferTypes() {
        TypeTable table;
        table.inferAll(model);
        types = FollowingTypes(std::move(table), model.journal().mark());
    }
    /// The node that makes the first output of the main graph.
    [[nodiscard]] NodeId lastNode() const { return model.producer(model.graphOutputs(main)[0]); }

    FollowingTypes types;

  private:
    [[nodiscard]] std::string operatorOf(NodeId node) const {
        return std::string(model.domain(node)) + "." + std::string(model.op(node));
    }
    [[nodiscard]] std::vector<std::pair<NodeId, std::string>> operatorsById() const {
        std::vector<std::pair<NodeId, std::string>> operators;
        for (const GraphId graph : allGraphs(model)) {
            for (const NodeId node : model.nodes(graph))
                operators.emplace_back(node, operatorOf(node));
        }
        return operators;
    }

    void runOnce(std::string_view id, const PassOptions& options, const std::set<std::string>& skipped) {
        const Pass* pass = findPass(id);
        ASSERT_NE(pass, nullptr) << id;
        const WorkContext work;
        PassContext context(model, types, environment, options, skipped, work);
        const Result<void> done = pass->run(context);
        ASSERT_TRUE(done.ok()) << done.error().toString();
        records = context.takeRecords();
        misses = context.takeMisses();
        questions = context.takeQuestions();
        checkSentences();
    }

    /// Every reason is a sentence with all its places filled, about this very model.
    void checkSentence(const Reason& reason) const {
        EXPECT_TRUE(hasMessage(reason.id)) << reason.id;
        const std::string text = formatReason(reason, model);
        EXPECT_EQ(text.find('{'), std::string::npos) << reason.id << ": " << text;
    }
    void checkSentences() const {
        for (const RewriteRecord& record : records) {
            checkSentence(record.reason);
            for (const auto& [node, reason] : record.nodeReasons)
                checkSentence(reason);
            for (const auto& [value, reason] : record.valueReasons)
                checkSentence(reason);
        }
        for (const RewriteMiss& miss : misses)
            checkSentence(miss.reason);
        for (const Question& question : questions)
            checkSentence(question.text);
    }

    void checkKeys() const {
        std::set<std::string> keys;
        for (const RewriteRecord& record : records)
            EXPECT_TRUE(keys.insert(record.key).second) << "twice: " << record.key;
    }

    Editor m_editor;
};

} // namespace secateur::testing
