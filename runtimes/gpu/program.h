// What a generated program is to the GPU runtime: tables of kernels, launches and copies.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace opsmith::gpu {

// The device's buffer that an argument lies in.
enum class Memory : uint8_t { arena, constants };

// A kernel gets each argument as two: the buffer, and the offset in it as an int.
struct Argument {
  Memory memory;
  uint32_t offset;
  uint32_t bytes;
};

// One call of a kernel. Its work-items are whole groups.
struct Launch {
  const char* kernel;
  const char* node;  // of the model, for messages
  uint32_t items[3], group[3];
  const Argument* arguments;
  uint32_t count;
};

// A part of the arena.
struct Range {
  uint32_t offset, bytes;
};

// Launches in their order, between what they read of the CPU and what it reads of them.
struct Segment {
  const Launch* launches;
  uint32_t count;
  const Range* uploads;
  uint32_t upload_count;
  const Range* downloads;
  uint32_t download_count;
};

// Copied once into the device's buffer of constants.
struct Constant {
  const void* data;
  uint32_t offset, bytes;
};

// `source` is null for a board without OpenCL, `ptx` for one without CUDA. Both end in a NUL that
// their sizes do not count.
struct Program {
  const char* name;
  const char* source;
  size_t source_bytes;
  const char* ptx;
  size_t ptx_bytes;
  const Constant* constants;
  uint32_t constant_count;
  size_t constant_bytes, arena_bytes;
  const Segment* segments;
  uint32_t segment_count;
  bool floats = false;  // whether kernels compute with them
};

}  // namespace opsmith::gpu
