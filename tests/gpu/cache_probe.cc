// Prints the digest of each prefix of stdin's first line, or, with an argument, reads and writes the
// entry of key 0 in the cache that each line names, and prints how many bytes it found.
#include "runtimes/gpu/binary_cache.h"

using opsmith::gpu::Binary;
using opsmith::gpu::BinaryCache;
using opsmith::gpu::Digest;
using opsmith::gpu::Sha256;

static void digests(const char* text) {
  for (size_t bytes = 0; bytes <= strlen(text); ++bytes) {
    Sha256 hash;
    hash.add(text, bytes);
    for (const uint8_t each : hash.digest().bytes) printf("%02x", each);
    printf("\n");
  }
}

static void read_entry(const char* folder) {
  setenv("XDG_CACHE_HOME", folder, 1);
  BinaryCache cache(Digest{});
  const Binary found = cache.read();
  if (found.data == nullptr) cache.write("rebuilt", 7);
  printf("%zu\n", found.bytes);
  free(found.data);
}

int main(int count, char**) {
  char line[4096];
  while (fgets(line, sizeof(line), stdin) != nullptr) {
    line[strcspn(line, "\n")] = '\0';
    count > 1 ? read_entry(line) : digests(line);
    fflush(stdout);
  }
}
