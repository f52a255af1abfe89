// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/operator_traits.h"

#include "core/ir/domains.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace secateur {
namespace {

using Bits = std::uint16_t;
constexpr Bits kPure = 1, kRandom = 2, kEffect = 4, kGradient = 8, kLoss = 16, kOptimizer = 32,
               kAccumulator = 64;

// Names of one domain and of one set of traits, separated by spaces.
constexpr std::string_view kStandard =
    "Abs Acos Acosh Add AffineGrid And ArgMax ArgMin Asin Asinh Atan Atanh Attention AveragePool "
    "BatchNormalization BitCast BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor BlackmanWindow "
    "Cast CastLike CausalConvWithState Ceil Celu CenterCropPad Clip Col2Im Compress Concat "
    "ConcatFromSequence Constant ConstantOfShape Conv ConvInteger ConvTranspose Cos Cosh CumProd "
    "CumSum DFT DeformConv DepthToSpace DequantizeLinear Det Div DynamicQuantizeLinear Einsum Elu "
    "Equal Erf Exp Expand EyeLike Flatten Floor GRU Gather GatherElements GatherND Gelu Gemm "
    "GlobalAveragePool GlobalLpPool GlobalMaxPool Greater GreaterOrEqual GridSample GroupNormalization "
    "HammingWindow HannWindow HardSigmoid HardSwish Hardmax Identity If ImageDecoder "
    "InstanceNormalization IsInf IsNaN LRN LSTM LayerNormalization LeakyRelu Less LessOrEqual "
    "LinearAttention Log LogSoftmax Loop LpNormalization LpPool MatMul MatMulInteger Max MaxPool "
    "MaxRoiPool MaxUnpool Mean MeanVarianceNormalization MelWeightMatrix Min Mish Mod Mul Neg "
    "NonMaxSuppression NonZero Not OneHot Optional OptionalGetElement OptionalHasElement Or PRelu Pad "
    "Pow QLinearConv QLinearMatMul QuantizeLinear RMSNormalization RNN Range Reciprocal ReduceL1 "
    "ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum "
    "ReduceSumSquare RegexFullMatch Relu Reshape Resize ReverseSequence RoiAlign RotaryEmbedding Round "
    "STFT Scan Scatter ScatterElements ScatterND Selu SequenceAt SequenceConstruct SequenceEmpty "
    "SequenceErase SequenceInsert SequenceLength SequenceMap Shape Shrink Sigmoid Sign Sin Sinh Size "
    "Slice Softmax Softplus Softsign SpaceToDepth Split SplitToSequence Sqrt Squeeze StringConcat "
    "StringNormalizer StringSplit Sub Sum SwiGLU Swish Tan Tanh TensorScatter TfIdfVectorizer "
    "ThresholdedRelu Tile TopK Transpose Trilu Unique Unsqueeze Upsample Where Xor";

constexpr std::string_view kMachineLearning =
    "ArrayFeatureExtractor Binarizer CastMap CategoryMapper DictVectorizer FeatureVectorizer Imputer "
    "LabelEncoder LinearClassifier LinearRegressor Normalizer OneHotEncoder SVMClassifier SVMRegressor "
    "Scaler TreeEnsemble TreeEnsembleClassifier TreeEnsembleRegressor ZipMap";

// ONNX Runtime's own inference operators that stand in exported and optimized files.
constexpr std::string_view kRuntime =
    "Attention BiasAdd BiasGelu BiasSoftmax BiasSplitGelu CDist ComplexMul ComplexMulConj "
    "ConvTransposeWithDynamicPads CropAndResize DecoderMaskedMultiHeadAttention DecoderMaskedSelfAttention "
    "DequantizeBFP DequantizeLinear DequantizeWithOrder DynamicQuantizeLSTM DynamicQuantizeMatMul "
    "DynamicTimeWarping "
    "EPContext EmbedLayerNormalization ExpandDims FastGelu FusedConv FusedGemm FusedMatMul "
    "FusedMatMulActivation "
    "GatedRelativePositionBias GatherBlockQuantized GatherND Gelu GemmFastGelu GemmFloat8 "
    "GemmaRotaryEmbedding "
    "GridSample GroupNorm GroupQueryAttention Inverse Irfft LongformerAttention MatMulBnb4 MatMulFpQ4 "
    "MatMulInteger16 MatMulIntegerToFloat MatMulNBits MaxpoolWithMask MoE MulInteger MultiHeadAttention "
    "MurmurHash3 NGramRepeatBlock NhwcConv NhwcFusedConv NhwcMaxPool PackedAttention "
    "PackedMultiHeadAttention Pad "
    "QAttention QGemm QLinearAdd QLinearAveragePool QLinearConcat QLinearConv QLinearGlobalAveragePool "
    "QLinearLeakyRelu QLinearMul QLinearReduceMean QLinearSigmoid QLinearSoftmax QLinearWhere QMoE "
    "QOrderedAttention QOrderedGelu QOrderedLayerNormalization QOrderedLongformerAttention QOrderedMatMul "
    "QuantizeBFP QuantizeLinear QuantizeWithOrder QuickGelu Range ReduceSumInteger RelativePositionBias "
    "RemovePadding RestorePadding Rfft RotaryEmbedding SkipGroupNorm SkipLayerNormalization "
    "SimplifiedLayerNormalization SkipSimplifiedLayerNormalization SparseAttention SparseToDenseMatMul "
    "Tokenizer "
    "TorchEmbedding TransposeMatMul Trilu UnfoldTensor Unique WordConvEmbedding";
// Forward operators that training puts in the place of standard ones.
constexpr std::string_view kTrainingForward =
    "BatchNormInternal BatchScale ConcatTraining FakeQuant GRUTraining GistBinarizeEncoder "
    "GistBinarizeDecoder "
    "GistPack1Encoder GistPack1Decoder GistPack8Encoder GistPack8Decoder GistPack16Encoder GistPack16Decoder "
    "GistPackMsfp15Encoder GistPackMsfp15Decoder LSTMTraining PadAndUnflatten PassThrough Scale ScaledSum "
    "ShrunkenGather SplitTraining View";
constexpr std::string_view kTrainingRandom =
    "BiasDropout BiasSoftmaxDropout BitmaskBiasDropout BitmaskDropout TrainableDropout";
constexpr std::string_view kTrainingLosses =
    "NegativeLogLikelihoodLossInternal NegativeLogLikelihoodLossInternal2 SoftmaxCrossEntropy "
    "SoftmaxCrossEntropyLossInternal SparseSoftmaxCrossEntropy";
constexpr std::string_view kTrainingGradients =
    "AveragePoolGrad BatchNormalizationGrad BiasFastGeluGrad_dX BiasGeluGrad_dX BitmaskDropoutGrad "
    "BroadcastGradientArgs ConvGrad ConvTransposeGrad DivGrad DropoutGrad FakeQuantGrad FastGeluGrad GRUGrad "
    "GatherElementsGrad GatherGrad GatherNDGrad GeluGrad GridSampleGrad HardSigmoidGrad "
    "InvertibleLayerNormalizationGrad "
    "LSTMGrad LayerNormalizationGrad LeakyReluGrad LogSoftmaxGrad LogSoftmaxGrad_13 MaxPoolGrad "
    "QuickGeluGrad "
    "ReduceSumTraining ReluGrad ResizeGrad SigmoidGrad SimplifiedLayerNormalizationGrad SinGrad SliceGrad "
    "SoftmaxCrossEntropyGrad SoftmaxCrossEntropyLossGrad SoftmaxCrossEntropyLossInternalGrad "
    "SoftmaxDropoutGrad "
    "SoftmaxGrad SoftmaxGrad_13 SparseSoftmaxCrossEntropyGrad TanhGrad TrainableDropoutGrad";
constexpr std::string_view kTrainingOptimizers = "All IsAllFinite IsFinite MixedPrecisionScale ReduceAllL2";
constexpr std::string_view kTrainingUpdates =
    "AdamOptimizer AdamWOptimizer LambOptimizer SGDOptimizer SGDOptimizerV2";
constexpr std::string_view kTrainingAccumulators = "InPlaceAccumulator InPlaceAccumulatorV2 ZeroGradient";
// Pipelines, other processes, logging, calls into Python: run for what they do.
constexpr std::string_view kEffects = "AdasumAllReduce CollectiveAllToAll Group HorovodAllReduce MegatronF "
                                      "MegatronG NcclAllGather NcclAllReduce "
                                      "NcclReduceScatter PythonOp PythonOpGrad RecordEvent Recv Send "
                                      "SummaryHistogram SummaryMerge SummaryScalar "
                                      "SummaryText WaitEvent YieldOp";

struct Entry {
    std::string_view domain, op;
    Bits bits;
};

void add(std::vector<Entry>& out, std::string_view domain, std::string_view names, int bits) {
    for (std::size_t at = 0; at < names.size();) {
        const std::size_t end = std::min(names.find(' ', at), names.size());
        if (end > at) out.push_back({domain, names.substr(at, end - at), static_cast<Bits>(bits)});
        at = end + 1;
    }
}

bool isLess(const Entry& a, const Entry& b) {
    return a.domain != b.domain ? a.domain < b.domain : a.op < b.op;
}

std::vector<Entry> makeTable() {
    std::vector<Entry> out;
    add(out, "", kStandard, kPure);
    add(out, "",
        "Bernoulli Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike Dropout "
        "TrainableDropout",
        kRandom);
    add(out, "", "NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss SparseSoftmaxCrossEntropy",
        kPure | kLoss);
    // ONNX Runtime registers these in the default domain, though the standard does not know them.
    add(out, "", "AveragePoolGrad MaxPoolGrad SinGrad SparseSoftmaxCrossEntropyGrad", kPure | kGradient);
    add(out, "", "SimplifiedLayerNormalization", kPure);
    add(out, "ai.onnx.ml", kMachineLearning, kPure);
    add(out, "ai.onnx.preview", "FlexAttention", kPure);
    add(out, "ai.onnx.preview.training", "Adagrad Adam Momentum", kPure | kOptimizer);
    add(out, "ai.onnx.preview.training", "Gradient", kPure | kGradient);
    add(out, "com.microsoft", kRuntime, kPure);
    add(out, "com.microsoft", kTrainingForward, kPure);
    add(out, "com.microsoft", kTrainingRandom, kRandom);
    add(out, "com.microsoft", kTrainingLosses, kPure | kLoss);
    add(out, "com.microsoft", kTrainingGradients, kPure | kGradient);
    add(out, "com.microsoft", kTrainingOptimizers, kPure | kOptimizer);
    add(out, "com.microsoft", kTrainingUpdates, kEffect | kOptimizer);
    add(out, "com.microsoft", kTrainingAccumulators, kEffect | kAccumulator);
    add(out, "com.microsoft", kEffects, kEffect);
    add(out, "com.microsoft.nchwc",
        "AveragePool Conv GlobalAveragePool GlobalMaxPool MaxPool ReorderInput ReorderOutput Upsample",
        kPure);
    std::sort(out.begin(), out.end(), isLess);
    return out;
}

} // namespace

OperatorTraits traitsOf(std::string_view domain, std::string_view op) {
    static const std::vector<Entry> kTable = makeTable();
    const Entry wanted{plainDomain(domain), op, 0};
    const auto at = std::lower_bound(kTable.begin(), kTable.end(), wanted, isLess);
    OperatorTraits traits;
    if (at == kTable.end() || at->domain != wanted.domain || at->op != wanted.op) return traits;
    traits.isKnown = true;
    traits.isPure = (at->bits & kPure) != 0;
    traits.isRandom = (at->bits & kRandom) != 0;
    traits.hasSideEffect = (at->bits & kEffect) != 0;
    traits.isGradient = (at->bits & kGradient) != 0;
    traits.isLoss = (at->bits & kLoss) != 0;
    traits.isOptimizer = (at->bits & kOptimizer) != 0;
    traits.isAccumulator = (at->bits & kAccumulator) != 0;
    return traits;
}

} // namespace secateur
