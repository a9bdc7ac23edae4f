// Gives each argument of a launch a buffer of exactly its size, for Oclgrind: in the arena, what
// reads or writes beyond a tensor meets the next one.
#pragma once

#include "runtimes/gpu/opencl_driver.h"
#include "runtimes/gpu/program.h"

namespace opsmith::gpu::cl {

class Apart {
 public:
  explicit Apart(const Driver& driver) : driver_(driver) {}

  void start(size_t arena_bytes) { written_ = allocated<bool>(arena_bytes); }
  bool started() const { return written_ != nullptr; }

  // A buffer for each argument. Arguments that are the same bytes share one.
  Memory* buffers(const Launch& launch) const {
    Memory* const made = allocated<Memory>(launch.count);
    for (uint32_t i = 0; i < launch.count; ++i) {
      const Argument& each = launch.arguments[i];
      for (uint32_t j = 0; j < i && made[i] == nullptr; ++j) {
        const Argument& other = launch.arguments[j];
        const bool same = other.memory == each.memory && other.offset == each.offset;
        if (same && other.bytes == each.bytes) made[i] = made[j];
      }
      if (made[i] != nullptr) continue;
      made[i] = driver_.buffer(memory_read_write, each.bytes, nullptr, launch.kernel);
    }
    return made;
  }

  // Notes that the arena has values there.
  void write(uint32_t offset, uint32_t bytes) { memset(written_ + offset, 1, bytes); }

  // Copies into the buffers what has values. To Oclgrind a copy is a value: an output must not get
  // one, or reading it before it is written would not be noticed.
  void fill(Queue queue, const Launch& launch, const Memory* buffers, const Memory* homes) const {
    for (uint32_t i = 0; i < launch.count; ++i) {
      const Argument& each = launch.arguments[i];
      const bool known = each.memory == gpu::Memory::constants || has_values(each);
      if (!known || each.bytes == 0) continue;
      const Memory home = homes[static_cast<int>(each.memory)];
      driver_.require(driver_.api.clEnqueueCopyBuffer(queue, home, buffers[i], each.offset, 0,
                                                      each.bytes, 0, nullptr, nullptr),
                      launch.node);
    }
  }

  // Copies the buffers back, in the order of the arguments: outputs come after the inputs that they
  // may overlap.
  void empty(Queue queue, const Launch& launch, const Memory* buffers, Memory arena) {
    for (uint32_t i = 0; i < launch.count; ++i) {
      const Argument& each = launch.arguments[i];
      if (each.memory != gpu::Memory::arena || each.bytes == 0) continue;
      write(each.offset, each.bytes);
      driver_.require(driver_.api.clEnqueueCopyBuffer(queue, buffers[i], arena, 0, each.offset,
                                                      each.bytes, 0, nullptr, nullptr),
                      launch.node);
    }
  }

 private:
  bool has_values(const Argument& argument) const {
    return memchr(written_ + argument.offset, 1, argument.bytes) != nullptr;
  }

  const Driver& driver_;
  bool* written_ = nullptr;  // by byte of the arena
};

}  // namespace opsmith::gpu::cl
