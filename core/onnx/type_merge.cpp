// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/type_merge.h"

namespace secateur {
namespace {

void mergeShape(onnx::TensorShapeProto& inferred, const onnx::TensorShapeProto& declared,
                MergeResult& result) {
    if (inferred.dim_size() != declared.dim_size()) {
        result.contradicts = true;
        return;
    }
    for (int i = 0; i < inferred.dim_size(); ++i) {
        onnx::TensorShapeProto::Dimension& mine = *inferred.mutable_dim(i);
        const onnx::TensorShapeProto::Dimension& theirs = declared.dim(i);
        if (mine.has_dim_value()) {
            if (theirs.has_dim_value() && theirs.dim_value() != mine.dim_value()) result.contradicts = true;
        } else if (theirs.has_dim_value() || (!mine.has_dim_param() && theirs.has_dim_param())) {
            mine = theirs;
            result.usedDeclaration = true;
        }
    }
}

template <class TensorType>
void mergeTensor(TensorType& inferred, const TensorType& declared, MergeResult& result) {
    if (inferred.elem_type() == onnx::TensorProto::UNDEFINED) {
        if (declared.elem_type() != onnx::TensorProto::UNDEFINED) {
            inferred.set_elem_type(declared.elem_type());
            result.usedDeclaration = true;
        }
    } else if (declared.elem_type() != onnx::TensorProto::UNDEFINED &&
               declared.elem_type() != inferred.elem_type()) {
        result.contradicts = true;
        return;
    }
    if (!declared.has_shape()) return;
    if (inferred.has_shape()) {
        mergeShape(*inferred.mutable_shape(), declared.shape(), result);
    } else {
        *inferred.mutable_shape() = declared.shape();
        result.usedDeclaration = true;
    }
}

void merge(onnx::TypeProto& inferred, const onnx::TypeProto& declared, MergeResult& result) {
    if (declared.value_case() == onnx::TypeProto::VALUE_NOT_SET) return;
    if (inferred.value_case() == onnx::TypeProto::VALUE_NOT_SET) {
        inferred = declared;
        result.usedDeclaration = true;
        return;
    }
    if (inferred.value_case() != declared.value_case()) {
        result.contradicts = true;
        return;
    }
    switch (inferred.value_case()) {
    case onnx::TypeProto::kTensorType:
        mergeTensor(*inferred.mutable_tensor_type(), declared.tensor_type(), result);
        return;
    case onnx::TypeProto::kSparseTensorType:
        mergeTensor(*inferred.mutable_sparse_tensor_type(), declared.sparse_tensor_type(), result);
        return;
    case onnx::TypeProto::kSequenceType:
        merge(*inferred.mutable_sequence_type()->mutable_elem_type(), declared.sequence_type().elem_type(),
              result);
        return;
    case onnx::TypeProto::kOptionalType:
        merge(*inferred.mutable_optional_type()->mutable_elem_type(), declared.optional_type().elem_type(),
              result);
        return;
    case onnx::TypeProto::kMapType:
        if (inferred.map_type().key_type() != declared.map_type().key_type())
            result.contradicts = true;
        else
            merge(*inferred.mutable_map_type()->mutable_value_type(), declared.map_type().value_type(),
                  result);
        return;
    case onnx::TypeProto::kOpaqueType:
    case onnx::TypeProto::VALUE_NOT_SET: return;
    }
}

void nameDims(onnx::TypeProto& type, std::string_view stem, int& next);

template <class TensorType> void nameTensorDims(TensorType* type, std::string_view stem, int& next) {
    if (!type->has_shape()) return;
    for (onnx::TensorShapeProto::Dimension& dim : *type->mutable_shape()->mutable_dim()) {
        if (!dim.has_dim_value() && dim.dim_param().empty())
            dim.set_dim_param(std::string(stem) + std::to_string(next));
        ++next;
    }
}

void nameDims(onnx::TypeProto& type, std::string_view stem, int& next) {
    switch (type.value_case()) {
    case onnx::TypeProto::kTensorType: nameTensorDims(type.mutable_tensor_type(), stem, next); return;
    case onnx::TypeProto::kSparseTensorType:
        nameTensorDims(type.mutable_sparse_tensor_type(), stem, next);
        return;
    // The tensors of a sequence may differ from one another, and so may those of a map: no dimension is one
    // number.
    case onnx::TypeProto::kSequenceType:
    case onnx::TypeProto::kMapType: return;
    case onnx::TypeProto::kOptionalType:
        nameDims(*type.mutable_optional_type()->mutable_elem_type(), stem, next);
        return;
    case onnx::TypeProto::kOpaqueType:
    case onnx::TypeProto::VALUE_NOT_SET: return;
    }
}

bool hasOpenDim(const onnx::TensorShapeProto& shape) {
    for (const onnx::TensorShapeProto::Dimension& dim : shape.dim()) {
        if (!dim.has_dim_value() && dim.dim_param().empty()) return true;
    }
    return false;
}

} // namespace

MergeResult mergeDeclared(onnx::TypeProto& inferred, const onnx::TypeProto& declared) {
    MergeResult result;
    merge(inferred, declared, result);
    return result;
}

bool hasUnknownDims(const onnx::TypeProto& type) {
    if (type.has_tensor_type())
        return type.tensor_type().has_shape() && hasOpenDim(type.tensor_type().shape());
    return type.value_case() != onnx::TypeProto::VALUE_NOT_SET;
}

void nameUnknownDims(onnx::TypeProto& type, std::string_view stem) {
    int next = 0;
    nameDims(type, stem, next);
}

} // namespace secateur
