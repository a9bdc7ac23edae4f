// Keeps what a driver made of a program's source, for the next start.
#pragma once

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include "runtimes/gpu/failure.h"

namespace opsmith::gpu {

// FNV-1a of all that was added.
class Hash {
 public:
  void add(const void* data, size_t bytes) {
    const uint8_t* const first = static_cast<const uint8_t*>(data);
    for (size_t i = 0; i < bytes; ++i) value_ = (value_ ^ first[i]) * 0x100000001B3u;
  }
  void add(const char* text) { add(text, strlen(text) + 1); }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0xCBF29CE484222325u;
};

// Allocated with malloc(), or null.
struct Binary {
  uint8_t* data = nullptr;
  size_t bytes = 0;
};

// A file in ${XDG_CACHE_HOME:-~/.cache}/opsmith for each key. Without a folder nothing is kept.
class BinaryCache {
 public:
  explicit BinaryCache(uint64_t key) : key_(key) {
    const char* const cache = getenv("XDG_CACHE_HOME");
    const char* const home = getenv("HOME");
    int length = -1;
    if (cache != nullptr && *cache == '/') {
      length = snprintf(folder_, sizeof(folder_), "%s/opsmith", cache);
    } else if (home != nullptr && *home == '/') {
      length = snprintf(folder_, sizeof(folder_), "%s/.cache/opsmith", home);
    }
    if (length < 0 || static_cast<size_t>(length) >= sizeof(folder_)) {
      folder_[0] = '\0';
      return;
    }
    const unsigned long long name = key;
    snprintf(path_, sizeof(path_), "%s/%016llx", folder_, name);
    snprintf(temporary_, sizeof(temporary_), "%s.%ld", path_, static_cast<long>(getpid()));
    struct stat status;
    if (stat(path_, &status) != 0 || S_ISREG(status.st_mode)) return;
    folder_[0] = '\0';  // a pipe would be waited for, a device might do something
    fprintf(stderr, "warning [GPU006] %s is no regular file: %s\n  fix: remove it\n", path_,
            "kernels are built at each start");
  }

  // Null where there is no entry, or one that is not as it was written.
  Binary read() const {
    constexpr int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    FILE* const file = folder_[0] != '\0' ? opened(flags, path_, "rb") : nullptr;
    if (file == nullptr) return {};
    Binary binary = content(file);
    fclose(file);
    if (binary.data == nullptr) log("[GPU006] %s is damaged and is built again", path_);
    utimensat(AT_FDCWD, path_, nullptr, 0);  // it is in use
    return binary;
  }

  void write(const void* data, size_t bytes) const {
    if (folder_[0] == '\0' || !make_folder()) return;
    unlink(temporary_);  // of a process of this number that ended while it wrote
    FILE* const file = opened(O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, temporary_, "wb");
    if (file == nullptr) return not_kept();
    const Header header = header_of(data, bytes);
    bool written = fwrite(&header, sizeof(header), 1, file) == 1;
    written = fwrite(data, 1, bytes, file) == bytes && written;
    written = fclose(file) == 0 && written;
    if (written && rename(temporary_, path_) == 0) return forget();
    not_kept();
    unlink(temporary_);
  }

  const char* path() const { return path_; }

 private:
  struct Header {
    char magic[8];
    uint64_t key, bytes, hash;
  };

  static FILE* opened(int flags, const char* path, const char* mode) {
    const int file = open(path, flags, 0600);
    return file >= 0 ? fdopen(file, mode) : nullptr;
  }

  Header header_of(const void* data, size_t bytes) const {
    Hash hash;
    hash.add(data, bytes);
    return {{'O', 'P', 'S', 'M', 'C', 'L', '0', '1'}, key_, bytes, hash.value()};
  }

  Binary content(FILE* file) const {
    struct stat status;
    Header header;
    if (fstat(fileno(file), &status) != 0 || !S_ISREG(status.st_mode) ||
        fread(&header, sizeof(header), 1, file) != 1) {
      return {};
    }
    const size_t bytes = static_cast<size_t>(status.st_size) - sizeof(header);
    void* const data = bytes > 0 && bytes == header.bytes ? malloc(bytes) : nullptr;
    if (data == nullptr) return {};
    if (fread(data, 1, bytes, file) == bytes) {
      const Header expected = header_of(data, bytes);
      if (memcmp(&header, &expected, sizeof(header)) == 0) {
        return {static_cast<uint8_t*>(data), bytes};
      }
    }
    free(data);
    return {};
  }

  // Makes the folder and those above it.
  bool make_folder() const {
    char part[sizeof(folder_)];
    for (size_t i = 0;; ++i) {
      const char next = folder_[i];
      if (i > 0 && (next == '/' || next == '\0')) {
        part[i] = '\0';
        if (mkdir(part, 0700) != 0 && errno != EEXIST) return not_kept(), false;
      }
      if (next == '\0') return true;
      part[i] = next;
    }
  }

  // Removes entries that nobody read for `days`.
  void forget() const {
    constexpr time_t days = 60;
    const time_t oldest = time(nullptr) - days * 24 * 3600;
    DIR* const folder = opendir(folder_);
    if (folder == nullptr) return;
    while (const dirent* const each = readdir(folder)) {
      if (strspn(each->d_name, "0123456789abcdef") != name_length) continue;  // not ours
      struct stat status;
      const int at = dirfd(folder);
      if (fstatat(at, each->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
      if (S_ISREG(status.st_mode) && status.st_mtime < oldest) unlinkat(at, each->d_name, 0);
    }
    closedir(folder);
  }

  void not_kept() const { log("%s cannot be written: %s", path_, strerror(errno)); }

  static constexpr size_t name_length = 16;  // of an entry; a temporary one's goes on

  uint64_t key_;
  char folder_[2048] = "", path_[2100] = "", temporary_[2140] = "";
};

}  // namespace opsmith::gpu
