// Functions of int16 by straight lines between tabulated values: straight_lines.py in OpenCL C.

// Between every 128th element, of which the table has the values. Differences of two values wrap at
// 16 bits, as in LiteRT.
INLINE int16_t interpolated(int x, const __global int16_t* table) {
  const __global int16_t* value = table + 256 + (x >> 7);
  const int16_t slope = (int16_t)(value[1] - value[0]);
  return (int16_t)(value[0] + ((slope * (x & 127) + 64) >> 7));
}
