// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/commands/console.h"
#include "core/ir/model.h"
#include "core/rewrite/rewrite_trace.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace secateur::cli {

/// Writes each rewrite to standard error as it is made: its number (for --rewrite-limit), its rule and
/// reason, and the nodes that it changed, before and after.
class RewritePrinter final : public RewriteTrace {
  public:
    explicit RewritePrinter(Console& console) : m_console(console) {}

    void before(const Model& model, const RewriteRecord& request) override;
    void after(const Model& model, const RewriteRecord& record) override;

    /// Nodes as they are written.
    struct Lines {
        std::vector<std::string> nodes;
        std::size_t leftOut = 0; ///< nodes without a line
    };

  private:
    void print(const char* mark, const Lines& lines, const Lines& others);

    Console& m_console;
    std::uint64_t m_count = 0;
    Lines m_before; ///< of the rewrite that is about to be made
    std::string m_reason;
};

} // namespace secateur::cli
