// What NCCL hands to a profiler plugin, as far as this one reads it. A library that
// NCCL_PROFILER_PLUGIN names has variables ncclProfiler_vN; NCCL looks for the newest version N
// that it knows, then for older ones: 2.23 knows the first, 2.28 the first five, and later ones
// still take these. Declared by hand: neither a GPU nor NCCL's headers are needed.
//   source  NCCL 2.28.9, src/include/plugin/profiler/profiler_v1.h ... profiler_v5.h
#pragma once

#include <cstddef>
#include <cstdint>

namespace scalestudy::profiler {

using Result = int;  // ncclResult_t; 0 is success
using Log =
    void (*)(int level, unsigned long flags, const char* file, int line, const char* format, ...);

// Bits of the mask of events that a plugin asks for, and their types. Parents of those come too.
inline constexpr std::uint64_t kCollectiveEvent = 1U << 1U;
inline constexpr std::uint64_t kMessageEvent = 1U << 2U;  // a send or a receive

// A collective. Counts are elements; channels and warps are those that the operation was given, in
// versions 1 to 3 the most that it could get.
struct CollectiveV1 {
  const char* communicator;
  std::uint64_t communicator_hash;
  std::uint64_t number;
  std::uint8_t function;  // ncclFunc_t
  const void* sent;
  void* received;
  std::size_t count;
  int root;
  std::uint8_t datatype;
  std::uint32_t operation;
  std::size_t traffic_bytes;
  std::uint8_t channels;
  std::uint8_t warps;
  std::uint8_t algorithm;  // NCCL_ALGO_TREE ...
  std::uint8_t protocol;   // NCCL_PROTO_LL ...
};

struct CollectiveV2 {
  const char* communicator;
  std::uint64_t communicator_hash;
  std::uint64_t number;
  const char* function;
  const void* sent;
  void* received;
  std::size_t count;
  int root;
  const char* datatype;
  std::size_t traffic_bytes;
  std::uint8_t channels;
  std::uint8_t warps;
  const char* algorithm;
  const char* protocol;
};

struct CollectiveV3 {
  const char* communicator;
  std::uint64_t communicator_hash;
  std::uint64_t number;
  const char* function;
  const void* sent;
  void* received;
  std::size_t count;
  int root;
  const char* datatype;
  std::uint8_t channels;
  std::uint8_t warps;
  const char* algorithm;
  const char* protocol;
};

struct CollectiveV4 {
  std::uint64_t number;
  const char* function;
  const void* sent;
  void* received;
  std::size_t count;
  int root;
  const char* datatype;
  std::uint8_t channels;
  std::uint8_t warps;
  const char* algorithm;
  const char* protocol;
};

struct MessageV4 {
  const char* function;
  void* buffer;
  const char* datatype;
  std::size_t count;
  int peer;
  std::uint8_t channels;
};

// The start of an event; other types of events have more, which nothing here reads.
template <typename Type, typename Collective>
struct Event {
  using OfCollective = Collective;
  Type type;
  void* parent;
  int rank;
  union {
    Collective collective;
    MessageV4 message;  // from version 4 on
  };
};

using EventV1 = Event<std::uint8_t, CollectiveV1>;
using EventV2 = Event<std::uint8_t, CollectiveV2>;
using EventV3 = Event<std::uint8_t, CollectiveV3>;
using EventV4 = Event<std::uint8_t, CollectiveV4>;
using EventV5 = Event<std::uint64_t, CollectiveV4>;

template <typename Init, typename Event>
struct Plugin {
  const char* name;
  Init init;
  Result (*start)(void* context, void** handle, Event* event);
  Result (*stop)(void* handle);
  Result (*record)(void* handle, int state, void* arguments);
  Result (*finalize)(void* context);
};

using InitV1 = Result (*)(void** context, int* mask);
using InitV4 = Result (*)(void** context,
                          int* mask,
                          const char* name,
                          std::uint64_t hash,
                          int nodes,
                          int ranks,
                          int rank,
                          Log log);
using InitV5 = Result (*)(void** context,
                          std::uint64_t id,
                          int* mask,
                          const char* name,
                          int nodes,
                          int ranks,
                          int rank,
                          Log log);

}  // namespace scalestudy::profiler
