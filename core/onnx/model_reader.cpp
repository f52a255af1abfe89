// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/model_reader.h"

#include "core/ir/journal.h"
#include "core/messages/sentences.h"
#include "core/onnx/presence.h"
#include "core/onnx/tensor_wire.h"

#include <fmt/format.h>

#include <algorithm>

namespace secateur {

using wire::Field;
using wire::isLength;
using wire::isVarint;
using wire::Message;
using wire::Reader;

namespace {

/// Bodies are read one inside the other: half of them would still fit the smallest stack that systems give, 1 MiB.
constexpr unsigned kDeepestGraph = 250;

/// Fields of one kind, put one behind another: a view as long as they stand in a row, copied when they do
/// not.
class FieldRun {
  public:
    void add(std::string_view field, std::string& buffer) {
        if (m_isInARow && m_view.empty()) {
            m_view = field;
        } else if (m_isInARow && m_view.data() + m_view.size() == field.data()) {
            m_view = {m_view.data(), m_view.size() + field.size()};
        } else {
            if (m_isInARow) buffer = m_view;
            m_isInARow = false;
            buffer += field;
        }
    }
    [[nodiscard]] std::string_view text(const std::string& buffer) const {
        return m_isInARow ? m_view : std::string_view(buffer);
    }
    [[nodiscard]] std::string_view inARow() const { return m_isInARow ? m_view : std::string_view(); }

  private:
    std::string_view m_view;
    bool m_isInARow = true;
};

std::string_view findText(std::string_view message, std::uint32_t number) {
    return wire::findBytes(message, number).value_or(std::string_view());
}

} // namespace

/// The repeated fields of a graph or function, to be read in an order of our own.
struct ModelReader::GraphFields {
    std::vector<std::string_view> nodes, initializers, sparse, inputs;
};

ModelReader::ModelReader(ByteSource& source, ExternalFiles& external, const WorkContext& work)
    : m_source(source), m_external(external), m_work(work), m_editor(m_model), m_infos(source),
      m_resolver(m_editor, source, m_infos) {}

Result<Model> ModelReader::read() {
    m_model.journal().setRecording(false);
    try {
        readModel();
    } catch (const wire::Malformed& malformed) {
        return describe(malformed);
    } catch (const Cancelled&) {
        return cancelled();
    }
    if (m_model.graphIdCount() == 0) return invalidInput(formatMessage("load.no-graph", {}));
    m_model.journal().setRecording(true);
    return std::move(m_model);
}

/// A path of fields; of a long one only both ends.
std::string ModelReader::placeText() const {
    constexpr std::size_t kShown = 4; // fields shown at each end
    const auto path = [&](std::size_t begin, std::size_t end) {
        std::string text;
        for (std::size_t i = begin; i < end; ++i) {
            text += fmt::format("{}{}", text.empty() ? "" : ".", m_places[i].field);
            if (m_places[i].index != SIZE_MAX) text += fmt::format("[{}]", m_places[i].index);
        }
        return text;
    };
    const std::size_t depth = m_places.size();
    if (depth == 0) return formatMessage("wire.in-model", {});
    if (depth <= 2 * kShown + 1) return formatMessage("wire.in-place", {path(0, depth)});
    return formatMessage("wire.in-deep-place",
                         {path(0, kShown), path(depth - kShown, depth), std::to_string(depth)});
}

Error ModelReader::describe(const wire::Malformed& malformed) const {
    const char* at = malformed.at;
    if (!m_source.isInFile(at)) at = m_places.empty() ? m_source.all().data() : m_places.back().start;
    const std::string offset =
        m_source.isInFile(at) ? formatMessage("wire.at-byte", {std::to_string(at - m_source.all().data())})
                              : formatMessage("wire.at-unknown-byte", {});
    const std::string what =
        formatMessage(malformed.sentence, {std::to_string(malformed.number), std::to_string(malformed.length),
                                           std::to_string(malformed.left)});
    const char* sentence = malformed.isTooDeep ? "wire.refused" : "wire.incomplete";
    return invalidInput(formatMessage(sentence, {offset, placeText(), what}));
}

void ModelReader::join(std::string_view& have, std::string_view more) {
    if (have.data() == nullptr) {
        have = more;
        return;
    }
    wire::checkFields(have);
    wire::checkFields(more);
    have = m_source.keep(std::string(have) + std::string(more));
}

std::string ModelReader::canonical(Message message, std::string bytes) {
    if (bytes.empty() || wire::isCanonical(message, bytes)) return bytes;
    return wire::canonicalize(message, bytes);
}

void ModelReader::checkCancelled(std::size_t done, std::size_t total) {
    if (m_work.isCancelled()) throw Cancelled{};
    m_work.report("progress.reading", done, total);
}

// --- model ---

void ModelReader::readModel() {
    std::string_view graph;
    std::vector<std::string_view> opsets, infos, functions;
    std::string metadata, rest;
    Reader reader(m_source.all());
    ModelHeader version;
    version.hasIrVersion = false;
    for (Field field; reader.next(field);) {
        if (!wire::isKnown(Message::model, field)) {
            rest += field.whole;
            continue;
        }
        switch (field.number) {
        case 1:
            version.irVersion = static_cast<std::int64_t>(field.value);
            version.hasIrVersion = true;
            break;
        case 7: join(graph, field.payload); break;
        case 8: opsets.push_back(field.payload); break;
        case 14: metadata += field.whole; break;
        case 20: infos.push_back(field.payload); break;
        case 25: functions.push_back(field.payload); break;
        default: rest += field.whole; break;
        }
    }
    if (graph.data() == nullptr) return;
    m_editor.setModelHeader(version);
    readModelHeader(canonical(Message::model, std::move(rest)), opsets, std::move(metadata));
    {
        const Enter here(*this, "graph", SIZE_MAX, graph);
        readNewGraph(GraphKind::main, {}, {}, graph);
    }
    m_resolver.resolve(m_model.mainGraph());
    readTrainingInfos(infos);
    m_resolver.forget();
    for (std::size_t i = 0; i < functions.size(); ++i) {
        const Enter here(*this, "functions", i, functions[i]);
        readFunction(functions[i]);
    }
}

void ModelReader::readModelHeader(std::string_view rest, const std::vector<std::string_view>& opsets,
                                  std::string metadata) {
    ModelHeader header = m_model.header();
    header.producerName = findText(rest, 2);
    header.producerVersion = findText(rest, 3);
    header.domain = findText(rest, 4);
    header.docString = findText(rest, 6);
    header.opsets = readOpsets(opsets);
    bool isPlain = true;
    header.metadata = readEntries(metadata, 14, isPlain);
    header.rest =
        isPlain ? std::string(rest) : wire::canonicalize(Message::model, metadata + std::string(rest));
    m_editor.setModelHeader(std::move(header));
}

std::vector<OpsetImport> ModelReader::readOpsets(const std::vector<std::string_view>& opsets) {
    std::vector<OpsetImport> imports;
    for (const std::string_view bytes : opsets) {
        OpsetImport import;
        Reader reader(bytes);
        for (Field field; reader.next(field);) {
            if (field.number == 1 && isLength(field)) import.domain = field.payload;
            if (field.number == 2 && isVarint(field)) import.version = static_cast<std::int64_t>(field.value);
        }
        std::string plain;
        if (!import.domain.empty()) wire::appendBytes(plain, 1, import.domain);
        wire::appendTag(plain, 2, wire::WireType::varint);
        wire::appendVarint(plain, static_cast<std::uint64_t>(import.version));
        std::string asGiven = canonical(Message::opset, std::string(bytes));
        if (asGiven != plain) import.rest = std::move(asGiven);
        imports.push_back(std::move(import));
    }
    return imports;
}

void ModelReader::readTrainingInfos(const std::vector<std::string_view>& infos) {
    ModelHeader header = m_model.header();
    for (std::size_t i = 0; i < infos.size(); ++i) {
        const Enter here(*this, "training_info", i, infos[i]);
        std::string_view initialization, algorithm;
        std::string rest;
        Reader reader(infos[i]);
        for (Field field; reader.next(field);) {
            if (field.number == 1 && isLength(field))
                join(initialization, field.payload);
            else if (field.number == 2 && isLength(field))
                join(algorithm, field.payload);
            else
                rest += field.whole;
        }
        TrainingInfo info;
        const auto readOne = [&](GraphKind kind, std::string_view bytes) {
            if (bytes.data() == nullptr) return GraphId();
            const GraphId id = readNewGraph(kind, m_model.mainGraph(), {}, bytes);
            m_resolver.resolve(id);
            return id;
        };
        info.initialization = readOne(GraphKind::trainingInitialization, initialization);
        info.algorithm = readOne(GraphKind::trainingAlgorithm, algorithm);
        info.rest = canonical(Message::trainingInfo, std::move(rest));
        header.trainingInfos.push_back(std::move(info));
    }
    if (!infos.empty()) m_editor.setModelHeader(std::move(header));
}

void ModelReader::readFunction(std::string_view bytes) {
    const GraphId id = m_editor.createGraph(GraphKind::function);
    GraphFields fields;
    GraphHeader header;
    std::vector<std::string_view> opsets, defaults;
    std::string rest;
    Reader reader(bytes);
    for (Field field; reader.next(field);) {
        if (!wire::isKnown(Message::function, field))
            rest += field.whole;
        else if (field.number == 9)
            opsets.push_back(field.payload);
        else if (field.number == 11)
            defaults.push_back(field.payload);
        else
            readFunctionField(field, id, header, fields, rest);
    }
    header.opsets = readOpsets(opsets);
    header.rest = canonical(Message::function, std::move(rest));
    for (std::size_t i = 0; i < defaults.size(); ++i) {
        const Enter here(*this, "attribute_proto", i, defaults[i]);
        header.attributeDefaults.push_back(readAttribute(defaults[i], id, {}));
    }
    m_resolver.graph(id).header = std::move(header);
    readContents(id, fields);
    m_resolver.resolve(id);
    ModelHeader model = m_model.header();
    model.functions.push_back(id);
    m_editor.setModelHeader(std::move(model));
}

void ModelReader::readFunctionField(const Field& field, GraphId id, GraphHeader& header, GraphFields& fields,
                                    std::string& rest) {
    const auto given = [&](std::uint8_t bit) {
        if (field.payload.empty())
            header.presence |= bit;
        else
            header.presence &= static_cast<std::uint8_t>(~bit);
        return field.payload;
    };
    switch (field.number) {
    case 1: header.name = given(presence::header::kNameGiven); return;
    case 4: fields.inputs.push_back(field.payload); return;
    case 5: m_resolver.graph(id).outputs.push_back(field.payload); return;
    case 6: header.attributeNames.emplace_back(field.payload); return;
    case 7: fields.nodes.push_back(field.payload); return;
    case 8: header.docString = given(presence::header::kDocGiven); return;
    case 10: header.domain = given(presence::header::kDomainGiven); return;
    case 12: m_resolver.graph(id).valueInfos.push_back(field.payload); return;
    case 13: header.overload = given(presence::header::kOverloadGiven); return;
    default: rest += field.whole; return;
    }
}

// --- graph ---

GraphId ModelReader::readNewGraph(GraphKind kind, GraphId parent, NodeId node, std::string_view bytes) {
    const GraphId id = m_editor.createGraph(kind, parent);
    if (!node.isNone()) m_editor.setGraphParent(id, parent, node);
    if (++m_depth > kDeepestGraph)
        throw wire::Malformed{bytes.data(), "wire.deep-bodies", kDeepestGraph, 0, 0, true};
    readGraph(id, bytes);
    --m_depth;
    return id;
}

void ModelReader::readGraph(GraphId id, std::string_view bytes) {
    GraphFields fields;
    GraphHeader header;
    std::string rest;
    Reader reader(bytes);
    const auto given = [&](const Field& field, std::uint8_t bit) {
        if (field.payload.empty())
            header.presence |= bit;
        else
            header.presence &= static_cast<std::uint8_t>(~bit);
        return field.payload;
    };
    UnresolvedGraph mine;
    for (Field field; reader.next(field);) {
        if (!wire::isKnown(Message::graph, field)) {
            rest += field.whole;
            continue;
        }
        switch (field.number) {
        case 1: fields.nodes.push_back(field.payload); break;
        case 2: header.name = given(field, presence::header::kNameGiven); break;
        case 5: fields.initializers.push_back(field.payload); break;
        case 10: header.docString = given(field, presence::header::kDocGiven); break;
        case 11: fields.inputs.push_back(field.payload); break;
        case 12: mine.outputs.push_back(field.payload); break;
        case 13: mine.valueInfos.push_back(field.payload); break;
        case 14: mine.annotations.push_back(field.payload); break;
        case 15: fields.sparse.push_back(field.payload); break;
        default: rest += field.whole; break;
        }
    }
    header.rest = canonical(Message::graph, std::move(rest));
    mine.header = std::move(header);
    m_resolver.graph(id) = std::move(mine);
    readContents(id, fields);
}

void ModelReader::readContents(GraphId id, GraphFields& fields) {
    if (m_model.graph(id).kind == GraphKind::main) {
        const std::size_t nodes = fields.nodes.size();
        m_editor.reserve(nodes + 64,
                         nodes + nodes / 4 + fields.inputs.size() + fields.initializers.size() + 64,
                         nodes * 2 + 64);
    }
    const auto inputs = readInputs(id, fields);
    readInitializers(id, fields, inputs);
    readNodes(id, fields.nodes);
}

std::unordered_map<std::uint32_t, ValueId> ModelReader::readInputs(GraphId id, const GraphFields& fields) {
    std::unordered_map<std::uint32_t, ValueId> byName;
    std::vector<ValueId> values;
    const bool isFunction = m_model.graph(id).kind == GraphKind::function;
    for (std::size_t i = 0; i < fields.inputs.size(); ++i) {
        const Enter here(*this, "input", i, fields.inputs[i]);
        ValueInfoReader::Result input{fields.inputs[i], nullptr, 0};
        if (!isFunction) input = m_infos.read(fields.inputs[i], false);
        m_metadataBytes += input.metadataBytes;
        const ValueId value = m_editor.createValue(id, m_editor.intern(input.name));
        if (input.info) m_editor.setInfo(value, std::move(input.info));
        byName.emplace(m_model.value(value).name.index, value);
        values.push_back(value);
    }
    if (!values.empty()) m_editor.setOutputs(m_model.graph(id).entry, values);
    return byName;
}

void ModelReader::readInitializers(GraphId id, const GraphFields& fields,
                                   const std::unordered_map<std::uint32_t, ValueId>& inputs) {
    for (std::size_t i = 0; i < fields.initializers.size(); ++i) {
        const Enter here(*this, "initializer", i, fields.initializers[i]);
        addInitializer(id, readTensor(fields.initializers[i], m_source), inputs);
    }
    for (std::size_t i = 0; i < fields.sparse.size(); ++i) {
        const Enter here(*this, "sparse_initializer", i, fields.sparse[i]);
        Tensor tensor = readSparseTensor(fields.sparse[i], m_source);
        const ValueId value = m_editor.createValue(id, std::exchange(tensor.name, {}));
        m_editor.setTensor(value, std::make_shared<const Tensor>(std::move(tensor)));
        m_editor.listSparseInitializer(id, value);
    }
}

void ModelReader::addInitializer(GraphId id, Tensor tensor,
                                 const std::unordered_map<std::uint32_t, ValueId>& inputs) {
    const std::string name = std::exchange(tensor.name, {});
    const std::size_t problems = m_problems.size();
    if (tensor.encoding == Tensor::Encoding::external) m_external.attach(tensor, name, m_problems);
    const TensorPtr shared = std::make_shared<const Tensor>(std::move(tensor));
    const auto input = inputs.find(m_editor.intern(name).index);
    ValueId value;
    if (input == inputs.end() || m_model.value(input->second).tensor) {
        value = m_editor.createInitializer(id, name, shared);
    } else {
        value = input->second;
        m_editor.setTensor(value, shared);
        m_editor.appendInitializer(id, value);
    }
    for (std::size_t i = problems; i < m_problems.size(); ++i)
        m_problems[i].value = value;
}

// --- nodes ---

void ModelReader::readNodes(GraphId id, const std::vector<std::string_view>& nodes) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Enter here(*this, "node", i, nodes[i]);
        readNode(id, nodes[i]);
        if (++m_nodesRead % 1024 == 0) checkCancelled(m_nodesRead, std::max(nodes.size(), m_nodesRead));
    }
}

void ModelReader::readNode(GraphId graph, std::string_view bytes) {
    std::string_view op, domain, overload, name;
    std::uint8_t presence = presence::node::kOpAbsent;
    const std::size_t inputsBegin = m_resolver.inputCount();
    const std::size_t attributesBegin = m_attributeSpans.size();
    FieldRun attributes, rest;
    m_results.clear();
    const auto given = [&](std::string_view& text, const Field& field, std::uint8_t bit) {
        text = field.payload;
        if (text.empty())
            presence |= bit;
        else
            presence &= static_cast<std::uint8_t>(~bit);
    };
    Reader reader(bytes);
    for (Field field; reader.next(field);) {
        if (!isLength(field)) { // all that the format knows here is texts and messages
            rest.add(field.whole, m_rest);
            continue;
        }
        switch (field.number) {
        case 1: m_resolver.addInput(m_editor.intern(field.payload)); break;
        case 2:
            m_results.push_back(field.payload.empty()
                                    ? ValueId()
                                    : m_editor.createValue(graph, m_editor.intern(field.payload)));
            break;
        case 3: given(name, field, presence::node::kNameGiven); break;
        case 4:
            op = field.payload;
            presence &= static_cast<std::uint8_t>(~presence::node::kOpAbsent);
            break;
        case 5:
            m_attributeSpans.push_back(field.payload);
            attributes.add(field.whole, m_attributes);
            break;
        case 7: given(domain, field, presence::node::kDomainGiven); break;
        case 8: given(overload, field, presence::node::kOverloadGiven); break;
        case 6:
        case 9: m_metadataBytes += field.whole.size(); [[fallthrough]];
        default: rest.add(field.whole, m_rest); break;
        }
    }
    std::string_view kept = rest.text(m_rest);
    if (!kept.empty() && !wire::isCanonical(Message::node, kept))
        kept = m_rest = wire::canonicalize(Message::node, kept);
    const NodeId id =
        m_editor.appendNode(graph, m_editor.intern(op), m_editor.intern(domain), m_editor.intern(overload),
                            m_editor.intern(name), m_editor.intern(kept));
    m_editor.setPresence(id, presence);
    m_resolver.closeInputs(id, inputsBegin);
    if (!m_results.empty()) m_editor.setOutputs(id, m_results);
    readAttributes(id, attributesBegin, attributes.inARow());
}

} // namespace secateur
