// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace secateur {

/// Names of nested groups, outermost first.
using GroupPath = std::vector<std::string>;

/// The modules that an exporter of PyTorch recorded for a node: `['', 'b.0', 'b.0.a', 'linear_2']` (metadata
/// pkg.torch.onnx.name_scopes) or `: T/b.0: Blk/b.0.a: Attn/linear_2: aten.linear` (namespace) -> b.0, a. The
/// last entry is the operator and no module.
[[nodiscard]] GroupPath pathOfScopes(std::string_view text);

/// `/b.0/a/q/Gemm` -> b.0, a, q. The scope of a gradient (`Gemm_Grad/..`, `AccumulateGrad_/b.0/..`) is
/// that of what it differentiates.
[[nodiscard]] GroupPath pathOfNodeName(std::string_view name);

/// `b.0.a.q.weight` -> b.0, a, q: a number belongs to the part before it. `conv2_1/x1/bn_scale` -> conv2_1,
/// x1.
[[nodiscard]] GroupPath pathOfParameter(std::string_view name);

} // namespace secateur
