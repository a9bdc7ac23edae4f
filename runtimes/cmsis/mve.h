// Helium (MVE) as functions, for kernels that need it.
#pragma once

#include <arm_mve.h>
#include <stdint.h>

namespace opsmith::mve {

// Four numbers in a vector; two moves, where the compiler would take four.
inline int32x4_t gather(int32_t a, int32_t b, int32_t c, int32_t d) {
  int32x4_t v;
  __asm(
      "vmov %q[v][2], %q[v][0], %[a], %[c]\n\t"
      "vmov %q[v][3], %q[v][1], %[b], %[d]"
      : [v] "=&w"(v)
      : [a] "r"(a), [b] "r"(b), [c] "r"(c), [d] "r"(d));
  return v;
}

// sums * multiplier * 2^(-31 - right) with TFLite's double rounding, for shifts right by 1 to 31,
// given as -1 to -31. VQRDMULH and the doubling high multiplication both round ties up. Dividing
// by 2^right with ties away from zero is VRSHL of the number, less one where it is negative: the
// doubled product with 1 has that one in its high half.
inline int32x4_t requantize(int32x4_t sums, int32x4_t multiplier, int32x4_t shift) {
  const int32x4_t scaled = vqrdmulhq_s32(sums, multiplier);
  return vrshlq_s32(vqdmlahq_n_s32(scaled, scaled, 1), shift);
}
// The same where channels may be shifted to the left before, and then not to the right.
inline int32x4_t requantize(int32x4_t sums, int32x4_t multiplier, int32x4_t shift, int32x4_t left) {
  const int32x4_t scaled = vqrdmulhq_s32(vshlq_s32(sums, left), multiplier);
  const int32x4_t corrected = vqdmlahq_n_s32(scaled, scaled, 1);
  return vrshlq_s32(vpselq_s32(corrected, scaled, vcmpltq_n_s32(shift, 0)), shift);
}
// The same, with one multiplier and one shift for all.
inline int32x4_t requantize(int32x4_t sums, int32_t multiplier, int32_t shift) {
  const int32x4_t scaled = vqrdmulhq_n_s32(sums, multiplier);
  return vrshlq_n_s32(vqdmlahq_n_s32(scaled, scaled, 1), shift);
}

// Whether constants of channels have shifts to the left.
template <class Channels>
constexpr auto has_left(const Channels* c) -> decltype(c->left, true) {
  return true;
}
constexpr bool has_left(...) { return false; }

// Sums times factors, which are float32, to the nearest, halves to even.
inline int32x4_t by_factors(int32x4_t sums, int32x4_t factors) {
  __asm(
      ".arch_extension mve.fp\n\t"
      "vcvt.f32.s32 %q[sums], %q[sums]\n\t"
      "vmul.f32 %q[sums], %q[sums], %q[factors]\n\t"
      "vcvtn.s32.f32 %q[sums], %q[sums]"
      : [sums] "+w"(sums)
      : [factors] "w"(factors));
  return sums;
}

// Sums of channels 0, 4, 8, 12; 2, 6 …; 1, 5 …; 3, 7 …, as VMULLB and VMULLT and then VMOVLB and
// VMOVLT make them, as outputs of all sixteen. Constants are in that order; biases are in the sums
// already. kSingle: multipliers are float32.
template <bool kSingle = false, class SixteenChannels>
int8x16_t requantize_sixteen(int32x4_t (&sums)[4], const SixteenChannels& constants,
                             int32_t zero_point, int32_t low, int32_t high) {
  for (int32_t i = 0; i < 4; ++i) {
    const int32x4_t multiplier = vldrwq_s32(constants.multiplier + 4 * i);
    const int32x4_t shift = vldrbq_s32(constants.shift + 4 * i);
    if constexpr (kSingle) {
      sums[i] = by_factors(sums[i], multiplier);
    } else if constexpr (has_left(static_cast<const SixteenChannels*>(nullptr))) {
      sums[i] = requantize(sums[i], multiplier, shift, vldrbq_s32(constants.left + 4 * i));
    } else {
      sums[i] = requantize(sums[i], multiplier, shift);
    }
  }
  int16x8_t even = vqmovntq_s32(vqmovnbq_s32(vuninitializedq_s16(), sums[0]), sums[1]);
  int16x8_t odd = vqmovntq_s32(vqmovnbq_s32(vuninitializedq_s16(), sums[2]), sums[3]);
  even = vqaddq_n_s16(even, static_cast<int16_t>(zero_point));
  odd = vqaddq_n_s16(odd, static_cast<int16_t>(zero_point));
  const int8x16_t all = vqmovntq_s16(vqmovnbq_s16(vuninitializedq_s8(), even), odd);
  const int8x16_t above = vmaxq_s8(all, vdupq_n_s8(static_cast<int8_t>(low)));
  return vminq_s8(above, vdupq_n_s8(static_cast<int8_t>(high)));
}

// Copies `size` bytes, 16 at a time. They do not overlap.
inline void copy(int8_t* to, const int8_t* from, int32_t size) {
  __asm volatile(
      "wlstp.8 lr, %[size], 2f\n"
      "1:\n\t"
      "vldrb.8 q0, [%[from]], #16\n\t"
      "vstrb.8 q0, [%[to]], #16\n\t"
      "letp lr, 1b\n"
      "2:"
      : [to] "+r"(to), [from] "+r"(from)
      : [size] "r"(size)
      : "lr", "q0", "cc", "memory");
}

// Sets `size` bytes to `value`.
inline void fill(int8_t* to, int8_t value, int32_t size) {
  __asm volatile(
      "vdup.8 q0, %[value]\n\t"
      "wlstp.8 lr, %[size], 2f\n"
      "1:\n\t"
      "vstrb.8 q0, [%[to]], #16\n\t"
      "letp lr, 1b\n"
      "2:"
      : [to] "+r"(to)
      : [value] "r"(value), [size] "r"(size)
      : "lr", "q0", "cc", "memory");
}

// Makes bytes that are less than `low` this, and those that are more than `high` that.
template <bool kUnsigned>
inline __attribute__((noinline)) void clamp(int8_t* y, int32_t size, int32_t low, int32_t high) {
  __asm volatile(
      "vdup.8 q0, %[low]\n\t"
      "vdup.8 q1, %[high]\n\t"
      "wlstp.8 lr, %[size], 2f\n"
      "1:\n\t"
      "vldrb.8 q2, [%[y]]\n\t"
      ".if %c[is_unsigned]\n\t"
      "vmax.u8 q2, q2, q0\n\t"
      "vmin.u8 q2, q2, q1\n\t"
      ".else\n\t"
      "vmax.s8 q2, q2, q0\n\t"
      "vmin.s8 q2, q2, q1\n\t"
      ".endif\n\t"
      "vstrb.8 q2, [%[y]], #16\n\t"
      "letp lr, 1b\n"
      "2:"
      : [y] "+r"(y)
      : [size] "r"(size), [low] "r"(low), [high] "r"(high), [is_unsigned] "i"(kUnsigned)
      : "lr", "q0", "q1", "q2", "cc", "memory");
}

// Clamps outputs, which are saturated, where G says that they are fewer than their type has.
template <bool kUnsigned = false, class G>
inline void clamp_outputs(const G& g, int8_t* y, int32_t size) {
  const int32_t low = g.activation_min, high = g.activation_max;
  if (high - low < UINT8_MAX) clamp<kUnsigned>(y, size, low, high);
}

// Turns uint8 into int8 that are 128 less, or these into those.
inline void flip(int8_t* x, int32_t size) {
  for (int32_t left = size; left > 0; left -= 16, x += 16) {
    const mve_pred16_t some = vctp8q(static_cast<uint32_t>(left));
    vstrbq_p_s8(x, veorq_s8(vldrbq_z_s8(x, some), vdupq_n_s8(INT8_MIN)), some);
  }
}

// The sum of N bytes.
inline int32_t sum_of(const int8_t* x, int32_t size) {
  int32_t sum = 0;
  for (int32_t left = size; left > 0; left -= 16, x += 16) {
    sum = vaddvaq_s8(sum, vldrbq_z_s8(x, vctp8q(static_cast<uint32_t>(left))));
  }
  return sum;
}

// Copies `columns` pieces of `size` bytes, which are N bytes apart: up to 16 bytes of each,
// then up to 16 of each that follow.
inline void copy_columns(int8_t* to, int32_t to_step, const int8_t* from, int32_t from_step,
                         int32_t size, int32_t columns) {
  for (; size > 0; size -= 16, to += 16, from += 16) {
    int8_t* target = to;
    const int8_t* source = from;
    __asm volatile(
        "vctp.8 %[size]\n\t"
        "wls lr, %[columns], 2f\n"
        "1:\n\t"
        "vpstt\n\t"
        "vldrbt.u8 q0, [%[from]]\n\t"
        "vstrbt.8 q0, [%[to]]\n\t"
        "add %[from], %[from_step]\n\t"
        "add %[to], %[to_step]\n\t"
        "le lr, 1b\n"
        "2:"
        : [to] "+r"(target), [from] "+r"(source)
        :
        [size] "r"(size), [columns] "r"(columns), [to_step] "r"(to_step), [from_step] "r"(from_step)
        : "lr", "q0", "p0", "cc", "memory");
  }
}

// Elements of a vector.
template <class T>
inline constexpr int32_t kLanes = 16 / sizeof(T);

// Those of a vector's elements that are among the next N.
template <class T>
mve_pred16_t some_of_next(int32_t count) {
  const uint32_t left = static_cast<uint32_t>(count);
  return sizeof(T) == 1 ? vctp8q(left) : vctp16q(left);
}

// y[i] = f(a[i], b[i]), where f takes vectors, which are read before they are written.
template <class T, class F>
void for_each_vector(int32_t elements, const T* a, const T* b, T* y, F f) {
  constexpr int32_t kStep = kLanes<T>;
  for (int32_t n = elements / kStep; n > 0; --n, a += kStep, b += kStep, y += kStep) {
    vst1q(y, f(vld1q(a), vld1q(b)));
  }
  if (elements % kStep == 0) return;
  const mve_pred16_t inside = some_of_next<T>(elements % kStep);
  vst1q_p(y, f(vld1q_z(a, inside), vld1q_z(b, inside)), inside);
}

}  // namespace opsmith::mve
