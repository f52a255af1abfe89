// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/function_table.h"
#include "core/ir/model.h"
#include "core/onnx/body_writing.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace secateur {

/// What decides whether calls of a function can be written out, and its constants that stand in the model.
struct Callee {
    std::uint64_t size = 0;   ///< nodes, those of bodies included
    std::size_t depth = 0;    ///< of bodies in one another
    bool isEndless = false;   ///< it calls itself, through others or not
    bool lacksResult = false; ///< it has a result, or a body in it has, that nothing gives
    std::vector<std::size_t>
        handedOn; ///< inputs that are results of it or of bodies in it: a call gives them
    NodeId other; ///< a node whose operator is another one where the model is; or none
    SharedConstants constants;
};

/// The functions of a model, each looked at once however often it is called. The functions do not change
/// while it lives; the operator sets that the model imports may grow.
class Callees {
  public:
    explicit Callees(const Model& model);

    [[nodiscard]] const FunctionTable& table() const { return m_table; }
    /// What is to be known of a function; the reference stays.
    [[nodiscard]] Callee& of(GraphId function);

  private:
    struct Entry {
        Callee callee;
        bool awaitsImport = false; ///< the model did not import one of its operator sets
        std::size_t imports = 0;   ///< of the model, when it was looked at
    };

    void look(GraphId function, Callee& callee) const;
    void lookAtResults(GraphId function, Callee& callee) const;
    void compareOperators(GraphId function, Entry& entry) const;

    const Model& m_model;
    const FunctionTable m_table;
    std::set<GraphId> m_endless;
    std::map<GraphId, Entry> m_entries;
};

} // namespace secateur
