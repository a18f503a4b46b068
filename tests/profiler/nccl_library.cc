// Loads NCCL and stops where a debugger waits: nccl_itself.
#include <cstdio>

#include <dlfcn.h>

extern "C" void nccl_is_loaded() {
  std::puts("loaded");
}

int main(int count, char** arguments) {
  if (count != 2 || dlopen(arguments[1], RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    std::puts(count != 2 ? "give NCCL's library" : dlerror());
    return 1;
  }
  nccl_is_loaded();
  return 0;
}
