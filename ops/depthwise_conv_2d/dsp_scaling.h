// Constants of a channel in the order in which assembly takes them, and its steps from sums to
// outputs. Needs the DSP extension.
#pragma once

#include "runtimes/cmsis/dsp.h"

namespace opsmith::depthwise_conv_2d {

struct TwoWords {
  int32_t a, b;
};
// Of a channel that rounds twice or, in another order, once.
struct Scaling {
  TwoWords first, second;
};

// Steps of a sum, which is its own result, by registers. Of thresholds, whose shifts are known:
#define OPSMITH_STEP_LEFT(sum, ...) "lsl %[" sum "], %[" sum "], #%c[before]\n\t"
#define OPSMITH_STEP_LINE(sum, multiplier, offset) \
  "smmla %[" sum "], %[" sum "], %[" multiplier "], %[" offset "]\n\t"
#define OPSMITH_STEP_RIGHT(sum, ...) "ssat %[" sum "], #8, %[" sum "], asr #%c[after]\n\t"
// Of double rounding, as dsp::requantize() explains it; one register is free:
#define OPSMITH_STEP_BIAS(sum, bias) "add %[" sum "], %[" bias "], %[" sum "], lsl #1\n\t"
#define OPSMITH_STEP_ROUND(sum, multiplier, offset, free) \
  "add %[" free "], %[" offset "], %[" sum                \
  "], asr #31\n\t"                                        \
  "smmlar %[" sum "], %[" sum "], %[" multiplier "], %[" free "]\n\t"
#define OPSMITH_STEP_SHIFT(sum, shift) "asr %[" sum "], %[" sum "], %[" shift "]\n\t"
#define OPSMITH_STEP_BYTE(sum, ...) "ssat %[" sum "], #8, %[" sum "]\n\t"

}  // namespace opsmith::depthwise_conv_2d
