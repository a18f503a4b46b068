// A shared library that may be absent.
#pragma once

#include <string>

namespace scalestudy {

class SharedLibrary {
 public:
  // Loads the library `name`. If it cannot be loaded, it has no functions.
  explicit SharedLibrary(const std::string& name);
  ~SharedLibrary();
  SharedLibrary(const SharedLibrary&) = delete;
  SharedLibrary& operator=(const SharedLibrary&) = delete;

  // The function of that name as the caller declares it, nullptr when the library has none.
  template <typename Function>
  Function* find(const char* name) const {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): what dlsym is for
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* symbol(const char* name) const;

  void* handle_;
};

}  // namespace scalestudy
