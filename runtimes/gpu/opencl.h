// Devices with an OpenCL 1.2 driver.
#pragma once

#include "runtimes/gpu/device.h"
#include "runtimes/gpu/opencl_apart.h"
#include "runtimes/gpu/opencl_build.h"
#include "runtimes/gpu/opencl_driver.h"

namespace opsmith::gpu {

// One queue in order. Where host and device share memory, the device's arena is the host's, which
// the host holds (mapped) while no segment runs.
class OpenCl final : public Device {
 public:
  bool open(const char* wanted, Refusal& refusal) override {
    if (!driver_.open(wanted, refusal)) return false;
    queue_ = driver_.queue(0);
    return true;
  }

  const char* name() const override { return driver_.name(); }

  void arena(uint8_t* host, size_t bytes) override {
    host_ = host;
    bytes_ = bytes;
    const bool apart = is_set("OPSMITH_GPU_APART");
    shared_ = !apart && shares(host);
    log("the arena is %s", shared_ ? "the host's" : "copied to and from the host's");
    const cl::Bits flags = cl::memory_read_write | (shared_ ? cl::memory_use_host : 0);
    buffers_[0] = driver_.buffer(flags, bytes, shared_ ? host : nullptr, "the arena");
    if (apart) apart_.start(bytes);
    if (!shared_) return;
    map(queue_, "the arena");
    driver_.check(api().clFinish(queue_), "the arena");
  }

  void constants(const Constant* constants, uint32_t count, size_t bytes) override {
    buffers_[1] = driver_.buffer(cl::memory_read_only, bytes, nullptr, "the constants");
    for (uint32_t i = 0; i < count; ++i) {
      const Constant& each = constants[i];
      driver_.check(api().clEnqueueWriteBuffer(queue_, buffers_[1], 0, each.offset, each.bytes,
                                               each.data, 0, nullptr, nullptr),
                    "the constants");
    }
    driver_.check(api().clFinish(queue_), "the constants");
  }

  void build(const Program& program) override {
    program_ = &program;
    built_ = cl::Builder(driver_).build(program);
    recorded_ = allocated<Recorded*>(program.segment_count);
  }

  void record(uint32_t number) override {
    const Segment& segment = program_->segments[number];
    recorded_[number] = allocated<Recorded>(segment.count);
    for (uint32_t i = 0; i < segment.count; ++i) {
      recorded_[number][i] = recorded(segment.launches[i]);
    }
  }

  void run(uint32_t number, uint64_t* nanoseconds) override {
    const Segment& segment = program_->segments[number];
    const bool timed = nanoseconds != nullptr;
    if (timed && timed_queue_ == nullptr) timed_queue_ = driver_.queue(cl::queue_profiling);
    const cl::Queue queue = timed ? timed_queue_ : queue_;
    cl::Event* const events = timed ? allocated<cl::Event>(segment.count) : nullptr;
    upload(queue, segment);
    for (uint32_t i = 0; i < segment.count; ++i) {
      launch(queue, segment.launches[i], recorded_[number][i], timed ? &events[i] : nullptr);
    }
    download(queue, segment);
    if (!timed) return;
    for (uint32_t i = 0; i < segment.count; ++i) nanoseconds[i] = time_of(events[i]);
    free(events);
  }

 private:
  struct Recorded {
    cl::Kernel kernel;
    const cl::Memory* apart;  // a buffer for each argument, or null
  };

  const cl::Api& api() const { return driver_.api; }

  bool shares(const uint8_t* host) const {
    const uint32_t bits = driver_.info<uint32_t>(cl::device_base_address_align);
    const bool aligned = bits >= 8 && reinterpret_cast<uintptr_t>(host) % (bits / 8) == 0;
    return aligned && driver_.info<cl::Bool>(cl::device_unified_memory) != 0;
  }

  // The kernel with its arguments.
  Recorded recorded(const Launch& launch) const {
    const cl::Kernel kernel = kernel_of(launch);
    const cl::Memory* const apart = apart_.started() ? apart_.buffers(launch) : nullptr;
    for (uint32_t i = 0; i < launch.count; ++i) {
      const Argument& each = launch.arguments[i];
      const cl::Memory home = buffers_[static_cast<int>(each.memory)];
      const cl::Memory memory = apart != nullptr ? apart[i] : home;
      const int32_t offset = apart != nullptr ? 0 : static_cast<int32_t>(each.offset);
      driver_.check(api().clSetKernelArg(kernel, 2 * i, sizeof(memory), &memory), launch.kernel);
      driver_.check(api().clSetKernelArg(kernel, 2 * i + 1, sizeof(offset), &offset),
                    launch.kernel);
    }
    return {kernel, apart};
  }

  cl::Kernel kernel_of(const Launch& launch) const {
    int32_t status = cl::success;
    const cl::Kernel kernel = api().clCreateKernel(built_, launch.kernel, &status);
    if (status == cl::invalid_kernel_name) {
      failed("GPU008", Text("the kernels of %s have no %s", program_->name, launch.kernel),
             "convert the model again");
    }
    driver_.check(status, launch.kernel);
    size_t most = 0;
    driver_.check(
        api().clGetKernelWorkGroupInfo(kernel, driver_.choice.device, cl::kernel_work_group_size,
                                       sizeof(most), &most, nullptr),
        launch.kernel);
    const size_t group = size_t{launch.group[0]} * launch.group[1] * launch.group[2];
    if (group > most) {
      failed("GPU008",
             Text("%s runs %s in groups of at most %zu work-items, not %zu", name(), launch.kernel,
                  most, group),
             "plan the kernel with smaller groups");
    }
    return kernel;
  }

  void launch(cl::Queue queue, const Launch& launch, const Recorded& recorded, cl::Event* event) {
    const size_t items[] = {launch.items[0], launch.items[1], launch.items[2]};
    const size_t group[] = {launch.group[0], launch.group[1], launch.group[2]};
    if (recorded.apart != nullptr) apart_.fill(queue, launch, recorded.apart, buffers_);
    driver_.require(api().clEnqueueNDRangeKernel(queue, recorded.kernel, 3, nullptr, items, group,
                                                 0, nullptr, event),
                    launch.node);
    if (recorded.apart != nullptr) apart_.empty(queue, launch, recorded.apart, buffers_[0]);
  }

  void upload(cl::Queue queue, const Segment& segment) {
    if (shared_) {
      driver_.require(api().clEnqueueUnmapMemObject(queue, buffers_[0], host_, 0, nullptr, nullptr),
                      "upload");
      return;
    }
    for (uint32_t i = 0; i < segment.upload_count; ++i) {
      const Range& each = segment.uploads[i];
      driver_.require(api().clEnqueueWriteBuffer(queue, buffers_[0], 0, each.offset, each.bytes,
                                                 host_ + each.offset, 0, nullptr, nullptr),
                      "upload");
      if (apart_.started()) apart_.write(each.offset, each.bytes);
    }
  }

  void download(cl::Queue queue, const Segment& segment) {
    cl::Event last = nullptr;
    if (shared_) map(queue, "download", &last);
    for (uint32_t i = 0; !shared_ && i < segment.download_count; ++i) {
      const Range& each = segment.downloads[i];
      cl::Event* const event = i + 1 == segment.download_count ? &last : nullptr;
      driver_.require(api().clEnqueueReadBuffer(queue, buffers_[0], 0, each.offset, each.bytes,
                                                host_ + each.offset, 0, nullptr, event),
                      "download");
    }
    driver_.require(api().clFinish(queue), "the end of a segment");
    if (last != nullptr) driver_.require(result_of(last), "the end of a segment");
  }

  // What became of a command that is no longer waited for: clFinish() need not say, also where the
  // device was lost before.
  int32_t result_of(cl::Event event) const {
    int32_t result = cl::success;
    const int32_t status =
        api().clGetEventInfo(event, cl::event_status, sizeof(result), &result, nullptr);
    api().clReleaseEvent(event);
    return status != cl::success ? status : result;
  }

  // All of it: the host may write anywhere, and what is in its cache must not come later.
  void map(cl::Queue queue, const char* where, cl::Event* event = nullptr) const {
    int32_t status = cl::success;
    void* const mapped = api().clEnqueueMapBuffer(
        queue, buffers_[0], 0, cl::map_read | cl::map_write, 0, bytes_, 0, nullptr, event, &status);
    driver_.require(status, where);
    if (mapped == host_) return;
    failed("GPU009", Text("%s maps shared memory at another address", name()), driver_fix);
  }

  uint64_t time_of(cl::Event event) const {
    const uint64_t start = time_of(event, cl::profiling_start);
    const uint64_t end = time_of(event, cl::profiling_end);
    driver_.require(api().clReleaseEvent(event), "a time");
    if (end >= start) return end - start;
    failed("GPU009", Text("%s says that a launch ended before it began", name()), driver_fix);
  }

  uint64_t time_of(cl::Event event, uint32_t what) const {
    uint64_t time = 0;
    driver_.require(api().clGetEventProfilingInfo(event, what, sizeof(time), &time, nullptr),
                    "a time");
    return time;
  }

  cl::Driver driver_ = {};
  cl::Queue queue_ = nullptr, timed_queue_ = nullptr;  // timing costs time
  cl::Memory buffers_[2] = {};                         // by Memory
  cl::Program built_ = nullptr;
  cl::Apart apart_{driver_};
  const Program* program_ = nullptr;
  Recorded** recorded_ = nullptr;  // by segment and launch
  uint8_t* host_ = nullptr;
  size_t bytes_ = 0;
  bool shared_ = false;
};

}  // namespace opsmith::gpu
