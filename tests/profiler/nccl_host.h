// Calls a profiler plugin as NCCL does: looks for the newest version of its interface, and hands
// over events whose layouts are written out here byte by byte, apart from the plugin's own
// declarations.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include <dlfcn.h>

namespace scalestudy::test {

// Where the fields of an event lie, as gdb's ptype /o prints them from the debug information of
// libnccl.so.2 (2.28.9), and worked out by hand from NCCL 2.28.9's profiler_v1.h ...
// profiler_v5.h by the rules of the System V ABI of x86-64 (a pointer at a multiple of 8, an int of
// 4, one byte anywhere). -1 of what a version does not have.
struct Layout {
  int version;
  int type_bytes;
  int function;  // of a collective, as are the next
  int channels;
  int warps;
  int algorithm;
  int protocol;
  int message_function;
  int message_channels;
  bool has_numbers;  // one byte each in place of names
};

// From version 1 on: type 0, parent 8, rank 16, and from 24 what the event is about.
inline constexpr std::array<Layout, 5> kLayouts = {{
    // name 24, hash 32, number 40, function 48, sent 56, received 64, count 72, root 80, type 84,
    // operation 88, traffic 96, channels 104; of messages name 24, hash 32, function 40
    {1, 1, 48, 104, 105, 106, 107, 40, -1, true},
    // ... root 80, type 88, traffic 96, channels 104, algorithm 112
    {2, 1, 48, 104, 105, 112, 120, 40, -1, false},
    // without traffic
    {3, 1, 48, 96, 97, 104, 112, 40, -1, false},
    // without name and hash; of messages function 24, buffer 32, type 40, count 48, peer 56
    {4, 1, 32, 80, 81, 88, 96, 24, 60, false},
    {5, 8, 32, 80, 81, 88, 96, 24, 60, false},
}};

class NcclHost {
 public:
  // Loads it and takes the newest version that both know; 0: none.
  explicit NcclHost(const std::string& path, int newest = 5)
      : library_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    for (int version = newest; library_ != nullptr && version >= 1 && table_ == nullptr;
         --version) {
      const std::string name = "ncclProfiler_v" + std::to_string(version);
      table_ = static_cast<const Table*>(dlsym(library_, name.c_str()));
      version_ = table_ == nullptr ? 0 : version;
    }
  }

  int version() const { return version_; }
  const char* name() const { return table_->name; }

  // A communicator's start; what events the plugin asks for.
  int init(void** context) const {
    int mask = -1;
    if (version_ < 4) {
      call<int(void**, int*)>(table_->init)(context, &mask);
    } else if (version_ == 4) {
      call<int(void**, int*, const char*, std::uint64_t, int, int, int, void*)>(table_->init)(
          context, &mask, nullptr, 7, 1, 2, 0, nullptr);
    } else {
      call<int(void**, std::uint64_t, int*, const char*, int, int, int, void*)>(table_->init)(
          context, 7, &mask, nullptr, 1, 2, 0, nullptr);
    }
    return mask;
  }

  // Begins and ends a collective; in version 1 the names are numbers, their first letters.
  void collective(void* context,
                  const char* function,
                  const char* algorithm,
                  const char* protocol,
                  std::uint8_t channels,
                  std::uint8_t warps) const {
    Bytes event = begin(2);
    put_name(event, layout().function, function);
    put_name(event, layout().algorithm, algorithm);
    put_name(event, layout().protocol, protocol);
    event[at(layout().channels)] = channels;
    event[at(layout().warps)] = warps;
    play(context, event);
  }

  void message(void* context, const char* function, std::uint8_t channels) const {
    Bytes event = begin(4);
    put_name(event, layout().message_function, function);
    if (layout().message_channels >= 0) {
      event[at(layout().message_channels)] = channels;
    }
    play(context, event);
  }

  // An event of another type, which says nothing that the plugin could read.
  void other(void* context, std::uint64_t type) const { play(context, begin(type)); }

  int finalize(void* context) const { return call<int(void*)>(table_->finalize)(context); }

 private:
  using Bytes = std::array<unsigned char, 192>;
  struct Table {
    const char* name;
    void* init;
    void* start;
    void* stop;
    void* record;
    void* finalize;
  };

  template <typename Function>
  static Function* call(void* pointer) {
    return reinterpret_cast<Function*>(pointer);
  }

  static std::size_t at(int offset) { return static_cast<std::size_t>(offset); }
  const Layout& layout() const { return kLayouts.at(at(version_ - 1)); }

  // What is not written is as NCCL may leave it.
  Bytes begin(std::uint64_t type) const {
    Bytes event;
    event.fill(0xA5);
    std::memcpy(event.data(), &type, at(layout().type_bytes));
    return event;
  }

  void put_name(Bytes& event, int offset, const char* name) const {
    if (layout().has_numbers) {
      event[at(offset)] = static_cast<unsigned char>(name == nullptr ? 255 : *name - '0');
    } else {
      std::memcpy(event.data() + offset, &name, sizeof name);
    }
  }

  void play(void* context, Bytes event) const {
    void* handle = &event;
    call<int(void*, void**, void*)>(table_->start)(context, &handle, event.data());
    call<int(void*, int, void*)>(table_->record)(handle, 3, nullptr);
    call<int(void*)>(table_->stop)(handle);
  }

  void* library_ = nullptr;  // stays loaded
  const Table* table_ = nullptr;
  int version_ = 0;
};

}  // namespace scalestudy::test
