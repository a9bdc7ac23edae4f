// Devices with an OpenCL 1.2 driver.
#pragma once

#include "runtimes/gpu/device.h"
#include "runtimes/gpu/opencl_build.h"

namespace opsmith::gpu {

// One queue in order. Where host and device share memory, the device's arena is the host's, which
// the host holds (mapped) while no segment runs.
class OpenCl final : public Device {
 public:
  bool open(const char* wanted, Refusal& refusal) override {
    if (!cl::load_library(api_, refusal)) return false;
    if (!cl::Chooser(api_, wanted).choose(choice_, refusal)) return false;
    const intptr_t platform = reinterpret_cast<intptr_t>(choice_.platform);
    const intptr_t properties[] = {cl::context_platform, platform, 0};
    int32_t status = cl::success;
    context_ = api_.clCreateContext(properties, 1, &choice_.device, nullptr, nullptr, &status);
    check(status, "its context");
    queue_ = api_.clCreateCommandQueue(context_, choice_.device, 0, &status);
    check(status, "its queue");
    return true;
  }

  const char* name() const override { return choice_.name; }

  void arena(uint8_t* host, size_t bytes) override {
    host_ = host;
    bytes_ = bytes;
    apart_ = is_set("OPSMITH_GPU_APART");
    shared_ = shares(host);
    log("the arena is %s", shared_ ? "the host's" : "copied to and from the host's");
    const cl::Bits flags = cl::memory_read_write | (shared_ ? cl::memory_use_host : 0);
    buffers_[0] = buffer(flags, bytes, shared_ ? host : nullptr, "the arena");
    if (!shared_) return;
    map(queue_, "the arena");
    check(api_.clFinish(queue_), "the arena");
  }

  void constants(const Constant* constants, uint32_t count, size_t bytes) override {
    buffers_[1] = buffer(cl::memory_read_only, bytes, nullptr, "the constants");
    for (uint32_t i = 0; i < count; ++i) {
      const Constant& each = constants[i];
      check(api_.clEnqueueWriteBuffer(queue_, buffers_[1], 0, each.offset, each.bytes, each.data, 0,
                                      nullptr, nullptr),
            "the constants");
    }
    check(api_.clFinish(queue_), "the constants");
  }

  void build(const Program& program) override {
    program_ = &program;
    built_ = cl::Builder(api_, choice_, context_).build(program);
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
    const cl::Queue queue = nanoseconds != nullptr ? profiled() : queue_;
    cl::Event* const events =
        nanoseconds != nullptr ? allocated<cl::Event>(segment.count) : nullptr;
    upload(queue, segment);
    for (uint32_t i = 0; i < segment.count; ++i) {
      launch(queue, segment.launches[i], recorded_[number][i],
             events != nullptr ? events + i : nullptr);
    }
    download(queue, segment);
    if (events == nullptr) return;
    for (uint32_t i = 0; i < segment.count; ++i) nanoseconds[i] = time_of(events[i]);
    free(events);
  }

 private:
  struct Recorded {
    cl::Kernel kernel;
    cl::Memory* apart;  // a buffer for each argument, or null
  };

  bool shares(const uint8_t* host) const {
    cl::Bool unified = 0;
    uint32_t bits = 0;
    info(cl::device_unified_memory, unified);
    info(cl::device_base_address_align, bits);
    return unified != 0 && bits >= 8 && reinterpret_cast<uintptr_t>(host) % (bits / 8) == 0;
  }

  template <class T>
  void info(uint32_t what, T& value) const {
    api_.clGetDeviceInfo(choice_.device, what, sizeof(value), &value, nullptr);
  }

  cl::Memory buffer(cl::Bits flags, size_t bytes, void* host, const char* what) const {
    uint64_t most = 0;
    info(cl::device_max_alloc_size, most);
    if (bytes > most) {
      const unsigned long long limit = most;
      failed("GPU004",
             Text("%s allocates at most %llu bytes at once, and %s needs %zu", choice_.name, limit,
                  what, bytes),
             memory_fix);
    }
    int32_t status = cl::success;
    const cl::Memory made =
        api_.clCreateBuffer(context_, flags, bytes > 0 ? bytes : 1, host, &status);
    check(status, what);
    return made;
  }

  // The kernel with its arguments.
  Recorded recorded(const Launch& launch) const {
    int32_t status = cl::success;
    const cl::Kernel kernel = api_.clCreateKernel(built_, launch.kernel, &status);
    if (status == cl::invalid_kernel_name) {
      failed("GPU008", Text("the kernels of %s have no %s", program_->name, launch.kernel),
             "convert the model again");
    }
    check(status, launch.kernel);
    size_t most = 0;
    const size_t group = size_t{launch.group[0]} * launch.group[1] * launch.group[2];
    check(api_.clGetKernelWorkGroupInfo(kernel, choice_.device, cl::kernel_work_group_size,
                                        sizeof(most), &most, nullptr),
          launch.kernel);
    if (group > most) {
      failed("GPU008",
             Text("%s runs %s in groups of at most %zu work-items, not %zu", choice_.name,
                  launch.kernel, most, group),
             "plan the kernel with smaller groups");
    }
    cl::Memory* const apart = apart_ ? buffers_apart(launch) : nullptr;
    for (uint32_t i = 0; i < launch.count; ++i) {
      const Argument& each = launch.arguments[i];
      const int32_t offset = apart_ ? 0 : static_cast<int32_t>(each.offset);
      const cl::Memory memory = apart_ ? apart[i] : home(each);
      check(api_.clSetKernelArg(kernel, 2 * i, sizeof(memory), &memory), launch.kernel);
      check(api_.clSetKernelArg(kernel, 2 * i + 1, sizeof(offset), &offset), launch.kernel);
    }
    return {kernel, apart};
  }

  // Arguments that are the same bytes share a buffer.
  cl::Memory* buffers_apart(const Launch& launch) const {
    cl::Memory* const apart = allocated<cl::Memory>(launch.count);
    for (uint32_t i = 0; i < launch.count; ++i) {
      const Argument& each = launch.arguments[i];
      for (uint32_t j = 0; j < i && apart[i] == nullptr; ++j) {
        const Argument& other = launch.arguments[j];
        const bool same = other.memory == each.memory && other.offset == each.offset;
        if (same && other.bytes == each.bytes) apart[i] = apart[j];
      }
      if (apart[i] == nullptr) {
        apart[i] = buffer(cl::memory_read_write, each.bytes, nullptr, launch.kernel);
      }
    }
    return apart;
  }

  cl::Memory home(const Argument& each) const { return buffers_[static_cast<int>(each.memory)]; }

  void launch(cl::Queue queue, const Launch& launch, const Recorded& recorded, cl::Event* event) {
    const size_t items[] = {launch.items[0], launch.items[1], launch.items[2]};
    const size_t group[] = {launch.group[0], launch.group[1], launch.group[2]};
    for (uint32_t i = 0; apart_ && i < launch.count; ++i) {
      const Argument& each = launch.arguments[i];
      copy(queue, launch, home(each), each.offset, recorded.apart[i], 0, each.bytes);
    }
    require(api_.clEnqueueNDRangeKernel(queue, recorded.kernel, 3, nullptr, items, group, 0,
                                        nullptr, event),
            launch.node);
    // In the order of the arguments: outputs, which come last, may overlap inputs.
    for (uint32_t i = 0; apart_ && i < launch.count; ++i) {
      const Argument& each = launch.arguments[i];
      if (each.memory != Memory::arena) continue;
      copy(queue, launch, recorded.apart[i], 0, home(each), each.offset, each.bytes);
    }
  }

  void copy(cl::Queue queue, const Launch& launch, cl::Memory from, size_t from_offset,
            cl::Memory to, size_t to_offset, size_t bytes) const {
    if (bytes == 0) return;
    require(api_.clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, bytes, 0, nullptr,
                                     nullptr),
            launch.node);
  }

  void upload(cl::Queue queue, const Segment& segment) {
    if (shared_) {
      require(api_.clEnqueueUnmapMemObject(queue, buffers_[0], host_, 0, nullptr, nullptr),
              "upload");
      return;
    }
    for (uint32_t i = 0; i < segment.upload_count; ++i) {
      const Range& each = segment.uploads[i];
      require(api_.clEnqueueWriteBuffer(queue, buffers_[0], 0, each.offset, each.bytes,
                                        host_ + each.offset, 0, nullptr, nullptr),
              "upload");
    }
  }

  void download(cl::Queue queue, const Segment& segment) {
    if (shared_) map(queue, "download");
    for (uint32_t i = 0; !shared_ && i < segment.download_count; ++i) {
      const Range& each = segment.downloads[i];
      require(api_.clEnqueueReadBuffer(queue, buffers_[0], 0, each.offset, each.bytes,
                                       host_ + each.offset, 0, nullptr, nullptr),
              "download");
    }
    require(api_.clFinish(queue), "the end of a segment");
  }

  // All of it: the host may write anywhere, and what lies in its cache must not come later.
  void map(cl::Queue queue, const char* where) const {
    int32_t status = cl::success;
    void* const mapped =
        api_.clEnqueueMapBuffer(queue, buffers_[0], 0, cl::map_read | cl::map_write, 0, bytes_, 0,
                                nullptr, nullptr, &status);
    require(status, where);
    if (mapped != host_) {
      failed("GPU009", Text("%s maps shared memory at another address", choice_.name), driver_fix);
    }
  }

  // A queue whose commands are timed, which costs time.
  cl::Queue profiled() {
    if (timed_queue_ != nullptr) return timed_queue_;
    int32_t status = cl::success;
    timed_queue_ =
        api_.clCreateCommandQueue(context_, choice_.device, cl::queue_profiling, &status);
    check(status, "its queue");
    return timed_queue_;
  }

  uint64_t time_of(cl::Event event) const {
    uint64_t start = 0, end = 0;
    require(
        api_.clGetEventProfilingInfo(event, cl::profiling_start, sizeof(start), &start, nullptr),
        "a time");
    require(api_.clGetEventProfilingInfo(event, cl::profiling_end, sizeof(end), &end, nullptr),
            "a time");
    require(api_.clReleaseEvent(event), "a time");
    return end - start;
  }

  // Fails unless the driver did what the start needs.
  void check(int32_t status, const char* what) const {
    switch (status) {
      case cl::success:
        return;
      case cl::memory_allocation_failure:
      case cl::out_of_resources:
      case cl::out_of_host_memory:
      case cl::invalid_buffer_size:
        failed("GPU004", Text("%s has too little memory for %s", choice_.name, what), memory_fix);
      default:
        failed(
            "GPU009",
            Text("%s cannot make %s: %s (%d)", choice_.name, what, cl::status_name(status), status),
            driver_fix);
    }
  }

  // Fails unless the device still works.
  void require(int32_t status, const char* where) const {
    if (status == cl::success) return;
    failed("GPU007",
           Text("%s failed at %s: %s (%d)", choice_.name, where, cl::status_name(status), status),
           lost_fix);
  }

  cl::Api api_ = {};
  cl::Choice choice_ = {};
  cl::Context context_ = nullptr;
  cl::Queue queue_ = nullptr, timed_queue_ = nullptr;
  cl::Memory buffers_[2] = {};  // by Memory
  cl::Program built_ = nullptr;
  const Program* program_ = nullptr;
  Recorded** recorded_ = nullptr;  // by segment and launch
  uint8_t* host_ = nullptr;
  size_t bytes_ = 0;
  bool shared_ = false, apart_ = false;
};

}  // namespace opsmith::gpu
