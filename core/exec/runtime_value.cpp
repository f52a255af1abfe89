// SPDX-License-Identifier: Apache-2.0
#include "core/exec/runtime_value.h"

#include "core/messages/sentences.h"

namespace secateur {

std::string RuntimeValue::text() const {
    if (const TensorData* t = tensor()) return Type::tensor(t->type(), t->shape()).text();
    if (const SequenceData* s = sequence())
        return formatMessage("exec.sequence-of",
                             {std::to_string(s->items.size()), elementTypeName(s->element)});
    if (const OptionalData* o = optional())
        return o->value.isAbsent() ? std::string(message("exec.empty-optional"))
                                   : formatMessage("exec.optional-of", {o->value.text()});
    return std::string(message("exec.nothing"));
}

} // namespace secateur
