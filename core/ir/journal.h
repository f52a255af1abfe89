// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace secateur {

enum class EditKind : std::uint8_t {
    createNode,
    createValue,
    createGraph,
    createOperands,
    createResults, // arenas grow; unwinding truncates them
    linkNode,
    unlinkNode, // program order
    setOperand,
    setOperandRange,
    setResultRange,
    setProducer, // data flow
    setNodeSymbol,
    setNodeAttributes, // what a node says
    setValueName,
    setValueTensor,
    setValueInfo,
    setValueGraph,
    setValueErased,
    setGraphHeader,
    setGraphOutputs,
    setGraphParent,
    appendInitializer,
    appendSparseInitializer,
    appendValueInfo,
    setNodePresence,
    setModelHeader,
};

/// One primitive change, with all that is needed to take it back and to do it again.
struct Edit {
    EditKind kind{};
    std::uint8_t field = 0;
    std::uint32_t id = 0;
    std::uint32_t a = 0, b = 0, c = 0, d = 0; ///< meaning by kind, see journal.cpp
};

/// Old and new value of an edit that does not fit into numbers.
struct EditPayload {
    std::shared_ptr<const void> before, after;
};

/// A position in the journal: everything before it stays when the journal is unwound to it.
struct JournalMark {
    std::size_t edits = 0;
    friend auto operator<=>(JournalMark, JournalMark) = default;
};

/// A stretch of edits taken off a model, ready to be applied again to that model, or to a clone of it, in the
/// state it was in. Move only: what it holds belongs into one model.
class EditLog {
  public:
    EditLog() = default;
    EditLog(EditLog&&) noexcept = default;
    EditLog& operator=(EditLog&&) noexcept = default;
    EditLog(const EditLog&) = delete;
    EditLog& operator=(const EditLog&) = delete;

    [[nodiscard]] bool empty() const { return m_edits.empty(); }
    [[nodiscard]] std::size_t size() const { return m_edits.size(); }
    [[nodiscard]] std::size_t bytes() const;

  private:
    friend class Journal;
    std::vector<Edit> m_edits;
    std::vector<EditPayload> m_payloads;
    // What unwinding took off the arenas, last first.
    std::vector<Node> m_nodes;
    std::vector<Value> m_values;
    std::vector<ValueId> m_results;
    std::vector<Graph> m_graphs;
};

/// The one list of all changes made to a model since it was loaded (or cloned).
class Journal {
  public:
    [[nodiscard]] JournalMark mark() const { return {m_edits.size()}; }
    [[nodiscard]] std::span<const Edit> edits() const { return m_edits; }
    [[nodiscard]] std::span<const Edit> editsSince(JournalMark mark) const {
        return edits().subspan(mark.edits);
    }
    /// A journal that is not recording forgets the edits made through it: for building a model while it is
    /// loaded.
    void setRecording(bool isRecording) { m_isRecording = isRecording; }
    /// Memory that the journal itself holds, in bytes (tensors made by edits are not counted: they are the
    /// model's).
    [[nodiscard]] std::size_t bytes() const;

    /// Takes back all edits after `mark`, newest first. Linear in their number. The model is then what it
    /// was, ids and the order of uses included.
    static EditLog unwind(Model& model, JournalMark mark);
    /// Applies edits that were taken off this model, or off a clone, in the same state.
    static void reapply(Model& model, EditLog log);

  private:
    friend class Editor;
    /// Appends an edit and applies it.
    static void perform(Model& model, Edit edit);
    static void perform(Model& model, Edit edit, EditPayload payload);
    static void apply(Model& model, const Edit& edit, const EditPayload* payload);
    static void revert(Model& model, const Edit& edit, const EditPayload* payload, EditLog& log);

    std::vector<Edit> m_edits;
    std::vector<EditPayload> m_payloads;
    bool m_isRecording = true;
};

} // namespace secateur
