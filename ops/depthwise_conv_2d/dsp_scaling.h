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
// In single precision, as dsp::requantize() explains it; each sum has a float register, which each
// `floats` names.
#define OPSMITH_STEP_ADD(sum, bias) "add %[" sum "], %[" sum "], %[" bias "]\n\t"
#define OPSMITH_STEP_TO_FPU(sum, s) "vmov " s ", %[" sum "]\n\t"
#define OPSMITH_STEP_FLOAT(sum, s) "vcvt.f32.s32 " s ", " s "\n\t"
#define OPSMITH_STEP_SCALE(sum, s) "vmul.f32 " s ", " s ", %[factor]\n\t"
#define OPSMITH_STEP_NEAREST(sum, s) "vcvtr.s32.f32 " s ", " s "\n\t"
#define OPSMITH_STEP_FROM_FPU(sum, s) "vmov %[" sum "], " s "\n\t"
#define OPSMITH_STEP_ZERO(sum, zero) "qadd %[" sum "], %[" sum "], %[" zero "]\n\t"
#define OPSMITH_STEPS_SINGLE(each, floats, bias, zero)                                      \
  each(OPSMITH_STEP_ADD, bias) floats(OPSMITH_STEP_TO_FPU) floats(OPSMITH_STEP_FLOAT)       \
      floats(OPSMITH_STEP_SCALE) floats(OPSMITH_STEP_NEAREST) floats(OPSMITH_STEP_FROM_FPU) \
          each(OPSMITH_STEP_ZERO, zero) each(OPSMITH_STEP_BYTE, )

}  // namespace opsmith::depthwise_conv_2d
