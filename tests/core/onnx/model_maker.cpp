// SPDX-License-Identifier: Apache-2.0
#include "tests/core/onnx/model_maker.h"

namespace secateur {

ModelMaker::ModelMaker(std::int64_t opset, std::int64_t irVersion) {
    if (model.graphIdCount() == 0) editor.createGraph(GraphKind::main);
    ModelHeader header = model.header();
    header.irVersion = irVersion;
    header.opsets = {{"", opset, {}}, {"com.microsoft", 1, {}}};
    editor.setModelHeader(header);
    m_graphs = {model.mainGraph()};
}

Type ModelMaker::type(ElementType element, const std::vector<DimSpec>& dims) {
    Type out = Type::tensor(element);
    out.hasShape = true;
    for (const DimSpec& dim : dims) {
        Dim& made = out.dims.emplace_back();
        if (const int* number = std::get_if<int>(&dim))
            made.value = *number;
        else if (std::string(std::get<const char*>(dim)) != "?")
            made.symbol = std::get<const char*>(dim);
    }
    return out;
}

ValueInfoPtr ModelMaker::info(const Type& type) {
    ValueInfo info;
    info.type = type;
    return std::make_shared<const ValueInfo>(info);
}

ValueId ModelMaker::input(const char* name, ElementType element, const std::vector<DimSpec>& dims) {
    const GraphId graph = m_graphs.back();
    const ValueId value = editor.createValue(graph, name);
    editor.setInfo(value, info(type(element, dims)));
    const auto before = model.graphInputs(graph);
    std::vector<ValueId> all(before.begin(), before.end());
    all.push_back(value);
    editor.setGraphInputs(graph, all);
    return value;
}

ValueId ModelMaker::constant(const char* name, std::vector<std::int64_t> dims) {
    std::int64_t count = 1;
    for (const std::int64_t n : dims)
        count *= n;
    return editor.createInitializer(
        m_graphs.back(), name,
        makeFloatTensor(std::move(dims), std::vector<float>(std::size_t(count), 1.0F)));
}

ValueId ModelMaker::integers(const char* name, std::vector<std::int64_t> values) {
    const auto count = static_cast<std::int64_t>(values.size());
    return editor.createInitializer(m_graphs.back(), name, makeInt64Tensor({count}, values));
}

NodeId ModelMaker::nodes(const char* op, std::vector<ValueId> inputs, std::vector<std::string> outputs,
                         AttributeList attributes, const char* domain) {
    NodeSpec spec;
    spec.op = op;
    spec.domain = domain;
    spec.inputs = std::move(inputs);
    spec.outputs = std::move(outputs);
    spec.attributes = std::move(attributes);
    const NodeId made = editor.createNode(m_graphs.back(), spec);
    for (const GraphId body : model.subgraphs(made))
        editor.setGraphParent(body, m_graphs.back(), made);
    return made;
}

ValueId ModelMaker::node(const char* op, std::vector<ValueId> inputs, AttributeList attributes,
                         const char* domain) {
    return model.output(nodes(op, std::move(inputs), {editor.freshName(op)}, std::move(attributes), domain),
                        0);
}

void ModelMaker::output(ValueId value, ValueInfoPtr declared) {
    editor.appendGraphOutput(m_graphs.back(), value, model.name(value), std::move(declared));
}

GraphId ModelMaker::open(GraphKind kind) {
    const GraphId parent = kind == GraphKind::function ? GraphId() : m_graphs.back();
    m_graphs.push_back(editor.createGraph(kind, parent));
    return m_graphs.back();
}

void ModelMaker::import(const char* domain, std::int64_t version) {
    ModelHeader header = model.header();
    header.opsets.push_back({domain, version, {}});
    editor.setModelHeader(header);
}

Attribute bodyAttribute(const char* name, GraphId body) {
    Attribute attribute;
    attribute.name = name;
    attribute.type = AttributeType::graph;
    attribute.value = body;
    return attribute;
}

} // namespace secateur
