// Builds a program for an OpenCL device, or takes what the driver built before.
#pragma once

#include "runtimes/gpu/binary_cache.h"
#include "runtimes/gpu/opencl_driver.h"
#include "runtimes/gpu/program.h"

namespace opsmith::gpu::cl {

class Builder {
 public:
  explicit Builder(const Driver& driver)
      : driver_(driver), options_("-cl-std=CL%s%s", language(), rounding()) {}

  Program build(const gpu::Program& program) const {
    if (program.floats && (driver_.info<Bits>(device_float_config) & float_denormals) == 0) {
      fprintf(stderr, "gpu: %s takes floats below 1.2e-38 as 0: %s may give other bytes\n",
              driver_.name(), program.name);
    }
    BinaryCache cache(key(program));
    if (Program found = from_binary(cache); found != nullptr) return found;
    int32_t status = success;
    const char* source = program.source;
    Program built = driver_.api.clCreateProgramWithSource(driver_.context, 1, &source,
                                                          &program.source_bytes, &status);
    if (status == success) status = compile(built);
    if (status != success) {
      const Text what("%s cannot build the kernels of %s: %s (%d)%.1700s", driver_.name(),
                      program.name, status_name(status), status, log_of(built).text);
      failed("GPU005", what, "correct the kernel, or update the driver");
    }
    keep(built, cache);
    return built;
  }

 private:
  // The version, and which dot products of bytes the device has; Khronos's are of OpenCL C 3.0.
  const char* language() const {
    size_t bytes = 0;
    const Device device = driver_.choice.device;
    driver_.api.clGetDeviceInfo(device, device_extensions, 0, nullptr, &bytes);
    char* const extensions = allocated<char>(bytes + 1);
    driver_.api.clGetDeviceInfo(device, device_extensions, bytes, extensions, nullptr);
    const char* found = "1.2";
    if (strstr(extensions, "cl_khr_integer_dot_product") != nullptr && has_language_3()) {
      found = "3.0 -DOPSMITH_KHR_DOT=1";
    } else if (strstr(extensions, "cl_arm_integer_dot_product_accumulate_int8") != nullptr) {
      found = "1.2 -DOPSMITH_ARM_DOT=1";
    }
    free(extensions);
    return found;
  }

  bool has_language_3() const {
    char version[256] = "";
    driver_.api.clGetDeviceInfo(driver_.choice.device, device_version, sizeof(version) - 1, version,
                                nullptr);
    int major = 0;
    return sscanf(version, "OpenCL %d", &major) == 1 && major >= 3;
  }

  const char* rounding() const {
    const Bits config = driver_.info<Bits>(device_float_config);
    const bool exact = (config & correctly_rounded_divide_sqrt) != 0;
    return exact ? " -cl-fp32-correctly-rounded-divide-sqrt -DOPSMITH_EXACT_DIVISION=1" : "";
  }

  int32_t compile(Program program) const {
    return driver_.api.clBuildProgram(program, 1, &driver_.choice.device, options_, nullptr,
                                      nullptr);
  }

  // What decides the driver's result.
  Digest key(const gpu::Program& program) const {
    Sha256 hash;
    const uint64_t bytes = program.source_bytes;
    hash.add(&bytes, sizeof(bytes));
    hash.add(program.source, program.source_bytes);
    hash.add(options_);
    hash.add(driver_.name());
    const uint32_t versions[] = {device_version, driver_version};
    for (const uint32_t each : versions) {
      char version[256] = "";
      driver_.api.clGetDeviceInfo(driver_.choice.device, each, sizeof(version) - 1, version,
                                  nullptr);
      hash.add(version);
    }
    return hash.digest();
  }

  // Null where there is no binary, or none that the driver takes.
  Program from_binary(const BinaryCache& cache) const {
    const Binary binary = cache.read();
    if (binary.data == nullptr) return nullptr;
    const unsigned char* data = binary.data;
    int32_t loaded = success, status = success;
    Program found = driver_.api.clCreateProgramWithBinary(
        driver_.context, 1, &driver_.choice.device, &binary.bytes, &data, &loaded, &status);
    if (status == success) status = loaded;
    if (status == success) status = compile(found);
    free(binary.data);
    if (status == success) {
      log("kernels are those of %s", cache.path());
      return found;
    }
    log("[GPU006] the driver refuses %s, which is built again: %s (%d)", cache.path(),
        status_name(status), status);
    if (found != nullptr) driver_.api.clReleaseProgram(found);
    return nullptr;
  }

  void keep(Program program, BinaryCache& cache) const {
    size_t bytes = 0;
    driver_.api.clGetProgramInfo(program, program_binary_sizes, sizeof(bytes), &bytes, nullptr);
    if (bytes == 0) return;
    unsigned char* data = allocated<unsigned char>(bytes);
    const int32_t status =
        driver_.api.clGetProgramInfo(program, program_binaries, sizeof(data), &data, nullptr);
    if (status == success) cache.write(data, bytes);
    free(data);
  }

  // The first lines of what the compiler said, after a line feed, or nothing.
  Text log_of(Program program) const {
    Text said;
    size_t bytes = 0;
    if (program == nullptr) return said;
    driver_.api.clGetProgramBuildInfo(program, driver_.choice.device, program_build_log, 0, nullptr,
                                      &bytes);
    char* const all = allocated<char>(bytes + 1);
    driver_.api.clGetProgramBuildInfo(program, driver_.choice.device, program_build_log, bytes, all,
                                      nullptr);
    const char* end = all;
    for (int lines = 0; lines < 20 && *end != '\0'; ++end) lines += *end == '\n';
    while (end > all && (end[-1] == '\n' || end[-1] == '\0')) --end;
    const int length = static_cast<int>(end - all);
    if (length > 0) snprintf(said.text, sizeof(said.text), "\n%.*s", length, all);
    free(all);
    return said;
  }

  const Driver& driver_;
  const Text options_;
};

}  // namespace opsmith::gpu::cl
