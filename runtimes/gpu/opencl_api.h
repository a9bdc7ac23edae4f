// The entry points of OpenCL 1.2 that the runtime calls, and the values that it passes.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtimes/gpu/entry_points.h"

namespace opsmith::gpu::cl {

using Platform = struct PlatformObject*;
using Device = struct DeviceObject*;
using Context = struct ContextObject*;
using Queue = struct QueueObject*;
using Memory = struct MemoryObject*;
using Program = struct ProgramObject*;
using Kernel = struct KernelObject*;
using Event = struct EventObject*;
using Bool = uint32_t;
using Bits = uint64_t;

// Statuses.
constexpr int32_t success = 0;
constexpr int32_t memory_allocation_failure = -4;
constexpr int32_t out_of_resources = -5;
constexpr int32_t out_of_host_memory = -6;
constexpr int32_t invalid_kernel_name = -46;
constexpr int32_t invalid_buffer_size = -61;

// What clGetDeviceInfo and clCreateContext take.
constexpr uint32_t device_type = 0x1000;
constexpr uint32_t device_max_alloc_size = 0x1010;
constexpr uint32_t device_base_address_align = 0x1019;  // in bits
constexpr uint32_t device_float_config = 0x101B;
constexpr uint32_t device_available = 0x1027;
constexpr uint32_t device_compiler_available = 0x1028;
constexpr uint32_t device_name = 0x102B;
constexpr uint32_t driver_version = 0x102D;
constexpr uint32_t device_version = 0x102F;
constexpr uint32_t device_extensions = 0x1030;
constexpr uint32_t device_unified_memory = 0x1035;
constexpr intptr_t context_platform = 0x1084;
constexpr Bits type_cpu = 1 << 1, type_gpu = 1 << 2, type_accelerator = 1 << 3;
constexpr Bits type_all = 0xFFFFFFFF;
constexpr Bits float_denormals = 1 << 0, correctly_rounded_divide_sqrt = 1 << 7;

// Flags of buffers, maps and queues.
constexpr Bits memory_read_write = 1 << 0, memory_read_only = 1 << 2, memory_use_host = 1 << 3;
constexpr Bits map_read = 1 << 0, map_write = 1 << 1;
constexpr Bits queue_profiling = 1 << 1;

// What clGetProgramInfo, clGetKernelWorkGroupInfo, clGetEventInfo and clGetEventProfilingInfo take.
constexpr uint32_t program_binary_sizes = 0x1165, program_binaries = 0x1166;
constexpr uint32_t program_build_log = 0x1183;
constexpr uint32_t kernel_work_group_size = 0x11B0;
constexpr uint32_t event_status = 0x11D3;
constexpr uint32_t profiling_start = 0x1282, profiling_end = 0x1283;

// F(name, result, arguments)
#define OPSMITH_OPENCL(F)                                                                          \
  F(clGetPlatformIDs, int32_t, (uint32_t, Platform*, uint32_t*))                                   \
  F(clGetDeviceIDs, int32_t, (Platform, Bits, uint32_t, Device*, uint32_t*))                       \
  F(clGetDeviceInfo, int32_t, (Device, uint32_t, size_t, void*, size_t*))                          \
  F(clCreateContext, Context,                                                                      \
    (const intptr_t*, uint32_t, const Device*, void (*)(const char*, const void*, size_t, void*),  \
     void*, int32_t*))                                                                             \
  F(clCreateCommandQueue, Queue, (Context, Device, Bits, int32_t*))                                \
  F(clCreateBuffer, Memory, (Context, Bits, size_t, void*, int32_t*))                              \
  F(clCreateProgramWithSource, Program,                                                            \
    (Context, uint32_t, const char**, const size_t*, int32_t*))                                    \
  F(clCreateProgramWithBinary, Program,                                                            \
    (Context, uint32_t, const Device*, const size_t*, const unsigned char**, int32_t*, int32_t*))  \
  F(clBuildProgram, int32_t,                                                                       \
    (Program, uint32_t, const Device*, const char*, void (*)(Program, void*), void*))              \
  F(clGetProgramBuildInfo, int32_t, (Program, Device, uint32_t, size_t, void*, size_t*))           \
  F(clGetProgramInfo, int32_t, (Program, uint32_t, size_t, void*, size_t*))                        \
  F(clReleaseProgram, int32_t, (Program))                                                          \
  F(clCreateKernel, Kernel, (Program, const char*, int32_t*))                                      \
  F(clGetKernelWorkGroupInfo, int32_t, (Kernel, Device, uint32_t, size_t, void*, size_t*))         \
  F(clSetKernelArg, int32_t, (Kernel, uint32_t, size_t, const void*))                              \
  F(clEnqueueNDRangeKernel, int32_t,                                                               \
    (Queue, Kernel, uint32_t, const size_t*, const size_t*, const size_t*, uint32_t, const Event*, \
     Event*))                                                                                      \
  F(clEnqueueWriteBuffer, int32_t,                                                                 \
    (Queue, Memory, Bool, size_t, size_t, const void*, uint32_t, const Event*, Event*))            \
  F(clEnqueueReadBuffer, int32_t,                                                                  \
    (Queue, Memory, Bool, size_t, size_t, void*, uint32_t, const Event*, Event*))                  \
  F(clEnqueueCopyBuffer, int32_t,                                                                  \
    (Queue, Memory, Memory, size_t, size_t, size_t, uint32_t, const Event*, Event*))               \
  F(clEnqueueMapBuffer, void*,                                                                     \
    (Queue, Memory, Bool, Bits, size_t, size_t, uint32_t, const Event*, Event*, int32_t*))         \
  F(clEnqueueUnmapMemObject, int32_t, (Queue, Memory, void*, uint32_t, const Event*, Event*))      \
  F(clFinish, int32_t, (Queue))                                                                    \
  F(clGetEventInfo, int32_t, (Event, uint32_t, size_t, void*, size_t*))                            \
  F(clGetEventProfilingInfo, int32_t, (Event, uint32_t, size_t, void*, size_t*))                   \
  F(clReleaseEvent, int32_t, (Event))

OPSMITH_API(OPSMITH_OPENCL);
#undef OPSMITH_OPENCL

// Of the statuses that say more than their number.
inline const char* status_name(int32_t status) {
  switch (status) {
    case -1:
      return "CL_DEVICE_NOT_FOUND";
    case -2:
      return "CL_DEVICE_NOT_AVAILABLE";
    case memory_allocation_failure:
      return "CL_MEM_OBJECT_ALLOCATION_FAILURE";
    case out_of_resources:
      return "CL_OUT_OF_RESOURCES";
    case out_of_host_memory:
      return "CL_OUT_OF_HOST_MEMORY";
    case -11:
      return "CL_BUILD_PROGRAM_FAILURE";
    case -14:
      return "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST";
    case -36:
      return "CL_INVALID_COMMAND_QUEUE";
    case -42:
      return "CL_INVALID_BINARY";
    case invalid_kernel_name:
      return "CL_INVALID_KERNEL_NAME";
    case -52:
      return "CL_INVALID_KERNEL_ARGS";
    case -54:
      return "CL_INVALID_WORK_GROUP_SIZE";
    case invalid_buffer_size:
      return "CL_INVALID_BUFFER_SIZE";
    default:
      return "OpenCL error";
  }
}

}  // namespace opsmith::gpu::cl
