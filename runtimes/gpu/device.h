// A device that runs the segments of a program, by whichever driver.
#pragma once

#include "runtimes/gpu/failure.h"
#include "runtimes/gpu/program.h"

// Of classes with pure virtual functions, which the C++ library defines and C programs lack.
extern "C" [[gnu::used]] inline void __cxa_pure_virtual() { abort(); }

namespace opsmith::gpu {

constexpr const char* memory_fix = "take a smaller model, or another device";
constexpr const char* driver_fix = "update the driver";
constexpr const char* lost_fix =
    "look for the driver's messages (dmesg), then start the program again";

// The functions are called in this order, run() any number of times. Where the driver fails after
// open(), they end the process (failed()).
class Device {
 public:
  // Finds the driver and a device, whose name contains `wanted` unless that is null. False where
  // there is none, and `refusal` says why.
  virtual bool open(const char* wanted, Refusal& refusal) = 0;
  virtual const char* name() const = 0;

  // Makes an arena like the host's.
  virtual void arena(uint8_t* host, size_t bytes) = 0;
  virtual void constants(const Constant* constants, uint32_t count, size_t bytes) = 0;
  virtual void build(const Program& program) = 0;
  // Prepares all that does not change from run to run.
  virtual void record(uint32_t segment) = 0;

  // Uploads, launches, downloads, and waits for the end. Unless `nanoseconds` is null, it gets the
  // time of each launch, which are measured one by one.
  virtual void run(uint32_t segment, uint64_t* nanoseconds) = 0;

 protected:
  ~Device() = default;
};

}  // namespace opsmith::gpu
