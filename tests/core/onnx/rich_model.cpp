// SPDX-License-Identifier: Apache-2.0
#include "tests/core/onnx/proto_models.h"

namespace secateur::testing {
namespace {

void addEntry(onnx::StringStringEntryProto* entry, const std::string& key, const std::string& value) {
    entry->set_key(key);
    entry->set_value(value);
}

void addTypes(onnx::GraphProto* graph) {
    auto* sequence = graph->add_value_info();
    sequence->set_name("sequence");
    sequence->mutable_type()
        ->mutable_sequence_type()
        ->mutable_elem_type()
        ->mutable_tensor_type()
        ->set_elem_type(1);
    auto* map = graph->add_value_info();
    map->set_name("map");
    map->mutable_type()->mutable_map_type()->set_key_type(onnx::TensorProto::STRING);
    map->mutable_type()->mutable_map_type()->mutable_value_type()->mutable_tensor_type()->set_elem_type(7);
    auto* optional = graph->add_value_info();
    optional->set_name("optional");
    optional->mutable_type()
        ->mutable_optional_type()
        ->mutable_elem_type()
        ->mutable_tensor_type()
        ->set_elem_type(1);
    auto* sparse = graph->add_value_info();
    sparse->set_name("sparse");
    sparse->mutable_type()->mutable_sparse_tensor_type()->set_elem_type(1);
    sparse->mutable_type()->mutable_sparse_tensor_type()->mutable_shape()->add_dim()->set_dim_param("N");
    auto* opaque = graph->add_value_info();
    opaque->set_name("opaque");
    opaque->mutable_type()->mutable_opaque_type()->set_domain("d");
    opaque->mutable_type()->mutable_opaque_type()->set_name("thing");
    auto* shapes = setType(graph->add_value_info(), "shapes", {3});
    auto* shape = shapes->mutable_type()->mutable_tensor_type()->mutable_shape();
    shape->add_dim();
    shape->add_dim()->set_dim_param("batch");
    shape->add_dim()->set_dim_param("");
    shape->add_dim()->set_denotation("DATA_CHANNEL");
    shapes->set_doc_string("a value");
    addEntry(shapes->add_metadata_props(), "trace", "of a value");
    shapes->mutable_type()->set_denotation("TENSOR");
    graph->add_value_info()->set_name("nothing is known");
    graph->add_value_info();
}

void addTensors(onnx::GraphProto* graph) {
    const auto add = [&](const std::string& name, int type, std::int64_t count) {
        auto* tensor = graph->add_initializer();
        tensor->set_name(name);
        tensor->set_data_type(type);
        if (count >= 0) tensor->add_dims(count);
        return tensor;
    };
    auto* floats = add("floats", onnx::TensorProto::FLOAT, 2);
    floats->add_float_data(1.5F);
    floats->add_float_data(-0.0F);
    auto* ints = add("ints", onnx::TensorProto::INT8, 3);
    for (const int value : {-1, 0, 127})
        ints->add_int32_data(value);
    auto* longs = add("longs", onnx::TensorProto::INT64, 2);
    longs->add_int64_data(-5);
    longs->add_int64_data(1LL << 60);
    auto* doubles = add("doubles", onnx::TensorProto::DOUBLE, 1);
    doubles->add_double_data(2.5);
    auto* wide = add("unsigned", onnx::TensorProto::UINT64, 1);
    wide->add_uint64_data(UINT64_MAX);
    auto* texts = add("texts", onnx::TensorProto::STRING, 2);
    texts->add_string_data("a");
    texts->add_string_data("");
    add("empty", onnx::TensorProto::FLOAT, 0)->set_raw_data("");
    add("of a type not invented yet", 99, 1)->set_raw_data("x");
    auto* scalar = add("scalar", onnx::TensorProto::FLOAT, -1);
    scalar->set_raw_data(std::string(4, '\0'));
    scalar->set_doc_string("a scalar");
    scalar->mutable_segment()->set_begin(0);
    addEntry(scalar->add_metadata_props(), "k", "v");
    scalar->set_data_location(onnx::TensorProto::DEFAULT);
    graph->add_initializer();
    auto* sparse = graph->add_sparse_initializer();
    sparse->mutable_values()->set_name("sparse weight");
    sparse->mutable_values()->set_data_type(1);
    sparse->mutable_values()->add_float_data(3);
    sparse->mutable_values()->add_dims(1);
    sparse->mutable_indices()->set_data_type(7);
    sparse->mutable_indices()->add_int64_data(4);
    sparse->mutable_indices()->add_dims(1);
    sparse->add_dims(10);
}

onnx::AttributeProto* addAttribute(onnx::NodeProto* node, const std::string& name,
                                   onnx::AttributeProto::AttributeType type) {
    auto* attribute = node->add_attribute();
    attribute->set_name(name);
    attribute->set_type(type);
    return attribute;
}

void addAttributes(onnx::NodeProto* node) {
    using A = onnx::AttributeProto;
    addAttribute(node, "f", A::FLOAT)->set_f(0.1F);
    addAttribute(node, "i", A::INT)->set_i(-3);
    addAttribute(node, "s", A::STRING)->set_s("text");
    addAttribute(node, "t", A::TENSOR)->mutable_t()->set_name("inner");
    addAttribute(node, "no value", A::INT);
    addAttribute(node, "no tensor", A::TENSOR);
    addAttribute(node, "no list", A::INTS);
    auto* floats = addAttribute(node, "floats", A::FLOATS);
    floats->add_floats(1);
    floats->add_floats(2);
    auto* ints = addAttribute(node, "ints", A::INTS);
    ints->add_ints(-1);
    ints->add_ints(1LL << 40);
    addAttribute(node, "strings", A::STRINGS)->add_strings("one");
    addAttribute(node, "tensors", A::TENSORS)->add_tensors()->set_data_type(1);
    addAttribute(node, "type", A::TYPE_PROTO)->mutable_tp()->mutable_tensor_type()->set_elem_type(1);
    addAttribute(node, "types", A::TYPE_PROTOS)->add_type_protos()->mutable_tensor_type()->set_elem_type(1);
    addAttribute(node, "sparse", A::SPARSE_TENSOR)->mutable_sparse_tensor()->add_dims(3);
    addAttribute(node, "sparses", A::SPARSE_TENSORS)->add_sparse_tensors()->add_dims(3);
    addAttribute(node, "doc", A::INT)->set_doc_string("documented");
    auto* untyped = node->add_attribute();
    untyped->set_name("untyped, as in IR version 1");
    untyped->set_f(2);
    auto* both = addAttribute(node, "two values", A::INT);
    both->set_i(1);
    both->set_f(2);
    both->set_s("three");
    node->add_attribute();
    addAttribute(node, "undefined", A::UNDEFINED);
}

void addBodies(onnx::GraphProto* graph) {
    auto* choice = addNode(graph, "If", {"condition"}, {"chosen", ""});
    for (const char* name : {"then_branch", "else_branch"}) {
        auto* body = addAttribute(choice, name, onnx::AttributeProto::GRAPH)->mutable_g();
        body->set_name(name);
        addNode(body, "Add", {"X", "W"}, {std::string(name) + "_out"});
        setType(body->add_output(), std::string(name) + "_out", {2, 3});
    }
    auto* many = addNode(graph, "Many", {"X"}, {"many"});
    auto* bodies = addAttribute(many, "bodies", onnx::AttributeProto::GRAPHS);
    bodies->add_graphs()->set_name("empty body");
    setType(bodies->add_graphs()->add_input(), "inner", {1});
}

void addFunctions(onnx::ModelProto& model) {
    auto* function = model.add_functions();
    function->set_name("Double");
    function->set_domain("own");
    function->set_overload("");
    function->set_doc_string("twice");
    function->add_input("a");
    function->add_output("b");
    function->add_attribute("alpha");
    auto* beta = function->add_attribute_proto();
    beta->set_name("beta");
    beta->set_type(onnx::AttributeProto::FLOAT);
    beta->set_f(1);
    auto* node = function->add_node();
    node->set_op_type("Scale");
    node->add_input("a");
    node->add_output("b");
    auto* reference = addAttribute(node, "alpha", onnx::AttributeProto::FLOAT);
    reference->set_ref_attr_name("alpha");
    function->add_opset_import()->set_version(17);
    setType(function->add_value_info(), "b", {1});
    addEntry(function->add_metadata_props(), "m", "n");
}

void addTraining(onnx::ModelProto& model) {
    auto* info = model.add_training_info();
    auto* start = info->mutable_initialization();
    addNode(start, "RandomNormal", {}, {"W_start"});
    setType(start->add_output(), "W_start", {3});
    auto* step = info->mutable_algorithm();
    addNode(step, "Sub", {"W", "rate"}, {"W_new"});
    addWeight(step, "rate", {0.1F});
    setType(step->add_output(), "W_new", {3});
    addEntry(info->add_initialization_binding(), "W", "W_start");
    addEntry(info->add_update_binding(), "W", "W_new");
    model.add_training_info();
}

} // namespace

onnx::ModelProto richModel() {
    onnx::ModelProto model = smallModel();
    model.set_producer_version("");
    model.set_domain("test.domain");
    model.set_model_version(3);
    model.set_doc_string("everything");
    addEntry(model.add_metadata_props(), "key", "value");
    model.add_opset_import()->set_domain("own");
    model.add_configuration()->set_name("device");
    auto* graph = model.mutable_graph();
    graph->set_doc_string("");
    setType(graph->add_input(), "condition", {});
    addTypes(graph);
    addTensors(graph);
    auto* odd = addNode(graph, "Odd", {"", "X", ""}, {"", "odd", ""});
    odd->set_name("");
    odd->set_domain("own");
    odd->set_overload("o");
    odd->set_doc_string("a node");
    addEntry(odd->add_metadata_props(), "pkg.torch.onnx.stack_trace", "line 1\nline 2");
    odd->add_device_configurations()->set_pipeline_stage(-1);
    addAttributes(odd);
    graph->add_node();
    addBodies(graph);
    auto* annotation = graph->add_quantization_annotation();
    annotation->set_tensor_name("sum");
    addEntry(annotation->add_quant_parameter_tensor_names(), "SCALE_TENSOR", "floats");
    graph->add_quantization_annotation()->add_quant_parameter_tensor_names()->set_key("no tensor");
    addEntry(graph->add_metadata_props(), "g", "h");
    addFunctions(model);
    addTraining(model);
    return model;
}

} // namespace secateur::testing
