// Says what the processor lacks before main() runs, in place of an illegal instruction.

#include <string.h>
#include <unistd.h>

namespace {

void require(bool there, const char* message) {
  if (there) return;
  if (write(STDERR_FILENO, message, strlen(message)) < 0) _exit(126);
  _exit(126);
}

[[gnu::constructor]] void check_processor() {
  __builtin_cpu_init();
  require(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"),
          "this processor lacks AVX2, for which the program was compiled: build for board=host\n");
#ifdef __AVX512VNNI__
  require(__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni") &&
              __builtin_cpu_supports("avx512vbmi"),
          "this processor lacks AVX-512 VNNI or VBMI, for which the program was compiled: "
          "build for board=x86_64\n");
#endif
}

}  // namespace
