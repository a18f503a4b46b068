// NCCL's profiler plugin: what NCCL chose for each collective of a confirm run. NCCL loads it where
// NCCL_PROFILER_PLUGIN names it, and calls it from any thread.
#include <array>
#include <string>
#include <type_traits>

#include "workloads/profiler/abi.h"
#include "workloads/profiler/record.h"

namespace scalestudy::profiler {
namespace {

constexpr int kWarp = 32;  // threads

// Version 1 hands over numbers. source: NCCL 2.23, src/include/nccl_common.h and nccl_tuner.h
constexpr std::array<const char*, 8> kFunctions = {
    "Broadcast", "Reduce", "AllGather", "ReduceScatter", "AllReduce", "SendRecv", "Send", "Recv"};
constexpr std::array<const char*, 7> kAlgorithms = {
    "TREE", "RING", "COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS", "NVLS_TREE", "PAT"};
constexpr std::array<const char*, 3> kProtocols = {"LL", "LL128", "SIMPLE"};

template <std::size_t n>
const char* name_in(const std::array<const char*, n>& names, std::uint8_t number) {
  return number < n ? names.at(number) : nullptr;
}

struct Names {
  const char* function = nullptr;
  const char* algorithm = nullptr;
  const char* protocol = nullptr;
};

Names names_of(const CollectiveV1& event) {
  return {name_in(kFunctions, event.function),
          name_in(kAlgorithms, event.algorithm),
          name_in(kProtocols, event.protocol)};
}

template <typename Collective>
Names names_of(const Collective& event) {
  return {event.function, event.algorithm, event.protocol};
}

template <typename Collective>
void write_collective(const Collective& event) {
  const Names names = names_of(event);
  write_once("collective " + word_of(names.function) + " " + word_of(names.algorithm) + " " +
             word_of(names.protocol) + " channels=" + std::to_string(event.channels) +
             " threads=" + std::to_string(kWarp * event.warps));
}

Result begin(int version, void** context, int* mask) noexcept {
  // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): all communicators share it
  static char shared = 0;
  if (context != nullptr) {
    *context = &shared;
  }
  const bool is_on = is_wanted();
  if (mask != nullptr) {
    *mask = is_on ? static_cast<int>(kCollectiveEvent | kMessageEvent) : 0;
  }
  if (is_on) {
    write_once("communicator abi=" + std::to_string(version));
  }
  return 0;
}

// No event has a handle: nothing is to be told of it later.
template <typename Event>
Result start(void* /*context*/, void** handle, Event* event) noexcept {
  if (handle != nullptr) {
    *handle = nullptr;
  }
  if (event == nullptr) {
    return 0;
  }
  if (event->type == kCollectiveEvent) {
    write_collective(event->collective);
  } else if constexpr (std::is_same_v<typename Event::OfCollective, CollectiveV4>) {
    if (event->type == kMessageEvent) {
      write_once("message " + word_of(event->message.function) +
                 " channels=" + std::to_string(event->message.channels));
    }
  }
  return 0;
}

template <int version>
Result init_old(void** context, int* mask) noexcept {
  return begin(version, context, mask);
}

// NOLINTNEXTLINE(readability-function-size): as NCCL calls it
Result init_4(void** context,
              int* mask,
              const char* /*name*/,
              std::uint64_t /*hash*/,
              int /*nodes*/,
              int /*ranks*/,
              int /*rank*/,
              Log /*log*/) noexcept {
  return begin(4, context, mask);
}

// NOLINTNEXTLINE(readability-function-size): likewise
Result init_5(void** context,
              std::uint64_t /*id*/,
              int* mask,
              const char* /*name*/,
              int /*nodes*/,
              int /*ranks*/,
              int /*rank*/,
              Log /*log*/) noexcept {
  return begin(5, context, mask);
}

Result stop(void* /*handle*/) noexcept {
  return 0;
}

Result record(void* /*handle*/, int /*state*/, void* /*arguments*/) noexcept {
  return 0;
}

Result finalize(void* /*context*/) noexcept {
  return 0;
}

constexpr const char* kName = "scalestudy";

}  // namespace
}  // namespace scalestudy::profiler

// NOLINTBEGIN(readability-identifier-naming,cppcoreguidelines-avoid-non-const-global-variables,misc-definitions-in-headers):
// the names and kind that NCCL looks for
extern "C" {
using namespace scalestudy::profiler;  // NOLINT(google-build-using-namespace): as above
Plugin<InitV1, EventV1> ncclProfiler_v1 = {
    kName, &init_old<1>, &start<EventV1>, &stop, &record, &finalize};
Plugin<InitV1, EventV2> ncclProfiler_v2 = {
    kName, &init_old<2>, &start<EventV2>, &stop, &record, &finalize};
Plugin<InitV1, EventV3> ncclProfiler_v3 = {
    kName, &init_old<3>, &start<EventV3>, &stop, &record, &finalize};
Plugin<InitV4, EventV4> ncclProfiler_v4 = {
    kName, &init_4, &start<EventV4>, &stop, &record, &finalize};
Plugin<InitV5, EventV5> ncclProfiler_v5 = {
    kName, &init_5, &start<EventV5>, &stop, &record, &finalize};
}
// NOLINTEND(readability-identifier-naming,cppcoreguidelines-avoid-non-const-global-variables,misc-definitions-in-headers)
