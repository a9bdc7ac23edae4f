// Adds elements as they are, for a row of the table that the emitter writes.
#pragma once

#include "queue/add.op.h"

namespace opsmith::add::queue {

// Where the tensors lie in the arena, and how they are added.
struct Job {
  uint32_t a, b, y;
  Sums sums;
};

inline void queued(uint8_t* arena, const Job& job) {
  const auto* a = reinterpret_cast<const int8_t*>(arena + job.a);
  const auto* b = reinterpret_cast<const int8_t*>(arena + job.b);
  auto* y = reinterpret_cast<int8_t*>(arena + job.y);
  for (int32_t i = 0; i < job.sums.elements; ++i) {
    const int32_t sum = a[i] + b[i] + job.sums.offset;
    y[i] = static_cast<int8_t>(sum < job.sums.low    ? job.sums.low
                               : sum > job.sums.high ? job.sums.high
                                                     : sum);
  }
}

}  // namespace opsmith::add::queue
