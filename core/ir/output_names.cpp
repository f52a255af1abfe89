// SPDX-License-Identifier: Apache-2.0
#include "core/ir/output_names.h"

namespace secateur {

bool canFillOutput(const Model& model, ValueId value, GraphId graph) {
    const Value& v = model.value(value);
    if (v.graph != graph || model.isGraphOutput(value)) return false;
    if (!v.producer.isNone()) return model.node(v.producer).kind == NodeKind::operation;
    return v.tensor != nullptr && model.graph(graph).kind == GraphKind::main;
}

} // namespace secateur
