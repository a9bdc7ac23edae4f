// Chooses a device for a program and runs the program's segments there.
#pragma once

#include <errno.h>

#include "runtimes/gpu/cuda.h"
#include "runtimes/gpu/device.h"
#include "runtimes/gpu/opencl.h"

namespace opsmith::gpu {

// A program on its device. It holds that until the process ends.
class Session {
 public:
  Session(const Program& program, uint8_t* arena) : program_(program), device_(chosen(program)) {
    log("%s runs on %s", program.name, device_->name());
    device_->arena(arena, program.arena_bytes);
    device_->constants(program.constants, program.constant_count, program.constant_bytes);
    device_->build(program);
    for (uint32_t segment = 0; segment < program.segment_count; ++segment) device_->record(segment);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // With OPSMITH_GPU_TIMES set, launches are measured one by one, and their times reported.
  void run(uint32_t segment) {
    if (!is_set("OPSMITH_GPU_TIMES")) {
      device_->run(segment, nullptr);
      return;
    }
    const Segment& launched = program_.segments[segment];
    uint64_t* const times = allocated<uint64_t>(launched.count);
    device_->run(segment, times);
    tell(launched, times, getenv("OPSMITH_GPU_TIMES"));
    free(times);
  }

  // As run(), but each launch is measured: `nanoseconds` gets as many times as the segment has
  // launches.
  void profile(uint32_t segment, uint64_t* nanoseconds) { device_->run(segment, nanoseconds); }

  const char* device() const { return device_->name(); }

 private:
  // On stderr, or in the file that `where` names by an absolute path: nanoseconds and node.
  static void tell(const Segment& launched, const uint64_t* times, const char* where) {
    FILE* const file = *where == '/' ? fopen(where, "a") : nullptr;
    if (*where == '/' && file == nullptr) not_written(where);
    for (uint32_t i = 0; i < launched.count; ++i) {
      const Launch& launch = launched.launches[i];
      if (file != nullptr) {
        fprintf(file, "%llu %s\n", static_cast<unsigned long long>(times[i]), launch.node);
      } else {
        fprintf(stderr, "gpu: %8.2f us  %s (%s)\n", static_cast<double>(times[i]) / 1000,
                launch.node, launch.kernel);
      }
    }
    if (file == nullptr) return;
    const bool written = ferror(file) == 0;
    if (fclose(file) != 0 || !written) not_written(where);
  }

  [[noreturn]] static void not_written(const char* where) {
    failed("GPU009", Text("%s cannot be written: %s", where, strerror(errno)),
           "let OPSMITH_GPU_TIMES name a file that can be written");
  }

  // OPSMITH_DEVICE is opencl or cuda, and may go on with a colon and a part of a device's name.
  Device* chosen(const Program& program) {
    const char* const setting = getenv("OPSMITH_DEVICE");
    if (setting == nullptr || *setting == '\0') return first(program);
    const char* const colon = strchr(setting, ':');
    const char* const wanted = colon != nullptr && colon[1] != '\0' ? colon + 1 : nullptr;
    const size_t length = colon != nullptr ? static_cast<size_t>(colon - setting) : strlen(setting);
    Refusal refusal;
    if (length == 6 && strncmp(setting, "opencl", length) == 0) {
      if (program.source == nullptr) {
        failed("GPU003", Text("%s was built without OpenCL", program.name),
               "set OPSMITH_DEVICE=cuda, or build for a board with devices = [\"opencl\"]");
      }
      if (opencl_.open(wanted, refusal)) return &opencl_;
    } else if (length == 4 && strncmp(setting, "cuda", length) == 0) {
      if (program.ptx == nullptr) {
        failed("GPU003", Text("%s was built without CUDA", program.name),
               "set OPSMITH_DEVICE=opencl, or build for a board with devices = [\"cuda\"]");
      }
      if (cuda_.open(wanted, refusal)) return &cuda_;
    } else {
      failed("GPU003", Text("OPSMITH_DEVICE=%s names neither opencl nor cuda", setting),
             "set it to opencl, cuda, opencl:PART_OF_A_NAME or cuda:PART_OF_A_NAME");
    }
    failed(refusal.code, refusal.what, refusal.fix);
  }

  // CUDA where the program has PTX and it opens, else OpenCL where the program has its source.
  Device* first(const Program& program) {
    Refusal cuda;
    if (program.ptx != nullptr && cuda_.open(nullptr, cuda)) return &cuda_;
    if (program.source == nullptr) failed(cuda.code, cuda.what, cuda.fix);
    Refusal opencl;
    if (opencl_.open(nullptr, opencl)) {
      if (program.ptx == nullptr) return &opencl_;
      log("not CUDA: %s", cuda.what.text);
      if (strcmp(cuda.code, "GPU001") != 0) {  // NVIDIA's driver is there and has no device
        fprintf(stderr, "warning [%s] %s: %s runs on OpenCL's %s\n  fix: %s, or %s\n", cuda.code,
                cuda.what.text, program.name, opencl_.name(), cuda.fix,
                "set OPSMITH_DEVICE=opencl where that is meant");
      }
      return &opencl_;
    }
    if (program.ptx == nullptr) failed(opencl.code, opencl.what, opencl.fix);
    failed(opencl.code, Text("%.900s; and %.900s", cuda.what.text, opencl.what.text), opencl.fix);
  }

  const Program& program_;
  Cuda cuda_;
  OpenCl opencl_;
  Device* device_;
};

}  // namespace opsmith::gpu
