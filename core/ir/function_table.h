// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace secateur {

/// The functions of a model by domain, name and overload; of two with the same the first counts. Made from
/// the model as it is then: adding or dropping functions needs a new table.
class FunctionTable {
  public:
    explicit FunctionTable(const Model& model);

    [[nodiscard]] bool empty() const { return m_functions.empty(); }
    /// The function of this name; none where there is none.
    [[nodiscard]] GraphId find(std::string_view domain, std::string_view name,
                               std::string_view overload) const;
    /// The function that `node`, a node of `model`, calls; none when it calls none.
    [[nodiscard]] GraphId calledBy(const Model& model, NodeId node) const;

  private:
    std::map<std::tuple<std::string, std::string, std::string>, GraphId, std::less<>> m_functions;
};

/// The functions that the nodes of `graph` and of its bodies call, each once, in the order of first calls.
[[nodiscard]] std::vector<GraphId> calledFunctions(const Model& model, GraphId graph,
                                                   const FunctionTable& table);

} // namespace secateur
