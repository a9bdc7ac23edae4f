// Errors and the log of the GPU runtime, on stderr. README.md lists the codes.
#pragma once

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace opsmith::gpu {

// A formatted message; what does not fit is cut.
struct Text {
  char text[2048] = "";

  Text() = default;
  [[gnu::format(printf, 2, 3)]] explicit Text(const char* format, ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof(text), format, values);
    va_end(values);
  }
  operator const char*() const { return text; }
};

// Why a device cannot be had.
struct Refusal {
  const char* code = "";
  Text what;
  const char* fix = "";

  bool refuse(const char* a_code, const Text& a_what, const char* a_fix) {
    code = a_code;
    what = a_what;
    fix = a_fix;
    return false;
  }
};

// An application may set this, to report errors elsewhere than on stderr.
inline void (*on_failure)(const char* code, const char* what, const char* fix) = nullptr;

// Ends the process: with status 69 where there is no driver or no device, else with 70.
[[noreturn]] inline void failed(const char* code, const char* what, const char* fix) {
  if (on_failure != nullptr) {
    on_failure(code, what, fix);
  } else {
    fprintf(stderr, "error [%s] %s\n  fix: %s\n", code, what, fix);
  }
  fflush(nullptr);
  const bool absent = strcmp(code, "GPU001") == 0 || strcmp(code, "GPU002") == 0;
  _exit(absent ? 69 : 70);  // no destructors: those of a driver may wait for a lost device
}

// Whether the environment sets a variable to anything but 0.
inline bool is_set(const char* variable) {
  const char* value = getenv(variable);
  return value != nullptr && *value != '\0' && strcmp(value, "0") != 0;
}

[[gnu::format(printf, 1, 2)]] inline void log(const char* format, ...) {
  if (!is_set("OPSMITH_GPU_LOG")) return;
  va_list values;
  va_start(values, format);
  fputs("gpu: ", stderr);
  vfprintf(stderr, format, values);
  fputc('\n', stderr);
  va_end(values);
}

// Zeroed memory that stays until the process ends.
template <class T>
T* allocated(size_t count) {
  void* const found = calloc(count > 0 ? count : 1, sizeof(T));
  if (found == nullptr) failed("GPU004", "the host has no memory left", "end other programs");
  return static_cast<T*>(found);
}

}  // namespace opsmith::gpu
