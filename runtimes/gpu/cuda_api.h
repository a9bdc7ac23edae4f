// The entry points of the CUDA driver API that the runtime calls, and the values that it passes.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtimes/gpu/entry_points.h"

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

// F(name, result, arguments)
#define OPSMITH_CUDA(F)                                                                      \
  F(cuInit, int, (unsigned))                                                                 \
  F(cuGetErrorName, int, (int, const char**))                                                \
  F(cuDeviceGetCount, int, (int*))                                                           \
  F(cuDeviceGet, int, (Device*, int))                                                        \
  F(cuDeviceGetName, int, (char*, int, Device))                                              \
  F(cuDeviceTotalMem_v2, int, (size_t*, Device))                                             \
  F(cuDevicePrimaryCtxRetain, int, (Context*, Device))                                       \
  F(cuCtxSetCurrent, int, (Context))                                                         \
  F(cuStreamCreate, int, (Stream*, unsigned))                                                \
  F(cuStreamSynchronize, int, (Stream))                                                      \
  F(cuMemAlloc_v2, int, (Address*, size_t))                                                  \
  F(cuMemHostRegister_v2, int, (void*, size_t, unsigned))                                    \
  F(cuMemHostGetDevicePointer_v2, int, (Address*, void*, unsigned))                          \
  F(cuMemcpyHtoD_v2, int, (Address, const void*, size_t))                                    \
  F(cuMemcpyHtoDAsync_v2, int, (Address, const void*, size_t, Stream))                       \
  F(cuMemcpyDtoHAsync_v2, int, (void*, Address, size_t, Stream))                             \
  F(cuModuleLoadDataEx, int, (Module*, const void*, unsigned, int*, void**))                 \
  F(cuModuleGetFunction, int, (Function*, Module, const char*))                              \
  F(cuFuncGetAttribute, int, (int*, int, Function))                                          \
  F(cuLaunchKernel, int,                                                                     \
    (Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, \
     void**, void**))                                                                        \
  F(cuStreamBeginCapture_v2, int, (Stream, int))                                             \
  F(cuStreamEndCapture, int, (Stream, Graph*))                                               \
  F(cuGraphInstantiateWithFlags, int, (GraphExec*, Graph, unsigned long long))               \
  F(cuGraphDestroy, int, (Graph))                                                            \
  F(cuGraphLaunch, int, (GraphExec, Stream))                                                 \
  F(cuEventCreate, int, (Event*, unsigned))                                                  \
  F(cuEventRecord, int, (Event, Stream))                                                     \
  F(cuEventElapsedTime, int, (float*, Event, Event))                                         \
  F(cuEventDestroy_v2, int, (Event))

OPSMITH_API(OPSMITH_CUDA);
#undef OPSMITH_CUDA

}  // namespace opsmith::gpu::cuda
