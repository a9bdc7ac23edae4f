// The functions of a driver's library, which is opened at run time.
#pragma once

#include <dlfcn.h>

// struct Api, with a pointer for each function of LIST(F), which says F(name, result, arguments).
#define OPSMITH_API(LIST)                                        \
  struct Api {                                                   \
    LIST(OPSMITH_ENTRY_POINT)                                    \
    /* The first entry point that the library lacks, or null. */ \
    const char* load(void* library) {                            \
      LIST(OPSMITH_LOADED)                                       \
      return nullptr;                                            \
    }                                                            \
  }
#define OPSMITH_ENTRY_POINT(name, result, arguments) result(*name) arguments;
#define OPSMITH_LOADED(name, result, arguments)                        \
  name = reinterpret_cast<result(*) arguments>(dlsym(library, #name)); \
  if (name == nullptr) return #name;
