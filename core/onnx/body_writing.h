// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/editor.h"

#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace secateur {

/// Puts `tensor`, a constant that a body calls `hint`, where readers at `before` can read it.
using ConstantMaker =
    std::function<ValueId(Editor& editor, NodeId before, std::string_view hint, const TensorPtr& tensor)>;

/// Constants of a body that stand in the model as initializers of its main graph, where all can read them.
class SharedConstants {
  public:
    /// The initializer that stands for `constant`, a value of the body; none where there is none (any more).
    [[nodiscard]] ValueId find(const Model& model, ValueId constant) const;
    /// Notes what was made for `constant`, where all can read it.
    void note(const Model& model, ValueId constant, ValueId made);

  private:
    struct Known {
        ValueId value;
        TensorPtr tensor; ///< tells `value` from another one that has its id since a rewrite was taken back
    };
    std::unordered_map<std::uint32_t, Known> m_known;
};

/// A body that can be written in the place of a node.
struct BodySource {
    const Model& model; ///< may be the model that is written
    GraphId graph;      ///< its inputs and outputs are the slots of the node
    /// What the node gives for an attribute of its operator, or the default; null where it gives nothing.
    /// Empty: nothing in the body refers to attributes of the operator.
    std::function<const Attribute*(std::string_view name)> resolve;
    ConstantMaker constants;
    bool keepsNotes = false; ///< do its nodes keep their names, behind that of the node, and their notes?
    /// For a body that is written often: each of its constants is made once, those of bodies in it included.
    /// Null: each time they are made anew.
    SharedConstants* shared = nullptr;
};

/// Copies the nodes of a body in front of `call`, which goes: its results stay the values they are. What
/// makes the first one has its name and notes; new values have fresh names. Gives the new nodes in order.
/// Every output of the body must be made in it or be an input that the call gives.
std::vector<NodeId> writeBody(Editor& editor, NodeId call, const BodySource& body);

} // namespace secateur
