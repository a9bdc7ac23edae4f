// Finds an OpenCL library and, of its devices, the one to use.
#pragma once

#include <sys/stat.h>

#include "runtimes/gpu/failure.h"
#include "runtimes/gpu/opencl_api.h"

namespace opsmith::gpu::cl {

constexpr const char* install_driver =
    "install the OpenCL driver of the device, or pocl-opencl-icd to compute on the CPU";

// The API of $OPSMITH_OPENCL, or of the first library that has all of it.
inline bool load_library(Api& api, Refusal& refusal) {
  const char* const given = getenv("OPSMITH_OPENCL");
  const bool named = given != nullptr && *given != '\0';
  const char* const names[] = {"libOpenCL.so.1", "libOpenCL.so", "libmali.so.1"};
  Text tried;
  for (int i = 0; i < (named ? 1 : 3); ++i) {
    const char* const name = named ? given : names[i];
    void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    const char* const missing = library != nullptr ? api.load(library) : nullptr;
    if (library != nullptr && missing == nullptr) return true;
    const size_t end = strlen(tried);
    const char* const comma = i > 0 ? ", " : "";
    if (library == nullptr) {
      snprintf(tried.text + end, sizeof(tried.text) - end, "%s%s", comma, dlerror());
    } else {
      snprintf(tried.text + end, sizeof(tried.text) - end, "%s%s has no %s", comma, name, missing);
    }
  }
  const char* const fix =
      named ? "let OPSMITH_OPENCL name a driver's library, or unset it" : install_driver;
  return refusal.refuse("GPU001", Text("no OpenCL library: %.1900s", tried.text), fix);
}

// PoCL has no device where it cannot write what it compiles.
inline const char* fix_of_absence() {
  char folder[2048] = "";
  const char* const own = getenv("POCL_CACHE_DIR");
  const char* const cache = getenv("XDG_CACHE_HOME");
  if (own != nullptr || cache != nullptr) {
    snprintf(folder, sizeof(folder), "%s", own != nullptr ? own : cache);
  }
  while (folder[0] != '\0' && access(folder, F_OK) != 0) {  // the part of it that there is
    char* const last = strrchr(folder, '/');
    if (last == nullptr) break;
    *last = '\0';
  }
  struct stat status = {};
  const bool is_folder = stat(folder, &status) == 0 && S_ISDIR(status.st_mode);
  if (folder[0] == '\0' || (is_folder && access(folder, W_OK) == 0)) return install_driver;
  return "install the OpenCL driver of the device; PoCL, which computes on the CPU, needs a folder "
         "that it can write: let POCL_CACHE_DIR name one";
}

struct Choice {
  Platform platform;
  Device device;
  char name[256];
};

// Devices of all platforms, of which the best is kept: a GPU, else an accelerator, else a CPU.
class Chooser {
 public:
  Chooser(const Api& api, const char* wanted) : api_(api), wanted_(wanted) {}

  bool choose(Choice& choice, Refusal& refusal) {
    Platform platforms[16];
    uint32_t platform_count = 0;
    if (api_.clGetPlatformIDs(16, platforms, &platform_count) != success) platform_count = 0;
    for (uint32_t i = 0; i < platform_count && i < 16; ++i) {
      Device devices[16];
      uint32_t count = 0;
      if (api_.clGetDeviceIDs(platforms[i], type_all, 16, devices, &count) != success) count = 0;
      for (uint32_t j = 0; j < count && j < 16; ++j) consider(platforms[i], devices[j]);
    }
    choice = best_;
    if (rank_ > 0) return true;
    if (platform_count == 0) {
      return refusal.refuse("GPU002", Text("OpenCL has no platform"), fix_of_absence());
    }
    if (wanted_ != nullptr) {
      const Text what("no usable OpenCL device has '%s' in its name; there %s%.1500s", wanted_,
                      seen_[0] != '\0' ? "is" : "is none", seen_.text);
      return refusal.refuse("GPU003", what, "name one of these in OPSMITH_DEVICE");
    }
    const Text what("OpenCL has no device of version 1.2 with a compiler%s%.1500s",
                    seen_[0] != '\0' ? "; there is" : "", seen_.text);
    return refusal.refuse("GPU002", what, fix_of_absence());
  }

 private:
  void consider(Platform platform, Device device) {
    Choice found = {platform, device, ""};
    char version[128] = "";
    text(device, device_name, found.name, sizeof(found.name));
    text(device, device_version, version, sizeof(version));
    const size_t end = strlen(seen_);
    snprintf(seen_.text + end, sizeof(seen_.text) - end, "%s %s (%s)", end > 0 ? "," : "",
             found.name, version);
    if (wanted_ != nullptr && strstr(found.name, wanted_) == nullptr) return;
    const int rank = usable(device, version) ? rank_of(device) : 0;
    if (rank <= rank_) return;
    rank_ = rank;
    best_ = found;
  }

  bool usable(Device device, const char* version) const {
    int major = 0, minor = 0;
    if (sscanf(version, "OpenCL %d.%d", &major, &minor) != 2) return false;
    if (major < 1 || (major == 1 && minor < 2)) return false;
    Bool available = 0, compiler = 0;
    api_.clGetDeviceInfo(device, device_available, sizeof(available), &available, nullptr);
    api_.clGetDeviceInfo(device, device_compiler_available, sizeof(compiler), &compiler, nullptr);
    return available != 0 && compiler != 0;
  }

  int rank_of(Device device) const {
    Bits type = 0;
    api_.clGetDeviceInfo(device, device_type, sizeof(type), &type, nullptr);
    return (type & type_gpu) != 0 ? 3 : (type & type_accelerator) != 0 ? 2 : 1;
  }

  void text(Device device, uint32_t what, char* value, size_t bytes) const {
    if (api_.clGetDeviceInfo(device, what, bytes, value, nullptr) != success) value[0] = '\0';
    value[bytes - 1] = '\0';
  }

  const Api& api_;
  const char* wanted_;
  Choice best_ = {};
  int rank_ = 0;
  Text seen_;
};

}  // namespace opsmith::gpu::cl
