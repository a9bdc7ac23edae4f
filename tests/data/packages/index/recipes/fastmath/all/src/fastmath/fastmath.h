/* Arithmetic that saturates. */
#pragma once

#include <stdint.h>

#ifndef FASTMATH_BIAS
#error "fastmath is used without what its package defines"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* 3 x + bias, within -128 and 127. */
int8_t fastmath_tripled(int8_t x, int32_t bias);

#ifdef __cplusplus
}
#endif
