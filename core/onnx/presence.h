// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Presence bits: what a file says about a field that is empty. A field of proto2 may be there and empty, or
/// not be there; a file is written back as it was. Things made by the editor have no bit set and are written
/// the usual way: texts where they are not empty; operator and attribute names, types and values always.
namespace secateur::presence {

/// Node::presence
namespace node {
constexpr std::uint8_t kNameGiven = 1, kDomainGiven = 2, kOverloadGiven = 4, kOpAbsent = 8;
}
/// Attribute::presence
namespace attribute {
constexpr std::uint8_t kNameAbsent = 1, kTypeAbsent = 2, kValueAbsent = 4, kReferenceGiven = 8;
}
/// Tensor::presence
namespace tensor {
constexpr std::uint8_t kTypeAbsent = 1, kNameGiven = 2, kLocationGiven = 4;
}
/// GraphHeader::presence
namespace header {
constexpr std::uint8_t kNameGiven = 1, kDocGiven = 2, kDomainGiven = 4, kOverloadGiven = 8;
}
/// ValueInfo::presence
namespace valueInfo {
constexpr std::uint8_t kNameAbsent = 1;
}

} // namespace secateur::presence
