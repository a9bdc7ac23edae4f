// sin(x) and cos(x) of float32, with the bits of glibc's sinf and cosf: real_sine.h in OpenCL C.
#include "runtimes/core/binary64.cl"
#include "runtimes/core/quarter_turns.cl"

// Angles are quadrants, and the bits of a rest of about pi / 4 at most.

// Of an angle below 120. The product with pi / 2 is subtracted in two parts of 40 and 13 bits.
INLINE ulong2 small_angle(float x) {
  const ulong wide = from_float64(x);
  const int fixed = truncated64(product64(wide, 0x41645f306dc9c883ul));  // Q24 of x / (pi / 2)
  const int quadrants = (fixed + 0x800000) >> 24;
  const ulong whole = from_int64(quadrants);
  const ulong upper = difference64(wide, product64(whole, 0x3ff921fb54440000ul));
  const ulong rest = difference64(upper, product64(whole, 0x3d868c0000000000ul));
  return (ulong2)((ulong)quadrants, rest);
}

// Of an angle from 2 on.
INLINE ulong2 large_angle(float x) {
  const long2 turns = quarter_turns(x);
  const ulong rest = product64(from_int64(turns.s1), 0x3c1921fb54442d18ul);  // pi / 2, Q62
  return x < 0 ? (ulong2)((ulong)-turns.s0, negated64(rest)) : (ulong2)((ulong)turns.s0, rest);
}

// a + b * c
INLINE ulong sum_with_product64(ulong a, ulong b, ulong c) { return sum64(a, product64(b, c)); }

// The sine of the angle x plus N right angles.
INLINE float sine_after(float x, int more) {
  if (!(fabs(x) < INFINITY)) return isnan(x) ? x + x : as_float(0xffc00000u);
  const bool small = fabs(x) < 120.0f;
  const ulong2 angle = small ? small_angle(x) : large_angle(x);
  const int quadrants = (int)angle.s0 + more;
  const ulong r = angle.s1;
  const ulong square = product64(r, r);
  ulong found;
  if ((quadrants & 1) != 0) {
    const ulong fourth = product64(square, square);
    const ulong low = sum_with_product64(0xbf56c087e89a359dul, square, 0x3ef99343027bf8c3ul);
    const ulong first = sum_with_product64(0x3ff0000000000000ul, square, 0xbfdffffffd0c621cul);
    const ulong high = sum_with_product64(first, fourth, 0x3fa55553e1068f19ul);
    found = sum_with_product64(high, product64(fourth, square), low);
  } else {
    const ulong cube = product64(r, square);
    const ulong low = sum_with_product64(0x3f81107605230bc4ul, square, 0xbf2994eb3774cf24ul);
    const ulong high = sum_with_product64(r, cube, 0xbfc555545995a603ul);
    found = sum_with_product64(high, product64(cube, square), low);
  }
  return to_float64((quadrants & 2) != 0 ? negated64(found) : found);
}

INLINE float real_sine(float x) { return fabs(x) < 0x1p-12f ? x : sine_after(x, 0); }

INLINE float real_cosine(float x) { return sine_after(x, 1); }
