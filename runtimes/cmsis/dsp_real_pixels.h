// All channels of four pixels, as dsp_pixels.h has them, whose outputs are float32: for kernels
// that require `dsp` and `fpu` and quantise their images when they run. Fast as those are; eight
// sums become floats in registers, and each scale and bias that is loaded serves four of them.
#pragma once

#include "runtimes/cmsis/dsp_real_outputs.h"
#include "runtimes/cmsis/dsp_rounded_pixels.h"
#include "runtimes/cmsis/dsp_pixel_steps.h"

namespace opsmith::dsp {

#define OPSMITH_EACH(f)                                                                         \
  f("s0", "8") f("s1", "11") f("s2", "8") f("s3", "11") f("s4", "8") f("s5", "11") f("s6", "8") \
      f("s7", "11")
#define OPSMITH_PIXEL(i, of_a, of_b) \
  "sub %[a" i "], %[a" i             \
  "], %[w]\n\t"                      \
  "sub %[both" i "], %[both" i       \
  "], %[pair], lsl #8\n\t"           \
  "vmov " of_a ", %[a" i             \
  "]\n\t"                            \
  "vmov " of_b ", %[both" i          \
  "]\n\t"                            \
  "vcvt.f32.s32 " of_a ", " of_a     \
  "\n\t"                             \
  "vcvt.f32.s32 " of_b ", " of_b ", #8\n\t"
#define OPSMITH_SCALE(s, scale) "vmul.f32 " s ", " s ", s" scale "\n\t"
#define OPSMITH_SCALE_ALL(s, scale) "vmul.f32 " s ", " s ", s15\n\t"
#define OPSMITH_LOW(s, scale) \
  "vcmp.f32 " s               \
  ", s14\n\t"                 \
  "vmrs APSR_nzcv, fpscr\n\t" \
  "it mi\n\t"                 \
  "vmovmi.f32 " s ", s14\n\t"
#define OPSMITH_HIGH(s, scale) \
  "vcmp.f32 " s                \
  ", s15\n\t"                  \
  "vmrs APSR_nzcv, fpscr\n\t"  \
  "it gt\n\t"                  \
  "vmovgt.f32 " s ", s15\n\t"

// All channels of four pixels whose columns of N words are filled; `pitch` floats lie from a pixel
// of y to the next. NaN stays as it is, like the sign of zero. Shared by all layers.
template <class W>
__attribute__((noinline, noclone)) void four_real_pixels(const RealOutputs& outputs,
                                                         const uint32_t* filled, int32_t words,
                                                         W from, const RealChannel* constants,
                                                         int32_t channels, int32_t pitch,
                                                         float* y) {
  pitch *= static_cast<int32_t>(sizeof(float));
  const RealOutputs* o = &outputs;
  const int32_t skipped = skipped_bytes(words, kApart<W>);
  const uint32_t *end = filled + words, *weights = first_of(from), *columns;
  const float* const limit = y + channels;  // of the first pixel
  int32_t a0, a1, a2, a3, both0, both1, both2, both3;
  uint32_t w, x, next, pair;
  __asm volatile(
      OPSMITH_BEGIN OPSMITH_MULTIPLY
      "ldr %[x], %[constants]\n\t"
      "vldmia %[x]!, {s8-s13}\n\t"
      "str %[x], %[constants]\n\t"
      "ldr %[x], %[o]\n\t"
      "ldr %[next], [%[x], #8]\n\t"
      "vldmia %[x], {s14-s15}\n\t"
      "vmov %[w], s10\n\t"
      "vmov %[pair], s13\n\t"
      "mul %[w], %[w], %[next]\n\t"
      "mul %[pair], %[pair], %[next]\n\t" OPSMITH_PIXEL("0", "s0", "s1")
          OPSMITH_PIXEL("1", "s2", "s3") OPSMITH_PIXEL("2", "s4", "s5")
              OPSMITH_PIXEL("3", "s6", "s7")
      "vmul.f32 s8, s8, s14\n\t"
      "vmul.f32 s11, s11, s14\n\t" OPSMITH_EACH(OPSMITH_SCALE) OPSMITH_EACH(OPSMITH_SCALE_ALL)
      "vadd.f32 s0, s0, s9\n\t"
      "vadd.f32 s1, s1, s12\n\t"
      "vadd.f32 s2, s2, s9\n\t"
      "vadd.f32 s3, s3, s12\n\t"
      "vadd.f32 s4, s4, s9\n\t"
      "vadd.f32 s5, s5, s12\n\t"
      "vadd.f32 s6, s6, s9\n\t"
      "vadd.f32 s7, s7, s12\n\t"
      "ldr %[w], [%[x], #12]\n\t"
      "cmp %[w], #1\n\t"
      "blt 5f\n\t"
      "vldr s14, [%[x], #16]\n\t"
      "vldr s15, [%[x], #20]\n\t" OPSMITH_EACH(OPSMITH_LOW)
      "cmp %[w], #1\n\t"
      "beq 5f\n\t" OPSMITH_EACH(OPSMITH_HIGH)
      "5:\n\t"
      "ldr %[x], %[y]\n\t"
      "ldr %[next], %[pitch]\n\t"
      "ldr %[w], %[limit]\n\t"
      "add %[columns], %[x], #8\n\t"
      "str %[columns], %[y]\n\t"
      "subs %[w], %[w], %[columns]\n\t"
      "blt 2f\n\t"
      "vstmia %[x], {s0-s1}\n\t"
      "add %[x], %[x], %[next]\n\t"
      "vstmia %[x], {s2-s3}\n\t"
      "add %[x], %[x], %[next]\n\t"
      "vstmia %[x], {s4-s5}\n\t"
      "add %[x], %[x], %[next]\n\t"
      "vstmia %[x], {s6-s7}\n\t"
      "bgt 0b\n"
      "3:\n\t"
      ".subsection 1\n"
      "2:\n\t"
      "vstr s0, [%[x]]\n\t"
      "add %[x], %[x], %[next]\n\t"
      "vstr s2, [%[x]]\n\t"
      "add %[x], %[x], %[next]\n\t"
      "vstr s4, [%[x]]\n\t"
      "add %[x], %[x], %[next]\n\t"
      "vstr s6, [%[x]]\n\t"
      "b 3b\n\t"
      ".subsection 0"
      : OPSMITH_REGISTERS
      : [filled] "m"(filled), [skipped] "m"(skipped), [end] "m"(end), [pitch] "m"(pitch),
        [limit] "m"(limit), [o] "m"(o), [weighing] "i"(kApart<W>)
      : "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13",
        "s14", "s15", "cc", "memory");
}
#undef OPSMITH_HIGH
#undef OPSMITH_LOW
#undef OPSMITH_SCALE_ALL
#undef OPSMITH_SCALE
#undef OPSMITH_PIXEL
#undef OPSMITH_EACH
#undef OPSMITH_OPERANDS
#undef OPSMITH_REGISTERS
#undef OPSMITH_STORE
#undef OPSMITH_BEGIN
#undef OPSMITH_MULTIPLY
#undef OPSMITH_SECOND
#undef OPSMITH_STEP
#undef OPSMITH_UNPACK

}  // namespace opsmith::dsp
