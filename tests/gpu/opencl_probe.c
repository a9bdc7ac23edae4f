// Computes a kernel on the first OpenCL device. Status 0: its results are right.

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef void* Handle;
typedef void* (*Function)();  // C17: of any arguments, none of which is shorter than an int

enum { COUNT = 64, DEVICE_TYPE_ALL = -1, DEVICE_NAME = 0x102B, READ_WRITE_COPIED = 1 << 5 | 1 };

static const char* const source =
    "__kernel void scale(__global int* x) {\n"
    "  const int i = get_global_id(0);\n"
    "  x[i] = 2 * x[i] + mul_hi(x[i], 1 << 30);\n"
    "}\n";

static void* library;

static Function entry(const char* name) { return (Function)dlsym(library, name); }

int main(void) {
  library = dlopen("libOpenCL.so.1", RTLD_NOW);
  if (!library) return fprintf(stderr, "%s\n", dlerror()), 1;
  Handle platform = NULL, device = NULL;
  entry("clGetPlatformIDs")(1, &platform, NULL);
  entry("clGetDeviceIDs")(platform, (uint64_t)(int64_t)DEVICE_TYPE_ALL, 1, &device, NULL);
  if (!device) return fprintf(stderr, "no device\n"), 1;
  char name[256] = "";
  entry("clGetDeviceInfo")(device, DEVICE_NAME, sizeof name, name, NULL);
  const Handle context = entry("clCreateContext")(NULL, 1, &device, NULL, NULL, NULL);
  const Handle queue = entry("clCreateCommandQueue")(context, device, (uint64_t)0, NULL);
  const Handle program = entry("clCreateProgramWithSource")(context, 1, &source, NULL, NULL);
  if (entry("clBuildProgram")(program, 1, &device, "-cl-std=CL1.2", NULL, NULL)) {
    return fprintf(stderr, "the kernel does not compile\n"), 1;
  }
  const Handle kernel = entry("clCreateKernel")(program, "scale", NULL);
  int32_t x[COUNT];
  for (int i = 0; i < COUNT; ++i) x[i] = 1000 * i;
  const uint64_t flags = READ_WRITE_COPIED;
  Handle buffer = entry("clCreateBuffer")(context, flags, sizeof x, x, NULL);
  entry("clSetKernelArg")(kernel, 0, sizeof buffer, &buffer);
  const size_t items = COUNT;
  entry("clEnqueueNDRangeKernel")(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL);
  entry("clEnqueueReadBuffer")(queue, buffer, 1, (size_t)0, sizeof x, x, 0, NULL, NULL);
  for (int i = 0; i < COUNT; ++i) {
    if (x[i] != 2250 * i) return fprintf(stderr, "%s: x[%d] is %d\n", name, i, x[i]), 1;
  }
  printf("right on device '%s'\n", name);
  return 0;
}
