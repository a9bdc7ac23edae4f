// An OpenCL library that tells of some calls, and fails or answers otherwise where the environment
// says so. All other functions are those of libOpenCL.so.1, which it is linked to.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtimes/gpu/opencl_api.h"

namespace cl = opsmith::gpu::cl;

namespace {

template <class F>
F* real(F*, const char* name) {
  static void* const library = dlopen("libOpenCL.so.1", RTLD_NOW);
  return reinterpret_cast<F*>(dlsym(library, name));
}

// True where SHIM_FAIL=NAME:N names the call, for the Nth.
bool lost(const char* name) {
  static int calls = 0;
  const char* const fail = getenv("SHIM_FAIL");
  const size_t length = strlen(name);
  if (fail == nullptr || strncmp(fail, name, length) != 0 || fail[length] != ':') return false;
  return ++calls == atoi(fail + length + 1);
}

// The same, and tells of it.
bool fails(const char* name) {
  fprintf(stderr, "call %s\n", name);
  return lost(name);
}

int32_t text(void* value, size_t bytes, const char* given) {
  snprintf(static_cast<char*>(value), bytes, "%s", given);
  return cl::success;
}

char a_gpu;
const cl::Device gpu = reinterpret_cast<cl::Device>(&a_gpu);

int32_t info_of_gpu(uint32_t what, size_t bytes, void* value) {
  if (what == cl::device_name) return text(value, bytes, "Graphics of the shim");
  if (what == cl::device_version) return text(value, bytes, "OpenCL 3.0");
  if (what == cl::device_type) {
    *static_cast<cl::Bits*>(value) = cl::type_gpu;
  } else {
    *static_cast<cl::Bool*>(value) = 1;
  }
  return cl::success;
}

}  // namespace

#define REAL(name) real(&name, #name)

extern "C" {

int32_t clFinish(cl::Queue queue) {
  return fails("clFinish") ? cl::out_of_resources : REAL(clFinish)(queue);
}

int32_t clEnqueueNDRangeKernel(cl::Queue queue, cl::Kernel kernel, uint32_t axes,
                               const size_t* from, const size_t* items, const size_t* group,
                               uint32_t count, const cl::Event* after, cl::Event* event) {
  const char* const status = getenv("SHIM_STATUS");
  if (fails("clEnqueueNDRangeKernel")) return status != nullptr ? atoi(status) : -5;
  return REAL(clEnqueueNDRangeKernel)(queue, kernel, axes, from, items, group, count, after, event);
}

int32_t clEnqueueWriteBuffer(cl::Queue queue, cl::Memory memory, cl::Bool blocks, size_t at,
                             size_t bytes, const void* data, uint32_t count, const cl::Event* after,
                             cl::Event* event) {
  fprintf(stderr, "write %zu+%zu blocks=%u\n", at, bytes, blocks);
  if (lost("clEnqueueWriteBuffer")) return cl::out_of_resources;
  return REAL(clEnqueueWriteBuffer)(queue, memory, blocks, at, bytes, data, count, after, event);
}

int32_t clEnqueueReadBuffer(cl::Queue queue, cl::Memory memory, cl::Bool blocks, size_t at,
                            size_t bytes, void* data, uint32_t count, const cl::Event* after,
                            cl::Event* event) {
  fprintf(stderr, "read %zu+%zu blocks=%u\n", at, bytes, blocks);
  if (lost("clEnqueueReadBuffer")) return cl::out_of_resources;
  return REAL(clEnqueueReadBuffer)(queue, memory, blocks, at, bytes, data, count, after, event);
}

void* clEnqueueMapBuffer(cl::Queue queue, cl::Memory memory, cl::Bool blocks, cl::Bits flags,
                         size_t at, size_t bytes, uint32_t count, const cl::Event* after,
                         cl::Event* event, int32_t* status) {
  const unsigned long long how = flags;
  fprintf(stderr, "map %zu+%zu flags=%llu blocks=%u\n", at, bytes, how, blocks);
  if (lost("clEnqueueMapBuffer")) {
    *status = cl::out_of_resources;
    return nullptr;
  }
  return REAL(clEnqueueMapBuffer)(queue, memory, blocks, flags, at, bytes, count, after, event,
                                  status);
}

int32_t clEnqueueUnmapMemObject(cl::Queue queue, cl::Memory memory, void* mapped, uint32_t count,
                                const cl::Event* after, cl::Event* event) {
  fprintf(stderr, "unmap\n");
  if (lost("clEnqueueUnmapMemObject")) return cl::out_of_resources;
  return REAL(clEnqueueUnmapMemObject)(queue, memory, mapped, count, after, event);
}

cl::Program clCreateProgramWithSource(cl::Context context, uint32_t count, const char** source,
                                      const size_t* bytes, int32_t* status) {
  fails("clCreateProgramWithSource");
  return REAL(clCreateProgramWithSource)(context, count, source, bytes, status);
}

// SHIM_GPU: after the devices that there are comes a GPU, of which no context can be made.
int32_t clGetDeviceIDs(cl::Platform platform, cl::Bits types, uint32_t count, cl::Device* devices,
                       uint32_t* found) {
  const int32_t status = REAL(clGetDeviceIDs)(platform, types, count, devices, found);
  if (status == cl::success && getenv("SHIM_GPU") != nullptr) devices[(*found)++] = gpu;
  return status;
}

cl::Context clCreateContext(const intptr_t* properties, uint32_t count, const cl::Device* devices,
                            void (*notify)(const char*, const void*, size_t, void*), void* data,
                            int32_t* status) {
  if (devices[0] != gpu) {
    return REAL(clCreateContext)(properties, count, devices, notify, data, status);
  }
  *status = -2;
  return nullptr;
}

int32_t clBuildProgram(cl::Program program, uint32_t count, const cl::Device* devices,
                       const char* options, void (*notify)(cl::Program, void*), void* data) {
  fprintf(stderr, "options %s\n", options);
  return REAL(clBuildProgram)(program, count, devices, options, notify, data);
}

// A command that failed although no call did.
int32_t clGetEventInfo(cl::Event event, uint32_t what, size_t bytes, void* value, size_t* size) {
  const int32_t status = REAL(clGetEventInfo)(event, what, bytes, value, size);
  if (lost("clGetEventInfo")) *static_cast<int32_t*>(value) = -14;
  return status;
}

cl::Memory clCreateBuffer(cl::Context context, cl::Bits flags, size_t bytes, void* host,
                          int32_t* status) {
  if (!lost("clCreateBuffer")) return REAL(clCreateBuffer)(context, flags, bytes, host, status);
  *status = cl::memory_allocation_failure;
  return nullptr;
}

cl::Queue clCreateCommandQueue(cl::Context context, cl::Device device, cl::Bits flags,
                               int32_t* status) {
  if (!lost("clCreateCommandQueue")) {
    return REAL(clCreateCommandQueue)(context, device, flags, status);
  }
  *status = cl::out_of_host_memory;
  return nullptr;
}

cl::Kernel clCreateKernel(cl::Program program, const char* name, int32_t* status) {
  if (!lost("clCreateKernel")) return REAL(clCreateKernel)(program, name, status);
  *status = cl::out_of_resources;
  return nullptr;
}

#define LOSES(name, parameters, arguments) \
  int32_t name parameters { return lost(#name) ? cl::out_of_resources : REAL(name) arguments; }

LOSES(clSetKernelArg, (cl::Kernel kernel, uint32_t number, size_t bytes, const void* value),
      (kernel, number, bytes, value))
LOSES(clGetKernelWorkGroupInfo,
      (cl::Kernel kernel, cl::Device device, uint32_t what, size_t bytes, void* value,
       size_t* size),
      (kernel, device, what, bytes, value, size))
// SHIM_BACKWARDS: launches end before they begin.
int32_t clGetEventProfilingInfo(cl::Event event, uint32_t what, size_t bytes, void* value,
                                size_t* size) {
  if (lost("clGetEventProfilingInfo")) return cl::out_of_resources;
  const bool ends = what == cl::profiling_end && getenv("SHIM_BACKWARDS") != nullptr;
  const int32_t status = REAL(clGetEventProfilingInfo)(event, what, bytes, value, size);
  if (ends) *static_cast<uint64_t*>(value) = 0;
  return status;
}

// SHIM_DISCRETE: no memory is shared. SHIM_FLUSHES: the least floats are 0. SHIM_ROUNDS: quotients
// are not correctly rounded. SHIM_DRIVER, SHIM_VERSION, SHIM_EXTENSIONS: those of the driver, of
// OpenCL and of the device.
int32_t clGetDeviceInfo(cl::Device device, uint32_t what, size_t bytes, void* value, size_t* size) {
  if (what == cl::device_max_alloc_size && lost("clGetDeviceInfo")) return -2;
  const char* const driver = getenv("SHIM_DRIVER");
  const char* const version = getenv("SHIM_VERSION");
  if (what == cl::driver_version && driver != nullptr) return text(value, bytes, driver);
  if (what == cl::device_version && version != nullptr) return text(value, bytes, version);
  const char* const extensions = getenv("SHIM_EXTENSIONS");
  if (what == cl::device_extensions && extensions != nullptr) {
    if (size != nullptr) *size = strlen(extensions) + 1;
    return value != nullptr ? text(value, bytes, extensions) : cl::success;
  }
  if (device == gpu) return info_of_gpu(what, bytes, value);
  const int32_t status = REAL(clGetDeviceInfo)(device, what, bytes, value, size);
  if (what == cl::device_unified_memory && getenv("SHIM_DISCRETE") != nullptr) {
    *static_cast<cl::Bool*>(value) = 0;
  }
  if (what == cl::device_float_config && getenv("SHIM_FLUSHES") != nullptr) {
    *static_cast<cl::Bits*>(value) &= ~cl::float_denormals;
  }
  if (what == cl::device_float_config && getenv("SHIM_ROUNDS") != nullptr) {
    *static_cast<cl::Bits*>(value) &= ~cl::correctly_rounded_divide_sqrt;
  }
  return status;
}
}
