// Sums of int8 at the scale of y, as TensorFlow Lite Micro has them: byte_sums.h in OpenCL C.
#include "runtimes/core/fixed_point.cl"

// The sum of elements without their zero points, as an element of y. 32 bits wrap.
#define RESCALED_BYTES(p, sum)                                                              \
  clamp(multiply_by_quantized_multiplier((int)((uint)(sum) << 19), p.multiplier, p.shift) + \
            p.y_zero_point,                                                                 \
        -128, 127)
