// NVIDIA devices, by the CUDA driver API.
#pragma once

#include "runtimes/gpu/cuda_api.h"
#include "runtimes/gpu/device.h"

namespace opsmith::gpu {

// One stream. A segment is a graph, recorded at the start and replayed by one call; where the
// driver cannot record one, its launches go to the stream. The driver itself keeps what it makes of
// PTX.
class Cuda final : public Device {
 public:
  bool open(const char* wanted, Refusal& refusal) override {
    if (!load(refusal) || !choose(wanted, refusal)) return false;
    check(api_.cuDevicePrimaryCtxRetain(&context_, device_), "its context");
    check(api_.cuCtxSetCurrent(context_), "its context");
    check(api_.cuStreamCreate(&stream_, cuda::stream_non_blocking), "its stream");
    return true;
  }

  const char* name() const override { return name_; }

  void arena(uint8_t* host, size_t bytes) override {
    host_ = host;
    addresses_[0] = memory(bytes, "the arena");
    const int status = api_.cuMemHostRegister_v2(host, bytes, cuda::host_mapped);
    pinned_ = status == cuda::success;
    if (!pinned_) log("the host's arena cannot be pinned: %s", error(status));
    if (pinned_) api_.cuMemHostGetDevicePointer_v2(&host_address_, host, 0);
  }

  void constants(const Constant* constants, uint32_t count, size_t bytes) override {
    addresses_[1] = memory(bytes, "the constants");
    for (uint32_t i = 0; i < count; ++i) {
      const Constant& each = constants[i];
      check(api_.cuMemcpyHtoD_v2(addresses_[1] + each.offset, each.data, each.bytes),
            "a copy of the constants");
    }
  }

  void build(const Program& program) override {
    program_ = &program;
    Text said;
    int options[] = {cuda::jit_error_log, cuda::jit_error_log_bytes};
    void* values[] = {said.text, reinterpret_cast<void*>(size_t{1600})};
    const int status = api_.cuModuleLoadDataEx(&module_, program.ptx, 2, options, values);
    if (status == cuda::out_of_memory) check(status, "the kernels");
    if (status != cuda::success) {
      const Text what("%s cannot build the kernels of %s: %s%s%s", name_, program.name,
                      error(status), said[0] != '\0' ? "\n" : "", said.text);
      failed("GPU005", what, "correct the kernel, or update the driver");
    }
    if (host_address_ != 0) api_.cuModuleGetFunction(&copy_, module_, "opsmith_copy");
    functions_ = allocated<cuda::Function*>(program.segment_count);
    graphs_ = allocated<cuda::GraphExec>(program.segment_count);
    most_arguments_ = most_arguments(program);
    pointers_ = allocated<cuda::Address>(most_arguments_);
    parameters_ = allocated<void*>(2 * size_t{most_arguments_});
  }

  void record(uint32_t number) override {
    const Segment& segment = program_->segments[number];
    functions_[number] = allocated<cuda::Function>(segment.count);
    for (uint32_t i = 0; i < segment.count; ++i) {
      functions_[number][i] = function(segment.launches[i]);
    }
    const int status = capture(number);
    if (status == cuda::success) return;
    graphs_[number] = nullptr;
    log("segment %u is launched kernel by kernel: the driver records no graph: %s", number,
        error(status));
  }

  void run(uint32_t number, uint64_t* nanoseconds) override {
    const Segment& segment = program_->segments[number];
    require(api_.cuCtxSetCurrent(context_), "the start of a segment");  // it is the thread's
    const cuda::GraphExec graph = nanoseconds == nullptr ? graphs_[number] : nullptr;
    const bool copies = graph == nullptr || !pinned_;  // which are not in the graph
    if (copies) require(upload(segment), "upload");
    if (graph != nullptr) {
      require(api_.cuGraphLaunch(graph, stream_), "the graph of a segment");
    } else if (nanoseconds != nullptr) {
      measure(number, nanoseconds);
    } else {
      for (uint32_t i = 0; i < segment.count; ++i)
        require(launch(number, i), segment.launches[i].node);
    }
    if (copies) require(download(segment), "download");
    require(api_.cuStreamSynchronize(stream_), "the end of a segment");
  }

 private:
  bool load(Refusal& refusal) {
    const char* const fix = "install NVIDIA's driver, of CUDA 11.4 or later";
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      return refusal.refuse("GPU001", Text("no CUDA driver: %.900s", dlerror()), fix);
    }
    const char* const missing = api_.load(library);
    if (missing == nullptr) return true;
    return refusal.refuse("GPU001", Text("libcuda.so.1 has no %s", missing), fix);
  }

  // The first device, or the first with such a name.
  bool choose(const char* wanted, Refusal& refusal) {
    const char* const fix = "look for the device in the output of nvidia-smi";
    int status = api_.cuInit(0), count = 0;
    if (status == cuda::success) status = api_.cuDeviceGetCount(&count);
    if (status != cuda::success) {
      return refusal.refuse("GPU002", Text("CUDA finds no device: %s", error(status)), fix);
    }
    Text seen;
    for (int i = 0; i < count; ++i) {
      if (api_.cuDeviceGet(&device_, i) != cuda::success) continue;
      if (api_.cuDeviceGetName(name_, sizeof(name_), device_) != cuda::success) continue;
      if (wanted == nullptr || strstr(name_, wanted) != nullptr) return true;
      const size_t end = strlen(seen);
      snprintf(seen.text + end, sizeof(seen.text) - end, "%s %s", end > 0 ? "," : "", name_);
    }
    if (wanted == nullptr || count == 0) {
      return refusal.refuse("GPU002", Text("CUDA finds no device"), fix);
    }
    const Text what("no CUDA device has '%s' in its name; there is%.1500s", wanted, seen.text);
    return refusal.refuse("GPU003", what, "name one of these in OPSMITH_DEVICE");
  }

  cuda::Address memory(size_t bytes, const char* what) const {
    cuda::Address made = 0;
    check(api_.cuMemAlloc_v2(&made, bytes > 0 ? bytes : 1), what);
    return made;
  }

  static uint32_t most_arguments(const Program& program) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < program.segment_count; ++i) {
      for (uint32_t j = 0; j < program.segments[i].count; ++j) {
        const uint32_t count = program.segments[i].launches[j].count;
        most = count > most ? count : most;
      }
    }
    return most;
  }

  cuda::Function function(const Launch& launch) const {
    cuda::Function found = nullptr;
    const int status = api_.cuModuleGetFunction(&found, module_, launch.kernel);
    if (status == cuda::not_found) {
      failed("GPU008", Text("the kernels of %s have no %s", program_->name, launch.kernel),
             "convert the model again");
    }
    check(status, launch.kernel);
    int most = 0;
    check(api_.cuFuncGetAttribute(&most, cuda::function_max_threads, found), launch.kernel);
    const uint32_t group = launch.group[0] * launch.group[1] * launch.group[2];
    if (group > static_cast<uint32_t>(most)) {
      failed("GPU008",
             Text("%s runs %s in groups of at most %d work-items, not %u", name_, launch.kernel,
                  most, group),
             "plan the kernel with smaller groups");
    }
    for (int i = 1; i < 3; ++i) {
      const uint32_t groups = launch.items[i] / launch.group[i];
      if (groups <= cuda::most_groups) continue;
      failed("GPU008",
             Text("%s runs %s with at most %u groups in dimension %d, not %u", name_, launch.kernel,
                  cuda::most_groups, i, groups),
             "plan the kernel with its most work-items in dimension 0");
    }
    return found;
  }

  // Makes the graph of a segment. Copies are part of it where the driver can make them by itself.
  int capture(uint32_t number) {
    const Segment& segment = program_->segments[number];
    int status = api_.cuStreamBeginCapture_v2(stream_, cuda::capture_of_thread);
    if (status != cuda::success) return status;
    if (pinned_) status = upload(segment);
    for (uint32_t i = 0; i < segment.count && status == cuda::success; ++i) {
      status = launch(number, i);
    }
    if (pinned_ && status == cuda::success) status = download(segment);
    cuda::Graph graph = nullptr;
    const int ended = api_.cuStreamEndCapture(stream_, &graph);  // also after an error
    if (status == cuda::success) status = ended;
    if (status == cuda::success) {
      status = api_.cuGraphInstantiateWithFlags(&graphs_[number], graph, 0);
    }
    if (graph != nullptr) api_.cuGraphDestroy(graph);
    return status;
  }

  int launch(uint32_t number, uint32_t i) {
    const Launch& each = program_->segments[number].launches[i];
    int32_t no_offset = 0;
    for (uint32_t j = 0; j < each.count; ++j) {
      const Argument& argument = each.arguments[j];
      pointers_[j] = addresses_[static_cast<int>(argument.memory)] + argument.offset;
      parameters_[2 * j] = &pointers_[j];
      parameters_[2 * j + 1] = &no_offset;
    }
    const uint32_t* const items = each.items;
    const uint32_t* const group = each.group;
    return api_.cuLaunchKernel(functions_[number][i], items[0] / group[0], items[1] / group[1],
                               items[2] / group[2], group[0], group[1], group[2], 0, stream_,
                               parameters_, nullptr);
  }

  // Launches with an event before each and one after the last.
  void measure(uint32_t number, uint64_t* nanoseconds) {
    const Segment& segment = program_->segments[number];
    cuda::Event* const events = allocated<cuda::Event>(size_t{segment.count} + 1);
    for (uint32_t i = 0; i <= segment.count; ++i) {
      require(api_.cuEventCreate(&events[i], 0), "an event");
    }
    require(api_.cuEventRecord(events[0], stream_), "an event");
    for (uint32_t i = 0; i < segment.count; ++i) {
      require(launch(number, i), segment.launches[i].node);
      require(api_.cuEventRecord(events[i + 1], stream_), "an event");
    }
    require(api_.cuStreamSynchronize(stream_), "the end of a segment");
    for (uint32_t i = 0; i < segment.count; ++i) {
      float milliseconds = 0;
      require(api_.cuEventElapsedTime(&milliseconds, events[i], events[i + 1]), "a time");
      nanoseconds[i] = static_cast<uint64_t>(milliseconds * 1e6f);
    }
    for (uint32_t i = 0; i <= segment.count; ++i) api_.cuEventDestroy_v2(events[i]);
    free(events);
  }

  int upload(const Segment& each) { return copy(each.uploads, each.upload_count, true); }
  int download(const Segment& each) { return copy(each.downloads, each.download_count, false); }

  // To the device, or from it.
  int copy(const Range* ranges, uint32_t count, bool up) {
    int status = cuda::success;
    for (uint32_t i = 0; i < count && status == cuda::success; ++i) {
      const auto [at, bytes] = ranges[i];
      const cuda::Address device = addresses_[0] + at, host = host_address_ + at;
      if (copy_ != nullptr)
        status = copy(up ? device : host, up ? host : device, bytes);
      else if (up)
        status = api_.cuMemcpyHtoDAsync_v2(device, host_ + at, bytes, stream_);
      else
        status = api_.cuMemcpyDtoHAsync_v2(host_ + at, device, bytes, stream_);
    }
    return status;
  }

  // By a kernel, which begins sooner than a copy of the driver's.
  int copy(cuda::Address to, cuda::Address from, uint32_t bytes) {
    void* parameters[] = {&to, &from, &bytes};
    constexpr unsigned group = 128, bytes_of_group = 16 * group;
    const unsigned groups = (bytes + bytes_of_group - 1) / bytes_of_group;
    return api_.cuLaunchKernel(copy_, groups, 1, 1, group, 1, 1, 0, stream_, parameters, nullptr);
  }

  // Fails unless the driver did what the start needs.
  void check(int status, const char* what) const {
    if (status == cuda::success) return;
    if (status == cuda::out_of_memory) {
      size_t bytes = 0;
      api_.cuDeviceTotalMem_v2(&bytes, device_);
      failed("GPU004", Text("%s, of %zu bytes, has too little memory for %s", name_, bytes, what),
             memory_fix);
    }
    failed("GPU009", Text("%s cannot make %s: %s", name_, what, error(status)), driver_fix);
  }

  // Fails unless the device still works.
  void require(int status, const char* where) const {
    if (status == cuda::success) return;
    failed("GPU007", Text("%s failed at %s: %s", name_, where, error(status)), lost_fix);
  }

  const char* error(int status) const {
    const char* name = nullptr;
    return api_.cuGetErrorName(status, &name) == cuda::success ? name : "unknown error";
  }

  cuda::Api api_ = {};
  cuda::Device device_ = 0;
  char name_[256] = "";
  cuda::Context context_ = nullptr;
  cuda::Stream stream_ = nullptr;
  cuda::Module module_ = nullptr;
  cuda::Address addresses_[2] = {};       // by Memory
  cuda::Function** functions_ = nullptr;  // by segment and launch
  cuda::GraphExec* graphs_ = nullptr;     // by segment; null where there is none
  uint32_t most_arguments_ = 0;
  cuda::Address* pointers_ = nullptr;
  void** parameters_ = nullptr;
  const Program* program_ = nullptr;
  uint8_t* host_ = nullptr;
  bool pinned_ = false;
  cuda::Address host_address_ = 0;  // of the host's arena; 0 where the device cannot reach it
  cuda::Function copy_ = nullptr;   // null where the driver copies
};

}  // namespace opsmith::gpu
