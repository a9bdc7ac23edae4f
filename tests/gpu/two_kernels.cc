// A program of two segments, written by hand: products by constants, a step of the CPU, sums of 64.
// Prints the sums of three runs. Its argument is a fault to have, or `profile` or `unaligned`.
#include <stdio.h>
#include <string.h>

#include "kernels.inc"  // `source`, and `ptx`, which is null without a compiler of PTX
#include "runtimes/gpu/session.h"

namespace gpu = opsmith::gpu;

namespace {

constexpr uint32_t x = 16, y = 128, z = 528, elements = 100, arena_bytes = 640;
constexpr uint32_t factors = 32, constant_bytes = 64;
constexpr int8_t weights[10] = {1, -2, 3, -4, 5, -6, 7, -8, 9, -128};
constexpr int8_t never_read[8] = {};

bool is(const char* fault, const char* name) { return strcmp(fault, name) == 0; }

int run(const char* fault) {
  const bool overruns = is(fault, "overruns");
  const gpu::Argument multiplied[] = {{gpu::Memory::arena, x, elements},
                                      {gpu::Memory::arena, y, overruns ? 396 : 4 * elements},
                                      {gpu::Memory::constants, factors, sizeof(weights)}};
  const gpu::Argument summed[] = {{gpu::Memory::arena, y, 4 * elements},
                                  {gpu::Memory::arena, z, 8}};
  const uint32_t group = is(fault, "large_groups") ? 1 << 20 : 64;
  const bool handled = is(fault, "handled");
  const char* const sum = handled || is(fault, "no_kernel") ? "sum_1" : "sum_0";
  const gpu::Launch multiply = {"multiply_0", "products", {128, 1, 1}, {64, 1, 1}, multiplied, 3};
  const gpu::Launch add = {sum, "sums", {2 * group, 1, 1}, {group, 1, 1}, summed, 2};
  const gpu::Range of_x = {x, elements}, of_y = {y, 4 * elements}, of_z = {z, 8};
  const gpu::Launch& first = is(fault, "unwritten") ? add : multiply;
  const gpu::Segment segments[] = {{&first, 1, &of_x, 1, &of_y, 1}, {&add, 1, &of_y, 1, &of_z, 1}};
  const gpu::Constant constants[] = {{never_read, 0, 8}, {weights, factors, sizeof(weights)}};
  const char* const text = is(fault, "broken") ? broken : source;
  gpu::Program program = {"two_kernels",  text,        strlen(text), ptx, ptx_bytes, constants, 2,
                          constant_bytes, arena_bytes, segments,     2};
  if (is(fault, "no_ptx")) program.ptx = nullptr;
  if (is(fault, "no_source")) program.source = nullptr;
  program.floats = is(fault, "floats");
  if (is(fault, "huge")) program.arena_bytes = size_t{1} << 50;

  alignas(4096) static uint8_t memory[arena_bytes + 64];
  uint8_t* const arena = memory + (is(fault, "unaligned") ? 16 : 0);
  if (handled) {
    gpu::on_failure = [](const char* code, const char*, const char*) { printf("told %s\n", code); };
  }
  static gpu::Session session(program, arena);
  int32_t values[elements];
  for (int round = 0; round < 3; ++round) {
    for (uint32_t i = 0; i < elements; ++i) {
      arena[x + i] = static_cast<uint8_t>((7 * i + static_cast<uint32_t>(round)) % 251);
    }
    uint64_t times[2] = {};
    const bool profiled = is(fault, "profile");
    profiled ? session.profile(0, &times[0]) : session.run(0);
    memcpy(values, arena + y, sizeof(values));
    for (uint32_t i = 0; i < elements; ++i) values[i] += static_cast<int32_t>(i);
    memcpy(arena + y, values, sizeof(values));
    profiled ? session.profile(1, &times[1]) : session.run(1);
    memcpy(values, arena + z, 8);
    printf("%d %d\n", values[0], values[1]);
    if (profiled) printf("timed %d\n", times[0] > 0 && times[1] > 0);
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) { return run(count > 1 ? arguments[1] : ""); }
