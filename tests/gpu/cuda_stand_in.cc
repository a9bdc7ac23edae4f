// A libcuda.so.1 without a device: it writes down each call, fails where the environment says so,
// and computes the kernels of two_kernels.cl, also of graphs, in the memory of the host.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Address = unsigned long long;
using Steps = std::vector<std::function<void()>>;

std::vector<std::pair<Address, size_t>> memories;  // in the order of allocation
Steps* capturing = nullptr;

// m0+16 for byte 16 of the first allocation.
std::string shown(Address address) {
  for (size_t i = 0; i < memories.size(); ++i) {
    const Address at = address - memories[i].first;
    if (at < memories[i].second) return "m" + std::to_string(i) + "+" + std::to_string(at);
  }
  return "nowhere";
}

// Writes down a call. STAND_IN_FAIL=NAME=STATUS@N,... has the Nth call of a function fail, or its
// first.
int call(const std::string& name, const std::string& arguments = "") {
  static std::map<std::string, int> calls;
  fprintf(stderr, "%s%s%s\n", name.c_str(), arguments.empty() ? "" : " ", arguments.c_str());
  const int number = ++calls[name];
  const char* const given = getenv("STAND_IN_FAIL");
  std::istringstream fails(given != nullptr ? given : "");
  for (std::string fail; std::getline(fails, fail, ',');) {
    if (fail.rfind(name + "=", 0) != 0) continue;
    const size_t at = fail.find('@');
    const int nth = at != std::string::npos ? std::stoi(fail.substr(at + 1)) : 1;
    if (number == nth) return std::stoi(fail.substr(name.size() + 1));
  }
  return 0;
}

void does(std::function<void()> step) {
  if (capturing != nullptr) {
    capturing->push_back(step);
  } else {
    step();
  }
}

void multiply(const int8_t* x, int32_t* y, const int8_t* w) {
  for (int i = 0; i < 100; ++i) y[i] = x[i] * w[i % 10];
}

void sum(const int32_t* y, int32_t* z) {
  z[0] = z[1] = 0;
  for (int i = 0; i < 100; ++i) z[i / 64] += y[i];
}

template <class T>
T* argument(void** parameters, int i) {
  const Address address = *static_cast<Address*>(parameters[2 * i]);
  const int32_t offset = *static_cast<int32_t*>(parameters[2 * i + 1]);
  return reinterpret_cast<T*>(address + static_cast<Address>(offset));
}

// The last one is there where STAND_IN_COPIES is set.
const char* const kernels[] = {"multiply_0", "sum_0", "opsmith_copy"};

}  // namespace

extern "C" {

int cuInit(unsigned) { return call("cuInit"); }

int cuGetErrorName(int status, const char** name) {
  static std::string text;
  text = "CUDA_ERROR_" + std::to_string(status);
  *name = text.c_str();
  return call("cuGetErrorName", std::to_string(status));
}

int cuDeviceGetCount(int* count) {
  *count = getenv("STAND_IN_NO_DEVICE") != nullptr ? 0 : 2;
  return call("cuDeviceGetCount");
}

int cuDeviceGet(int* device, int i) {
  *device = i;
  return call("cuDeviceGet", std::to_string(i));
}

int cuDeviceGetName(char* name, int bytes, int device) {
  snprintf(name, static_cast<size_t>(bytes), device == 0 ? "Stand-in A" : "Stand-in B");
  return call("cuDeviceGetName", std::to_string(device));
}

int cuDeviceTotalMem_v2(size_t* bytes, int device) {
  *bytes = 4096;
  return call("cuDeviceTotalMem_v2", std::to_string(device));
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  *context = nullptr;
  return call("cuDevicePrimaryCtxRetain", std::to_string(device));
}

int cuCtxSetCurrent(void*) { return call("cuCtxSetCurrent"); }

int cuStreamCreate(void** stream, unsigned flags) {
  *stream = nullptr;
  return call("cuStreamCreate", std::to_string(flags));
}

int cuStreamSynchronize(void*) { return call("cuStreamSynchronize"); }

int cuMemAlloc_v2(Address* address, size_t bytes) {
  const int status = bytes > 1 << 20 ? 2 : call("cuMemAlloc_v2", std::to_string(bytes));
  if (status != 0) return status;
  *address = reinterpret_cast<Address>(calloc(bytes, 1));
  memories.emplace_back(*address, bytes);
  return 0;
}

int cuMemHostRegister_v2(void*, size_t bytes, unsigned) {
  return call("cuMemHostRegister_v2", std::to_string(bytes));
}

int cuMemHostGetDevicePointer_v2(Address* address, void* host, unsigned) {
  const int status = call("cuMemHostGetDevicePointer_v2");
  if (status == 0) *address = reinterpret_cast<Address>(host);
  return status;
}

int cuMemcpyHtoD_v2(Address to, const void* from, size_t bytes) {
  const int status = call("cuMemcpyHtoD_v2", shown(to) + " " + std::to_string(bytes));
  if (status == 0) memcpy(reinterpret_cast<void*>(to), from, bytes);
  return status;
}

int cuMemcpyHtoDAsync_v2(Address to, const void* from, size_t bytes, void*) {
  does([=] { memcpy(reinterpret_cast<void*>(to), from, bytes); });
  return call("cuMemcpyHtoDAsync_v2", shown(to) + " " + std::to_string(bytes));
}

int cuMemcpyDtoHAsync_v2(void* to, Address from, size_t bytes, void*) {
  does([=] { memcpy(to, reinterpret_cast<void*>(from), bytes); });
  return call("cuMemcpyDtoHAsync_v2", shown(from) + " " + std::to_string(bytes));
}

// Writes into the error log what a driver would of PTX that is none.
int cuModuleLoadDataEx(void** module, const void* ptx, unsigned count, int* options,
                       void** values) {
  *module = nullptr;
  const int status =
      call("cuModuleLoadDataEx", std::to_string(strlen(static_cast<const char*>(ptx))));
  if (status != 0 && count == 2 && options[0] == 5 && options[1] == 6) {
    snprintf(static_cast<char*>(values[0]), reinterpret_cast<size_t>(values[1]),
             "ptxas error: line 7");
  }
  return status;
}

int cuModuleGetFunction(void** function, void*, const char* name) {
  for (int i = 0; i < (getenv("STAND_IN_COPIES") != nullptr ? 3 : 2); ++i) {
    if (strcmp(name, kernels[i]) != 0) continue;
    *function = const_cast<char*>(kernels[i]);
    return call("cuModuleGetFunction", name);
  }
  return 500;
}

int cuFuncGetAttribute(int* value, int attribute, void*) {
  *value = attribute == 0 ? 1024 : 0;
  return call("cuFuncGetAttribute", std::to_string(attribute));
}

int cuLaunchKernel(void* function, unsigned x, unsigned y, unsigned z, unsigned wide, unsigned high,
                   unsigned deep, unsigned shared, void*, void** parameters, void**) {
  const bool multiplies = function == kernels[0];
  std::string told = static_cast<const char*>(function);
  for (unsigned each : {x, y, z, wide, high, deep, shared}) told += " " + std::to_string(each);
  if (function == kernels[2]) {
    const Address to = *static_cast<Address*>(parameters[0]);
    const Address from = *static_cast<Address*>(parameters[1]);
    const unsigned bytes = *static_cast<unsigned*>(parameters[2]);
    does([=] { memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes); });
    return call("cuLaunchKernel",
                told + " " + shown(to) + " " + shown(from) + " " + std::to_string(bytes));
  }
  for (int i = 0; i < (multiplies ? 3 : 2); ++i) {
    const Address address = reinterpret_cast<Address>(argument<char>(parameters, i));
    told += " " + shown(address);
  }
  const int status = call("cuLaunchKernel", told);
  if (status != 0) return status;
  if (multiplies) {
    does([x = argument<int8_t>(parameters, 0), y = argument<int32_t>(parameters, 1),
          w = argument<int8_t>(parameters, 2)] { multiply(x, y, w); });
  } else {
    does([y = argument<int32_t>(parameters, 0), z = argument<int32_t>(parameters, 1)] {
      sum(y, z);
    });
  }
  return 0;
}

int cuStreamBeginCapture_v2(void*, int mode) {
  const int status = call("cuStreamBeginCapture_v2", std::to_string(mode));
  if (status == 0) capturing = new Steps;
  return status;
}

int cuStreamEndCapture(void*, void** graph) {
  *graph = capturing;
  capturing = nullptr;
  return call("cuStreamEndCapture");
}

int cuGraphInstantiateWithFlags(void** exec, void* graph, unsigned long long) {
  *exec = new Steps(*static_cast<Steps*>(graph));
  return call("cuGraphInstantiateWithFlags");
}

int cuGraphDestroy(void* graph) {
  delete static_cast<Steps*>(graph);
  return call("cuGraphDestroy");
}

int cuGraphLaunch(void* exec, void*) {
  const int status = call("cuGraphLaunch");
  if (status == 0) {
    for (const auto& step : *static_cast<Steps*>(exec)) step();
  }
  return status;
}

int cuEventCreate(void** event, unsigned) {
  *event = malloc(1);
  return call("cuEventCreate");
}

int cuEventRecord(void*, void*) { return call("cuEventRecord"); }

int cuEventElapsedTime(float* milliseconds, void*, void*) {
  *milliseconds = 0.25f;
  return call("cuEventElapsedTime");
}

int cuEventDestroy_v2(void* event) {
  free(event);
  return call("cuEventDestroy_v2");
}
}
