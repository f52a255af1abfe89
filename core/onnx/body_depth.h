// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace secateur {

/// Bodies that may stand in one another so that every program reads the model: protobuf refuses messages that
/// are nested more than 100 deep unless it is told otherwise, and a body takes three.
constexpr unsigned kDeepestBodiesElsewhere = 31;

} // namespace secateur
