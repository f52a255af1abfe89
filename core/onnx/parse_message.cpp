// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/parse_message.h"

#include <google/protobuf/io/coded_stream.h>

#include <limits>

namespace secateur {

ParsedMessage parseMessage(const std::string& bytes, onnx::ModelProto& proto) {
    if (proto.ParseFromString(bytes)) return ParsedMessage::model;
    if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return ParsedMessage::none;
    constexpr int kDeepestMessage = 4000; // our reader stops at 500 bodies
    google::protobuf::io::CodedInputStream stream(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                                  static_cast<int>(bytes.size()));
    stream.SetRecursionLimit(kDeepestMessage);
    proto.Clear();
    const bool isRead = proto.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
    return isRead ? ParsedMessage::deep : ParsedMessage::none;
}

} // namespace secateur
