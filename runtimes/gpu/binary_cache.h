// Keeps what a driver made of a program's source, for the next start.
#pragma once

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include "runtimes/gpu/failure.h"
#include "runtimes/gpu/sha256.h"

namespace opsmith::gpu {

// Allocated with malloc(), or null.
struct Binary {
  uint8_t* data = nullptr;
  size_t bytes = 0;
};

// A file in ${XDG_CACHE_HOME:-~/.cache}/opsmith for each key. Without a folder that this user alone
// may write nothing is kept: a driver runs what it is given.
class BinaryCache {
 public:
  explicit BinaryCache(const Digest& key) : key_(key) {
    const char* const cache = getenv("XDG_CACHE_HOME");
    const char* const home = getenv("HOME");
    int length = -1;
    if (cache != nullptr && *cache == '/') {
      length = snprintf(folder_, sizeof(folder_), "%s/opsmith", cache);
    } else if (home != nullptr && *home == '/') {
      length = snprintf(folder_, sizeof(folder_), "%s/.cache/opsmith", home);
    }
    if (length < 0 || static_cast<size_t>(length) >= sizeof(folder_)) {
      forbid();
      return;
    }
    for (int i = 0; i < 32; ++i) snprintf(name_ + 2 * i, 3, "%02x", key.bytes[i]);
    snprintf(path_, sizeof(path_), "%s/%s", folder_, name_);
    snprintf(temporary_, sizeof(temporary_), "%s.%ld", name_, static_cast<long>(getpid()));
    struct stat status;
    if (!open_folder() || fstatat(at_, name_, &status, AT_SYMLINK_NOFOLLOW) != 0) return;
    if (S_ISREG(status.st_mode)) return;
    // A pipe would be waited for, a device might do something, a link leads to anybody's file.
    fprintf(stderr, "warning [GPU006] %s is no regular file: %s\n  fix: remove it\n", path_,
            "kernels are built at each start");
    forbid();
  }
  BinaryCache(const BinaryCache&) = delete;
  BinaryCache& operator=(const BinaryCache&) = delete;
  ~BinaryCache() { forbid(); }

  // Null where there is no entry, or one that is not as it was written.
  Binary read() const {
    constexpr int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_NOFOLLOW;
    FILE* const file = at_ >= 0 ? opened(flags, name_, "rb") : nullptr;
    if (file == nullptr) return {};
    struct stat status;
    const bool known = fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode);
    Binary binary;
    if (known && !is_ours(status)) {
      log("[GPU010] %s may be another user's and is built again", path_);
    } else {
      if (known) binary = content(file, static_cast<size_t>(status.st_size));
      if (binary.data == nullptr) log("[GPU006] %s is damaged and is built again", path_);
    }
    fclose(file);
    utimensat(at_, name_, nullptr, AT_SYMLINK_NOFOLLOW);  // it is in use
    return binary;
  }

  void write(const void* data, size_t bytes) {
    if (folder_[0] == '\0' || (at_ < 0 && (!make_folder() || !open_folder()))) return;
    unlinkat(at_, temporary_, 0);  // of a process of this number that ended while it wrote
    FILE* const file = opened(O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, temporary_, "wb");
    if (file == nullptr) return not_kept();
    const Header header = header_of(data, bytes);
    bool written = fwrite(&header, sizeof(header), 1, file) == 1;
    written = fwrite(data, 1, bytes, file) == bytes && written;
    written = fclose(file) == 0 && written;
    if (written && renameat(at_, temporary_, at_, name_) == 0) return forget();
    not_kept();
    unlinkat(at_, temporary_, 0);
  }

  const char* path() const { return path_; }

 private:
  struct Header {
    char magic[8];
    uint64_t bytes;
    Digest digest;  // of the key and the content
  };

  // Of this user, and nobody else may write it.
  static bool is_ours(const struct stat& status) {
    return status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  }

  // False where there is none, or one that this user does not have alone, of which nothing is read.
  bool open_folder() {
    struct stat status;
    if (lstat(folder_, &status) != 0) return false;
    at_ = open(folder_, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (at_ >= 0 && fstat(at_, &status) == 0 && is_ours(status)) return true;
    fprintf(stderr, "warning [GPU011] %s is no folder that you alone may write: %s\n  fix: %s\n",
            folder_, "kernels are built at each start",
            "make it yours (chown, chmod go-w), or remove it");
    forbid();
    return false;
  }

  void forbid() {
    if (at_ >= 0) close(at_);
    at_ = -1;
    folder_[0] = '\0';
  }

  FILE* opened(int flags, const char* name, const char* mode) const {
    const int file = openat(at_, name, flags, 0600);
    return file >= 0 ? fdopen(file, mode) : nullptr;
  }

  Header header_of(const void* data, size_t bytes) const {
    Sha256 hash;
    hash.add(key_.bytes, sizeof(key_.bytes));
    hash.add(data, bytes);
    return {{'O', 'P', 'S', 'M', 'C', 'L', '0', '2'}, bytes, hash.digest()};
  }

  Binary content(FILE* file, size_t size) const {
    Header header;
    if (size <= sizeof(header) || fread(&header, sizeof(header), 1, file) != 1) return {};
    const size_t bytes = size - sizeof(header);
    void* const data = bytes == header.bytes ? malloc(bytes) : nullptr;
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
    const int again = dup(at_);
    DIR* const folder = again >= 0 ? fdopendir(again) : nullptr;
    if (folder == nullptr) return;
    while (const dirent* const each = readdir(folder)) {
      const size_t digits = strspn(each->d_name, "0123456789abcdef");
      if (digits != sizeof(name_) - 1 && digits != name_before) continue;  // not ours
      struct stat status;
      if (fstatat(at_, each->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
      if (S_ISREG(status.st_mode) && status.st_mtime < oldest) unlinkat(at_, each->d_name, 0);
    }
    closedir(folder);
  }

  void not_kept() const { log("%s cannot be written: %s", path_, strerror(errno)); }

  static constexpr size_t name_before = 16;  // characters, in earlier versions

  const Digest key_;
  int at_ = -1;  // the folder
  char folder_[2048] = "", name_[65] = "", path_[2140] = "", temporary_[96] = "";
};

}  // namespace opsmith::gpu
