// Elements as words for Helium: functions of families, which are written for int32_t, of four
// elements at a time.
#pragma once

#include "runtimes/cmsis/mve.h"

namespace opsmith::mve {

// What functions take in place of int32_t. Those of its own are found by their arguments.
struct Words {
  int32x4_t value;

  friend Words operator+(Words a, Words b) { return {vaddq_s32(a.value, b.value)}; }
  friend Words operator-(Words a, Words b) { return {vsubq_s32(a.value, b.value)}; }
  friend Words operator*(Words a, Words b) { return {vmulq_s32(a.value, b.value)}; }
  friend Words operator+(Words a, int32_t b) { return {vaddq_n_s32(a.value, b)}; }
  friend Words operator-(Words a, int32_t b) { return {vsubq_n_s32(a.value, b)}; }

  friend Words shift_left(Words x, int32_t n) { return {vshlq_r_s32(x.value, n)}; }

  // `requantize` says how this rounds.
  friend Words rounding_divide_by_pot(Words x, int32_t exponent) {
    if (exponent == 0) return x;
    return {vrshlq_n_s32(vqdmlahq_n_s32(x.value, x.value, 1), -exponent)};
  }

  friend Words multiply_by_quantized_multiplier(Words x, int32_t multiplier, int32_t shift) {
    const Words shifted = shift > 0 ? shift_left(x, shift) : x;
    const Words high = {vqrdmulhq_n_s32(shifted.value, multiplier)};
    return rounding_divide_by_pot(high, shift > 0 ? 0 : -shift);
  }

  friend Words where_negative(Words x, Words negative, Words other) {
    return {vpselq_s32(negative.value, other.value, vcmpltq_n_s32(x.value, 0))};
  }

  friend Words clamp(Words x, int32_t low, int32_t high) {
    return {vminq_s32(vmaxq_s32(x.value, vdupq_n_s32(low)), vdupq_n_s32(high))};
  }
};

// Four elements, or those of them that `some` has.
inline Words load(const int8_t* x) { return {vldrbq_s32(x)}; }
inline Words load(const int16_t* x) { return {vldrhq_s32(x)}; }
inline Words load(const int32_t* x) { return {vldrwq_s32(x)}; }
inline Words load(const uint8_t* x) { return {vreinterpretq_s32_u32(vldrbq_u32(x))}; }
inline Words load(const int8_t* x, mve_pred16_t some) { return {vldrbq_z_s32(x, some)}; }
inline Words load(const int16_t* x, mve_pred16_t some) { return {vldrhq_z_s32(x, some)}; }
inline Words load(const int32_t* x, mve_pred16_t some) { return {vldrwq_z_s32(x, some)}; }
inline Words load(const uint8_t* x, mve_pred16_t some) {
  return {vreinterpretq_s32_u32(vldrbq_z_u32(x, some))};
}

// Writes them; of words those low bytes that fit.
inline void store(int8_t* y, Words x) { vstrbq_s32(y, x.value); }
inline void store(int16_t* y, Words x) { vstrhq_s32(y, x.value); }
inline void store(int32_t* y, Words x) { vstrwq_s32(y, x.value); }
inline void store(uint8_t* y, Words x) { vstrbq_u32(y, vreinterpretq_u32_s32(x.value)); }
inline void store(int8_t* y, Words x, mve_pred16_t some) { vstrbq_p_s32(y, x.value, some); }
inline void store(int16_t* y, Words x, mve_pred16_t some) { vstrhq_p_s32(y, x.value, some); }
inline void store(int32_t* y, Words x, mve_pred16_t some) { vstrwq_p_s32(y, x.value, some); }
inline void store(uint8_t* y, Words x, mve_pred16_t some) {
  vstrbq_p_u32(y, vreinterpretq_u32_s32(x.value), some);
}

// y[i] = f(x[i]...) for one or several x. Four elements are read before any y of them is written.
template <class Y, class F, class... X>
void for_each_four(int32_t elements, Y* y, F f, const X*... x) {
  for (int32_t n = elements >> 2; n > 0; --n, y += 4) {
    store(y, f(load(x)...));
    ((x += 4), ...);
  }
  if (elements % 4 == 0) return;
  const mve_pred16_t some = vctp32q(static_cast<uint32_t>(elements % 4));
  store(y, f(load(x, some)...), some);
}

}  // namespace opsmith::mve
