/* Arithmetic that saturates. */
#define FASTMATH_BIAS 0
#include "fastmath/fastmath.h"


int8_t fastmath_tripled(int8_t x, int32_t bias) {
  int32_t y = 3 * x + bias;
  return (int8_t)(y > 127 ? 127 : y < -128 ? -128 : y);
}
