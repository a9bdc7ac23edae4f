// The entry points of the CUDA driver API that the runtime calls, and the values that it passes.
#pragma once

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

namespace opsmith::gpu::cuda {

using Device = int;
using Address = unsigned long long;  // of the device's memory
using Context = struct ContextObject*;
using Stream = struct StreamObject*;
using Module = struct ModuleObject*;
using Function = struct FunctionObject*;
using Graph = struct GraphObject*;
using GraphExec = struct GraphExecObject*;
using Event = struct EventObject*;

// Statuses.
constexpr int success = 0;
constexpr int out_of_memory = 2;
constexpr int not_found = 500;

constexpr unsigned stream_non_blocking = 1;
constexpr int capture_of_thread = 1;
constexpr unsigned host_mapped = 2;
constexpr int function_max_threads = 0;
constexpr int jit_error_log = 5, jit_error_log_bytes = 6;
constexpr uint32_t most_groups = 65535;  // of the second and third dimension

// F(name, arguments); all return a status.
#define OPSMITH_CUDA(F)                                                                    \
  F(cuInit, (unsigned))                                                                    \
  F(cuGetErrorName, (int, const char**))                                                   \
  F(cuDeviceGetCount, (int*))                                                              \
  F(cuDeviceGet, (Device*, int))                                                           \
  F(cuDeviceGetName, (char*, int, Device))                                                 \
  F(cuDeviceTotalMem_v2, (size_t*, Device))                                                \
  F(cuDevicePrimaryCtxRetain, (Context*, Device))                                          \
  F(cuCtxSetCurrent, (Context))                                                            \
  F(cuStreamCreate, (Stream*, unsigned))                                                   \
  F(cuStreamSynchronize, (Stream))                                                         \
  F(cuMemAlloc_v2, (Address*, size_t))                                                     \
  F(cuMemHostRegister_v2, (void*, size_t, unsigned))                                       \
  F(cuMemHostGetDevicePointer_v2, (Address*, void*, unsigned))                             \
  F(cuMemcpyHtoD_v2, (Address, const void*, size_t))                                       \
  F(cuMemcpyHtoDAsync_v2, (Address, const void*, size_t, Stream))                          \
  F(cuMemcpyDtoHAsync_v2, (void*, Address, size_t, Stream))                                \
  F(cuModuleLoadDataEx, (Module*, const void*, unsigned, int*, void**))                    \
  F(cuModuleGetFunction, (Function*, Module, const char*))                                 \
  F(cuFuncGetAttribute, (int*, int, Function))                                             \
  F(cuLaunchKernel, (Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, \
                     unsigned, Stream, void**, void**))                                    \
  F(cuStreamBeginCapture_v2, (Stream, int))                                                \
  F(cuStreamEndCapture, (Stream, Graph*))                                                  \
  F(cuGraphInstantiateWithFlags, (GraphExec*, Graph, unsigned long long))                  \
  F(cuGraphDestroy, (Graph))                                                               \
  F(cuGraphLaunch, (GraphExec, Stream))                                                    \
  F(cuEventCreate, (Event*, unsigned))                                                     \
  F(cuEventRecord, (Event, Stream))                                                        \
  F(cuEventElapsedTime, (float*, Event, Event))                                            \
  F(cuEventDestroy_v2, (Event))

struct Api {
#define OPSMITH_MEMBER(name, arguments) int(*name) arguments;
  OPSMITH_CUDA(OPSMITH_MEMBER)
#undef OPSMITH_MEMBER

  // The first entry point that the library lacks, or null.
  const char* load(void* library) {
#define OPSMITH_LOAD(name, arguments)                               \
  name = reinterpret_cast<int(*) arguments>(dlsym(library, #name)); \
  if (name == nullptr) return #name;
    OPSMITH_CUDA(OPSMITH_LOAD)
#undef OPSMITH_LOAD
    return nullptr;
  }
};
#undef OPSMITH_CUDA

}  // namespace opsmith::gpu::cuda
