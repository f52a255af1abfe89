// SPDX-License-Identifier: Apache-2.0
//
// Functors of this folder are written once and compiled twice: by the host compiler, and by nvcc for the
// device. They use no library but <cmath>, <cstdint>, <limits>, and never allocate.
#pragma once

#ifdef __CUDACC__
#define SECATEUR_HD __host__ __device__
#else
#define SECATEUR_HD
#endif
