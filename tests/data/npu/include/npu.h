// The interface of a vendor's library: NPU 1.2.3.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// y[i] = a[i] + b[i] + offset, clamped to low and high.
void npu_add_s8(const int8_t* a, const int8_t* b, int8_t* y, int32_t count, int32_t offset,
                int32_t low, int32_t high);

#ifdef __cplusplus
}
#endif
