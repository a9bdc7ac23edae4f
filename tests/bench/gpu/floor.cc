// Runs as many empty kernels as its argument says, one after the other, again and again, and prints
// how long that takes: what a network of N nodes takes at least.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kernels.inc"  // `source` and `ptx` of an empty kernel
#include "runtimes/gpu/session.h"

namespace gpu = opsmith::gpu;

namespace {

constexpr int most = 1000, runs = 2000;
alignas(4096) uint8_t arena[64];

double microseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

int compare(const void* a, const void* b) {
  const double x = *static_cast<const double*>(a);
  const double y = *static_cast<const double*>(b);
  return (x > y) - (x < y);
}

}  // namespace

int main(int count, char** arguments) {
  const int launched = count == 2 ? atoi(arguments[1]) : 0;
  if (launched < 1 || launched > most) return 2;
  const gpu::Argument argument = {gpu::Memory::arena, 0, 4};
  static gpu::Launch launches[most];
  for (gpu::Launch& each : launches) {
    each = {"empty", "empty", {64, 1, 1}, {64, 1, 1}, &argument, 1};
  }
  const gpu::Segment segment = {
      launches, static_cast<uint32_t>(launched), nullptr, 0, nullptr, 0};
  const gpu::Program program = {"floor", source,  strlen(source), ptx, ptx_bytes, nullptr,
                                0,       64,      sizeof(arena),  &segment, 1};
  static gpu::Session session(program, arena);
  static double times[runs];
  session.run(0);
  for (double& each : times) {
    const double begin = microseconds();
    session.run(0);
    each = microseconds() - begin;
  }
  qsort(times, runs, sizeof(double), compare);
  printf("median %.2f us, least %.2f us, of %d runs\n", times[runs / 2], times[0], runs);
  return 0;
}
