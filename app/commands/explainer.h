// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/commands/console.h"
#include "core/session/explanation.h"

#include <optional>
#include <string>
#include <vector>

namespace secateur::cli {

/// Answers questions about one history. Things of the original are asked about there; those that steps made,
/// in the model at the end. Each answer returns the exit code.
class Explainer {
  public:
    Explainer(const History& history, Console& console);

    /// A node by its name; by "#12", its number; or, where no node is so called, by a result that it makes.
    int explainNode(const std::string& name);
    /// A value by its name.
    int explainValue(const std::string& name);
    /// What stays and what goes, and how to ask on.
    int explainAll();

  private:
    using Json = nlohmann::ordered_json;

    [[nodiscard]] std::vector<NodeId> findNodes(const std::string& name) const;
    [[nodiscard]] std::vector<NodeId> findMakers(const std::string& result) const;
    [[nodiscard]] bool isUsed(ValueId value) const;
    [[nodiscard]] Error noSuchNode(const std::string& name) const;
    [[nodiscard]] Error noSuchValue(const std::string& name) const;

    Json tell(NodeId node);
    [[nodiscard]] Json passOf(std::optional<std::size_t> step) const;
    void tellFate(const NodeStory& story, Json& json);
    void tellTwin(const Model& model, const Explanation& why);
    void tellPath(const NodeStory& story, Json& json);
    void tellFeeds(const NodeStory& story, Json& json);
    void tellMisses(NodeId node, Json& json);
    void tellReaders(const Model& model, ValueId value, Json& json);
    void tellKind(const Model& model, ValueId value, Json& json);
    void tellAttached(ValueId value, Json& json);
    void tellSource(const Model& model, ValueId value, Json& json);
    void tellNeed(ValueId value, Json& json);
    void tellTargets(Json& json);
    void tellUntakenTargets();
    void tellRoles(Json& json);

    const History& m_history;
    const Model& m_original;
    Storyteller m_stories;
    Console& m_console;
};

} // namespace secateur::cli
