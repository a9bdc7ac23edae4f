// Functions of runtimes/families/lookup.h by Helium, which reads a table in several places at once.
#pragma once

#include "runtimes/cmsis/mve.h"

namespace opsmith::mve {

// y[i] = table[x[i]], sixteen at a time.
template <class P, class T>
void bytes(const P& p, const T* table, const T* x, T* y) {
  const uint8_t* values = reinterpret_cast<const uint8_t*>(table);
  const uint8_t* from = reinterpret_cast<const uint8_t*>(x);
  uint8_t* to = reinterpret_cast<uint8_t*>(y);
  for (int32_t n = p.elements >> 4; n > 0; --n, from += 16, to += 16) {
    vstrbq_u8(to, vldrbq_gather_offset_u8(values, vldrbq_u8(from)));
  }
  if (p.elements % 16 == 0) return;
  const mve_pred16_t some = vctp8q(static_cast<uint32_t>(p.elements % 16));
  const uint8x16_t places = vldrbq_z_u8(from, some);
  vstrbq_p_u8(to, vldrbq_gather_offset_z_u8(values, places, some), some);
}

// The function between every 128th element: see `interpolated` in runtimes/families/lookup.h.
inline int16x8_t interpolated(int16x8_t x, const int16_t* table) {
  const int16x8_t number = vaddq_n_s16(vshrq_n_s16(x, 7), 256);
  const uint16x8_t places = vreinterpretq_u16_s16(number);
  const int16x8_t value = vldrhq_gather_shifted_offset_s16(table, places);
  const int16x8_t next = vldrhq_gather_shifted_offset_s16(table + 1, places);
  const int16x8_t slope = vsubq_s16(next, value), beyond = vandq_s16(x, vdupq_n_s16(127));
  const int16x8_t even = vrshrnbq_n_s32(value, vmullbq_int_s16(slope, beyond), 7);
  return vaddq_s16(value, vrshrntq_n_s32(even, vmulltq_int_s16(slope, beyond), 7));
}

// The same of every element, eight at a time.
template <class P>
void halfwords(const P& p, const int16_t* table, const int16_t* x, int16_t* y) {
  for (int32_t n = p.elements >> 3; n > 0; --n, x += 8, y += 8) {
    vstrhq_s16(y, interpolated(vldrhq_s16(x), table));
  }
  if (p.elements % 8 == 0) return;
  const mve_pred16_t some = vctp16q(static_cast<uint32_t>(p.elements % 8));
  vstrhq_p_s16(y, interpolated(vldrhq_z_s16(x, some), table), some);
}

}  // namespace opsmith::mve
