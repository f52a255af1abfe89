// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/own_schemas.h"

#include "core/ir/domains.h"
#include "core/onnx/own_inference.h"

#include <algorithm>
#include <vector>

namespace secateur {
namespace {

constexpr std::string_view kMs = "com.microsoft";
constexpr std::string_view kMl = "ai.onnx.ml";

// Fields: domain, operator, since version, inputs least and most, outputs least and most, names, function,
// rule. Arity and meaning follow ONNX Runtime's registrations.
const OwnSchema kSchemas[] = {
    // Gradients that have the shape of what they are gradients of.
    {kMs, "ReluGrad", 1, 2, 2, 1, 1, "dY X", "dX", own::byRule, "=0|1"},
    {kMs, "LeakyReluGrad", 1, 2, 2, 1, 1, "dY Y", "dX", own::byRule, "=0|1"},
    {kMs, "SigmoidGrad", 1, 2, 2, 1, 1, "dY Y", "dX", own::byRule, "=0|1"},
    {kMs, "HardSigmoidGrad", 1, 2, 2, 1, 1, "dY X", "dX", own::byRule, "=0|1"},
    {kMs, "TanhGrad", 1, 2, 2, 1, 1, "dY Y", "dX", own::byRule, "=0|1"},
    {kMs, "GeluGrad", 1, 2, 2, 1, 1, "dY X", "dX", own::byRule, "=0|1"},
    {kMs, "FastGeluGrad", 1, 2, 2, 1, 1, "dY X", "dX", own::byRule, "=0|1"},
    {kMs, "QuickGeluGrad", 1, 2, 2, 1, 1, "dY X", "dX", own::byRule, "=0|1"},
    {kMs, "BiasGeluGrad_dX", 1, 3, 3, 1, 1, "dY X B", "dX", own::byRule, "=0|1"},
    {kMs, "BiasFastGeluGrad_dX", 1, 3, 3, 1, 1, "dY X B", "dX", own::byRule, "=0|1"},
    {kMs, "SoftmaxGrad", 1, 2, 2, 1, 1, "dY Y", "dX", own::byRule, "=0|1"},
    {kMs, "SoftmaxGrad_13", 1, 2, 2, 1, 1, "dY Y", "dX", own::byRule, "=0|1"},
    {kMs, "LogSoftmaxGrad", 1, 2, 2, 1, 1, "dY Y", "dX", own::byRule, "=0|1"},
    {kMs, "LogSoftmaxGrad_13", 1, 2, 2, 1, 1, "dY Y", "dX", own::byRule, "=0|1"},
    {kMs, "DropoutGrad", 1, 2, 4, 1, 1, "dY mask ratio training_mode", "dX", own::byRule, "=0|1shape"},
    {kMs, "BitmaskDropoutGrad", 1, 2, 4, 1, 1, "dY mask ratio training_mode", "dX", own::byRule, "=0"},
    {kMs, "TrainableDropoutGrad", 1, 2, 3, 1, 1, "dY mask ratio", "dX", own::byRule, "=0"},
    {kMs, "SoftmaxDropoutGrad", 1, 3, 4, 1, 1, "dY mask softmax_Y ratio", "dX", own::byRule, "=0|2"},
    {kMs, "FakeQuantGrad", 1, 2, 2, 1, 1, "dY mask", "dX", own::byRule, "=0"},
    {"", "SinGrad", 9, 2, 2, 1, 1, "dY X", "dX", own::byRule, "=0|1"},
    // Gradients of operators with parameters.
    {kMs, "BatchNormalizationGrad", 1, 5, 5, 1, 3, "dY X scale mean variance", "dX dScale dBias", own::byRule,
     "=1|0 =2 =2"},
    {kMs, "LayerNormalizationGrad", 1, 5, 5, 1, 3, "dY X scale mean inv_std_dev", "dX dScale dBias",
     own::byRule, "=1|0 =2 =2"},
    {kMs, "InvertibleLayerNormalizationGrad", 1, 5, 5, 1, 3, "dY Y scale bias inv_std_dev", "dX dScale dBias",
     own::byRule, "=1|0 =2 =3|2"},
    {kMs, "SimplifiedLayerNormalizationGrad", 1, 4, 4, 1, 2, "dY X scale inv_std_dev", "dX dScale",
     own::byRule, "=1|0 =2"},
    {kMs, "ConvGrad", 1, 3, 3, 1, 3, "dY X W", "dX dW dB", own::convGrad, "0"},
    {kMs, "ConvTransposeGrad", 1, 3, 3, 1, 3, "dY X W", "dX dW dB", own::convGrad, "1"},
    {"", "MaxPoolGrad", 9, 2, 2, 1, 1, "dY indices", "dX", own::maxPoolGrad, ""},
    {"", "AveragePoolGrad", 9, 1, 1, 1, 1, "dY", "dX", own::averagePoolGrad, ""},
    {kMs, "DivGrad", 1, 3, 3, 0, 2, "dY A B", "dA dB", own::byRule, "=1 =2"},
    {kMs, "GatherGrad", 1, 3, 3, 1, 1, "shape indices dY", "dX", own::shapedByValue, "0 2"},
    {kMs, "GatherElementsGrad", 1, 3, 3, 1, 1, "dY shape indices", "dX", own::shapedByValue, "1 0"},
    {kMs, "GatherNDGrad", 1, 3, 3, 1, 1, "shape indices dY", "dX", own::shapedByValue, "0 2"},
    {kMs, "SliceGrad", 1, 4, 6, 1, 1, "dY shape starts ends axes steps", "dX", own::shapedByValue, "1 0"},
    {kMs, "ResizeGrad", 1, 2, 4, 1, 1, "dY X roi scales", "dX", own::byRule, "=1|0element"},
    {kMs, "GridSampleGrad", 1, 3, 3, 0, 2, "dY X grid", "dX dGrid", own::byRule, "=1 =2"},
    {kMs, "LSTMGrad", 1, 10, 12, 1, 6, "X W R sequence_lens initial_h initial_c Y C iofc dY dY_h dY_c",
     "dX dW dR dB dH dC", own::recurrentGrad, "4"},
    {kMs, "GRUGrad", 1, 9, 10, 1, 5, "X W R B sequence_lens initial_h Y zrh dY dY_h", "dX dW dR dB dH",
     own::recurrentGrad, "3"},
    {kMs, "BroadcastGradientArgs", 1, 2, 2, 0, 2, "a_shape b_shape", "a_axes b_axes", own::byRule,
     "int64[?] int64[?]"},
    {kMs, "ReduceSumTraining", 1, 2, 2, 1, 1, "data axes", "reduced", own::byStandard, "ReduceSum 13"},
    // Losses and their gradients.
    {kMs, "SoftmaxCrossEntropy", 1, 2, 2, 1, 2, "logits label", "Y log_prob", own::crossEntropy, "onehot"},
    {kMs, "SoftmaxCrossEntropyGrad", 1, 3, 3, 1, 1, "dY log_prob label", "d_logits", own::byRule, "=1"},
    {kMs, "SoftmaxCrossEntropyLossGrad", 1, 3, 5, 1, 1, "dY log_prob label weight bias", "d_logits",
     own::byRule, "=1"},
    {kMs, "SoftmaxCrossEntropyLossInternal", 1, 2, 4, 1, 2, "scores labels weights ignore_index",
     "output log_prob", own::crossEntropy, ""},
    {kMs, "SoftmaxCrossEntropyLossInternalGrad", 1, 3, 6, 1, 1, "dY log_prob label weight ignore_index bias",
     "d_logits", own::byRule, "=1"},
    {kMs, "NegativeLogLikelihoodLossInternal", 1, 2, 4, 1, 1, "input target weight ignore_index", "loss",
     own::crossEntropy, ""},
    {kMs, "NegativeLogLikelihoodLossInternal2", 1, 2, 4, 1, 1, "input target weight ignore_index", "loss",
     own::crossEntropy, ""},
    {"", "SparseSoftmaxCrossEntropy", 9, 2, 3, 1, 2, "logits label weight", "Y log_prob", own::crossEntropy,
     ""},
    {"", "SparseSoftmaxCrossEntropyGrad", 9, 3, 4, 1, 1, "dY log_prob label weight", "d_logits", own::byRule,
     "=1"},
    // Forward operators as training writes them.
    {kMs, "BatchNormInternal", 1, 5, 5, 1, 5, "X scale B input_mean input_var",
     "Y running_mean running_var saved_mean saved_inv_std", own::byRule, "=0 =3 =4 =3|1 =3|1"},
    {kMs, "SimplifiedLayerNormalization", 1, 2, 2, 1, 2, "X scale", "Y inv_std_var", own::layerNormalization,
     "1"},
    {"", "SimplifiedLayerNormalization", 1, 2, 2, 1, 2, "X scale", "Y inv_std_var", own::layerNormalization,
     "1"},
    {kMs, "ConcatTraining", 1, 1, kAnyNumber, 1, 2, "inputs", "concat_result per_input_length",
     own::concatTraining, ""},
    {kMs, "SplitTraining", 1, 2, 2, 1, kAnyNumber, "input split", "outputs", own::splitTraining, ""},
    {kMs, "LSTMTraining", 1, 3, 8, 0, 5, "X W R B sequence_lens initial_h initial_c P", "Y Y_h Y_c C iofc",
     own::recurrentTraining, "4"},
    {kMs, "GRUTraining", 1, 3, 6, 0, 3, "X W R B sequence_lens initial_h", "Y Y_h zrh",
     own::recurrentTraining, "3"},
    {kMs, "BiasDropout", 1, 2, 5, 1, 2, "data bias residual ratio training_mode", "output mask", own::byRule,
     "=0 bool=0"},
    {kMs, "BitmaskDropout", 1, 1, 3, 1, 2, "data ratio training_mode", "output mask", own::bitmaskDropout,
     ""},
    {kMs, "BitmaskBiasDropout", 1, 2, 5, 1, 2, "data bias residual ratio training_mode", "output mask",
     own::bitmaskDropout, ""},
    {kMs, "BiasSoftmaxDropout", 1, 2, 3, 2, 3, "data bias ratio", "Y dropout_Y mask", own::byRule,
     "=0 =0 bool=0"},
    {"", "TrainableDropout", 9, 1, 2, 1, 2, "data ratio", "output mask", own::byRule, "=0 bool=0"},
    {kMs, "FakeQuant", 1, 3, 3, 1, 2, "X scale zero_point", "Y mask", own::byRule, "=0 bool=0"},
    {kMs, "Scale", 1, 2, 2, 1, 1, "input scale", "output", own::byRule, "=0"},
    {kMs, "PassThrough", 1, 1, kAnyNumber, 1, kAnyNumber, "inputs", "outputs", own::pairwise, "0"},
    // Accumulation, clipping, optimizers.
    {kMs, "InPlaceAccumulator", 1, 2, 3, 1, 1, "old_sum value update_signal", "new_sum", own::byRule, "=0"},
    {kMs, "InPlaceAccumulatorV2", 1, 2, 3, 1, 2, "accumulation_buffer value overwrite",
     "updated_output accumulation_buffer_out", own::byRule, "bool[1] =0"},
    {kMs, "ZeroGradient", 1, 2, 2, 1, 1, "old_gradient reset_signal", "zero_gradient", own::byRule, "=0"},
    {kMs, "ReduceAllL2", 1, 1, kAnyNumber, 1, 1, "X", "Y", own::byRule, "float[]"},
    {kMs, "IsAllFinite", 1, 1, kAnyNumber, 1, 1, "input", "output", own::byRule, "bool[]"},
    {kMs, "IsFinite", 1, 1, 1, 1, 1, "X", "Y", own::byRule, "bool=0"},
    {kMs, "All", 1, 1, 1, 1, 1, "X", "Y", own::byRule, "bool[]"},
    {kMs, "Group", 1, 1, kAnyNumber, 1, 1, "input_tensors", "done", own::byRule, "bool[]"},
    {kMs, "MixedPrecisionScale", 1, 2, kAnyNumber, 1, kAnyNumber, "S X", "Y", own::mixedPrecisionScale, ""},
    {kMs, "SGDOptimizer", 1, 3, 3, 0, 2, "ETA W G", "NW NG", own::byRule, "=1 =2"},
    {kMs, "SGDOptimizerV2", 1, 3, 4, 1, 2, "lr weights gradients update_signal",
     "update_completed updated_weights", own::byRule, "bool[1] =1"},
    {kMs, "AdamOptimizer", 1, 6, 10, 3, 6,
     "R T weights gradients moment_1 moment_2 mixed_precision_weights loss_scale global_gradient_norm "
     "update_signal",
     "new_T new_moment_1 new_moment_2 new_weights new_gradients new_mixed_precision_weights", own::byRule,
     "=1 =4 =5 =2 =3 =6"},
    {kMs, "AdamWOptimizer", 1, 6, 7, 1, 4, "lr step weights gradients momentums_1 momentums_2 update_signal",
     "updated_flag updated_weights updated_momentums_1 updated_momentums_2", own::byRule, "bool[1] =2 =4 =5"},
    {kMs, "LambOptimizer", 1, 5, kAnyNumber, 1, kAnyNumber,
     "update_signal loss_scale gradient_norm R step tensors", "new_step new_tensors", own::pairwise, "4"},
    // Between processes and programs.
    {kMs, "MegatronF", 1, 1, 1, 1, 1, "input", "output", own::byRule, "=0"},
    {kMs, "MegatronG", 1, 1, 1, 1, 1, "input", "output", own::byRule, "=0"},
    {kMs, "NcclAllReduce", 1, 1, kAnyNumber, 1, kAnyNumber, "input", "output", own::pairwise, "0"},
    {kMs, "RecordEvent", 1, 2, kAnyNumber, 0, kAnyNumber, "EventIdentifier InputData", "OutputData",
     own::pairwise, "1"},
    {kMs, "WaitEvent", 1, 2, kAnyNumber, 1, kAnyNumber, "EventIdentifier InputData", "OutputData",
     own::pairwise, "1"},
    {kMs, "YieldOp", 1, 1, kAnyNumber, 1, kAnyNumber, "module_outputs", "module_outputs_grad", own::yieldOp,
     ""},
    {kMs, "SummaryScalar", 1, 1, 1, 1, 1, "input", "summary", own::byRule, "string[]"},
    {kMs, "SummaryHistogram", 1, 1, 1, 1, 1, "input", "summary", own::byRule, "string[]"},
    {kMs, "SummaryText", 1, 1, 1, 1, 1, "input", "summary", own::byRule, "string[]"},
    {kMs, "SummaryMerge", 1, 1, kAnyNumber, 1, 1, "input", "summary", own::byRule, "string[]"},
    // Fused and quantized operators of inference.
    {kMs, "Gelu", 1, 1, 1, 1, 1, "X", "Y", own::byRule, "=0"},
    {kMs, "FastGelu", 1, 1, 2, 1, 1, "X bias", "Y", own::byRule, "=0"},
    {kMs, "QuickGelu", 1, 1, 1, 1, 1, "X", "Y", own::byRule, "=0"},
    {kMs, "BiasGelu", 1, 2, 2, 1, 1, "A B", "C", own::byRule, "=0"},
    {kMs, "BiasAdd", 1, 3, 3, 1, 1, "X bias skip", "Y", own::byRule, "=0"},
    {kMs, "BiasSoftmax", 1, 2, 2, 1, 1, "data bias", "output", own::byRule, "=0"},
    {kMs, "Inverse", 1, 1, 1, 1, 1, "X", "Y", own::byRule, "=0"},
    {kMs, "RotaryEmbedding", 1, 4, 4, 1, 1, "input position_ids cos_cache sin_cache", "output", own::byRule,
     "=0"},
    {kMs, "GroupNorm", 1, 3, 3, 1, 1, "X gamma beta", "Y", own::byRule, "=0"},
    {kMs, "SkipLayerNormalization", 1, 3, 5, 1, 4, "input skip gamma beta bias",
     "output mean inv_std_var input_skip_bias_sum", own::byRule, "=0 - - =0"},
    {kMs, "SkipSimplifiedLayerNormalization", 1, 3, 4, 1, 4, "input skip gamma bias",
     "output mean inv_std_var input_skip_bias_sum", own::byRule, "=0 - - =0"},
    {kMs, "FusedMatMul", 1, 2, 2, 1, 1, "A B", "Y", own::fusedMatMul, ""},
    {kMs, "TransposeMatMul", 1, 2, 2, 1, 1, "A B", "Y", own::fusedMatMul, ""},
    {kMs, "FusedGemm", 1, 2, 3, 1, 1, "A B C", "Y", own::byStandard, "Gemm 13"},
    {kMs, "FusedConv", 1, 2, 4, 1, 1, "X W B Z", "Y", own::byStandard, "Conv 11"},
    {kMs, "DynamicQuantizeLSTM", 1, 7, 12, 0, 3,
     "X W R B sequence_lens initial_h initial_c P W_scale W_zero_point R_scale R_zero_point", "Y Y_h Y_c",
     own::byStandard, "LSTM 14"},
    {kMs, "MatMulNBits", 1, 3, 6, 1, 1, "A B scales zero_points g_idx bias", "Y", own::matMulPacked, ""},
    {kMs, "MatMulBnb4", 1, 3, 3, 1, 1, "A B absmax", "Y", own::matMulPacked, ""},
    {kMs, "MatMulIntegerToFloat", 1, 4, 7, 1, 1, "A B a_scale b_scale a_zero_point b_zero_point bias", "Y",
     own::fusedMatMul, "2"},
    {kMs, "DynamicQuantizeMatMul", 1, 3, 5, 1, 1, "A B b_scale b_zero_point bias", "Y", own::fusedMatMul,
     "0"},
    {kMs, "QLinearAdd", 1, 7, 8, 1, 1, "A A_scale A_zero_point B B_scale B_zero_point C_scale C_zero_point",
     "C", own::broadcastFloat, "0 3"},
    {kMs, "QLinearMul", 1, 7, 8, 1, 1, "A A_scale A_zero_point B B_scale B_zero_point C_scale C_zero_point",
     "C", own::broadcastFloat, "0 3"},
    {kMs, "QLinearSigmoid", 1, 4, 5, 1, 1, "X X_scale X_zero_point Y_scale Y_zero_point", "Y", own::byRule,
     "=0"},
    {kMs, "QLinearLeakyRelu", 1, 4, 5, 1, 1, "X X_scale X_zero_point Y_scale Y_zero_point", "Y", own::byRule,
     "=0"},
    {kMs, "QLinearSoftmax", 1, 5, 5, 1, 1, "X X_scale X_zero_point Y_scale Y_zero_point", "Y", own::byRule,
     "=0"},
    // Classical learning, where libonnx has a schema that infers nothing.
    {kMl, "Imputer", 1, 1, 1, 1, 1, "X", "Y", own::byRule, "=0"},
    {kMl, "Scaler", 1, 1, 1, 1, 1, "X", "Y", own::byRule, "float=0"},
    {kMl, "Normalizer", 1, 1, 1, 1, 1, "X", "Y", own::byRule, "float=0"},
    {kMl, "LinearRegressor", 1, 1, 1, 1, 1, "X", "Y", own::tableRegressor, "targets"},
    {kMl, "SVMRegressor", 1, 1, 1, 1, 1, "X", "Y", own::tableRegressor, ""},
    {kMl, "TreeEnsembleRegressor", 1, 1, 1, 1, 1, "X", "Y", own::tableRegressor, "n_targets"},
};

bool isLess(const OwnSchema& a, const OwnSchema& b) {
    return a.domain != b.domain ? a.domain < b.domain : a.op < b.op;
}

std::vector<OwnSchema> sorted() {
    std::vector<OwnSchema> out(std::begin(kSchemas), std::end(kSchemas));
    std::sort(out.begin(), out.end(), isLess);
    return out;
}

} // namespace

std::span<const OwnSchema> ownSchemas() {
    static const std::vector<OwnSchema> kTable = sorted();
    return kTable;
}

const OwnSchema* findOwnSchema(std::string_view domain, std::string_view op) {
    const std::span<const OwnSchema> table = ownSchemas();
    OwnSchema wanted;
    wanted.domain = plainDomain(domain);
    wanted.op = op;
    const auto at = std::lower_bound(table.begin(), table.end(), wanted, isLess);
    return at != table.end() && at->domain == wanted.domain && at->op == op ? &*at : nullptr;
}

} // namespace secateur
