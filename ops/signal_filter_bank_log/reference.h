// SignalFilterBankLog, the definition.
#pragma once

#include "signal_filter_bank_log.op.h"

namespace opsmith::signal_filter_bank_log {

inline constexpr int32_t kFractionBits = 16;  // of every logarithm
inline constexpr int32_t kSegmentBits = 9;    // of the fraction, within a segment of the table
inline constexpr uint32_t kHalf = uint32_t{1} << (kFractionBits - 1);
inline constexpr uint64_t kLn2 = 45426;

// log2(x) of an x that is not 0.
inline uint32_t binary_logarithm(uint32_t x, const uint16_t* excess) {
  int32_t whole = 31;
  while (x >> whole == 0) --whole;
  const uint32_t rest = x - (uint32_t{1} << whole);
  const uint32_t fraction =
      whole < kFractionBits ? rest << (kFractionBits - whole) : rest >> (whole - kFractionBits);
  const uint32_t segment = fraction >> kSegmentBits;
  const int32_t within = static_cast<int32_t>(fraction & ((uint32_t{1} << kSegmentBits) - 1));
  // The source shifts by all fraction bits, not by those of a segment: it hardly interpolates.
  const int32_t between = ((excess[segment + 1] - excess[segment]) * within) >> kFractionBits;
  return (static_cast<uint32_t>(whole) << kFractionBits) + fraction + excess[segment] +
         static_cast<uint32_t>(between);
}

template <class P>
void reference(const P& p, const In& in, const Out& out, const Tables& tables) {
  for (int32_t i = 0; i < p.elements; ++i) {
    const uint32_t x = in.x[i] << p.input_correction_bits;
    uint32_t y = 0;
    if (x > 1) {
      const uint32_t log2 = binary_logarithm(x, tables.excess);
      const uint32_t natural = static_cast<uint32_t>((kLn2 * log2 + kHalf) >> kFractionBits);
      y = (static_cast<uint32_t>(p.output_scale) * natural + kHalf) >> kFractionBits;
    }
    out.y[i] = static_cast<int16_t>(y < INT16_MAX ? y : INT16_MAX);
  }
}

}  // namespace opsmith::signal_filter_bank_log
