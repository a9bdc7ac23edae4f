// An OpenCL device with its context, and what becomes of statuses.
#pragma once

#include "runtimes/gpu/device.h"
#include "runtimes/gpu/opencl_choice.h"

namespace opsmith::gpu::cl {

struct Driver {
  Api api;
  Choice choice;
  Context context;

  const char* name() const { return choice.name; }

  bool open(const char* wanted, Refusal& refusal) {
    if (!load_library(api, refusal)) return false;
    if (!Chooser(api, wanted).choose(choice, refusal)) return false;
    const intptr_t platform = reinterpret_cast<intptr_t>(choice.platform);
    const intptr_t properties[] = {context_platform, platform, 0};
    int32_t status = success;
    context = api.clCreateContext(properties, 1, &choice.device, nullptr, nullptr, &status);
    check(status, "its context");
    return true;
  }

  template <class T>
  T info(uint32_t what) const {
    T value = {};
    const int32_t status = api.clGetDeviceInfo(choice.device, what, sizeof(value), &value, nullptr);
    check(status, "its description");
    return value;
  }

  Queue queue(Bits flags) const {
    int32_t status = success;
    const Queue made = api.clCreateCommandQueue(context, choice.device, flags, &status);
    check(status, "its queue");
    return made;
  }

  Memory buffer(Bits flags, size_t bytes, void* host, const char* what) const {
    const unsigned long long most = info<uint64_t>(device_max_alloc_size);
    if (bytes > most) {
      failed("GPU004",
             Text("%s allocates at most %llu bytes at once, and %s needs %zu", name(), most, what,
                  bytes),
             memory_fix);
    }
    int32_t status = success;
    const Memory made = api.clCreateBuffer(context, flags, bytes > 0 ? bytes : 1, host, &status);
    check(status, what);
    return made;
  }

  // Fails unless the driver did what the start needs.
  void check(int32_t status, const char* what) const {
    switch (status) {
      case success:
        return;
      case memory_allocation_failure:
      case out_of_resources:
      case out_of_host_memory:
      case invalid_buffer_size:
        failed("GPU004", Text("%s has too little memory for %s", name(), what), memory_fix);
      default:
        failed("GPU009",
               Text("%s cannot make %s: %s (%d)", name(), what, status_name(status), status),
               driver_fix);
    }
  }

  // Fails unless the device still works.
  void require(int32_t status, const char* where) const {
    if (status == success) return;
    if (status == memory_allocation_failure) check(status, where);  // not before it was used
    failed("GPU007", Text("%s failed at %s: %s (%d)", name(), where, status_name(status), status),
           lost_fix);
  }
};

}  // namespace opsmith::gpu::cl
