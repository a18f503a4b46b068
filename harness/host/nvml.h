// NVML, which tells of NVIDIA GPUs, loaded at run time. What is called of it is declared by hand
// from its reference (stable C interface): no CUDA header in the harness.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "harness/host/shared_library.h"

namespace scalestudy {

inline constexpr const char* kNvmlLibrary = "libnvidia-ml.so.1";

inline constexpr int kNvmlSuccess = 0;     // nvmlReturn_t
inline constexpr int kNvmlPeerRead = 0;    // nvmlGpuP2PCapsIndex_t
inline constexpr int kNvmlPeerNvlink = 2;  // nvmlGpuP2PCapsIndex_t

// NVML of this machine; without it, or without a driver, it is not open and there is no device.
class Nvml {
 public:
  explicit Nvml(const std::string& library = kNvmlLibrary);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  using Device = void*;
  [[nodiscard]] bool is_open() const { return is_open_; }
  [[nodiscard]] const std::vector<Device>& devices() const { return devices_; }
  [[nodiscard]] const SharedLibrary& library() const { return library_; }

  // What the function `name` writes through its last argument; absent if it fails or is not there.
  template <typename Value, typename... Arguments>
  std::optional<Value> ask(const char* name, Arguments... arguments) const {
    auto* call = library_.find<int(Arguments..., Value*)>(name);
    Value value{};
    return call != nullptr && call(arguments..., &value) == kNvmlSuccess ? std::optional(value)
                                                                         : std::nullopt;
  }

  // Likewise a text, which the function writes into so many characters.
  template <typename... Arguments>
  std::optional<std::string> text(const char* name, Arguments... arguments) const {
    auto* call = library_.find<int(Arguments..., char*, unsigned)>(name);
    std::array<char, 96> text{};
    return call != nullptr && call(arguments..., text.data(), text.size()) == kNvmlSuccess
               ? std::optional<std::string>(text.data())
               : std::nullopt;
  }

  // Whether two GPUs can do with each other what a value of nvmlGpuP2PCapsIndex_t names.
  [[nodiscard]] bool can(Device a, Device b, int capability) const;

 private:
  SharedLibrary library_;
  bool is_open_ = false;
  std::vector<Device> devices_;  // nullptr: one that NVML does not hand out
};

}  // namespace scalestudy
