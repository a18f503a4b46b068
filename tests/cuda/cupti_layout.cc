// What workloads/cuda/cupti.h declares by hand, beside every version of it that CUPTI's own headers
// have: it does not compile where they differ.
#include <type_traits>

#include <cupti.h>

#include "tests/cuda/cupti.h"
#include "workloads/cuda/cupti.h"

namespace cupti = scalestudy::cuda::cupti;

namespace {

template <typename Theirs>
constexpr bool is_kernel() {
  return offsetof(Theirs, kind) == offsetof(cupti::Kernel, kind) &&
         offsetof(Theirs, start) == offsetof(cupti::Kernel, start_ns) &&
         offsetof(Theirs, end) == offsetof(cupti::Kernel, end_ns) &&
         offsetof(Theirs, deviceId) == offsetof(cupti::Kernel, device) &&
         offsetof(Theirs, contextId) == offsetof(cupti::Kernel, context) &&
         offsetof(Theirs, streamId) == offsetof(cupti::Kernel, stream) &&
         offsetof(Theirs, name) == offsetof(cupti::Kernel, name) &&
         sizeof(Theirs) >= sizeof(cupti::Kernel);
}

template <typename Theirs>
constexpr bool is_transfer() {
  return offsetof(Theirs, kind) == offsetof(cupti::Transfer, kind) &&
         offsetof(Theirs, bytes) == offsetof(cupti::Transfer, bytes) &&
         offsetof(Theirs, start) == offsetof(cupti::Transfer, start_ns) &&
         offsetof(Theirs, end) == offsetof(cupti::Transfer, end_ns) &&
         offsetof(Theirs, deviceId) == offsetof(cupti::Transfer, device) &&
         offsetof(Theirs, contextId) == offsetof(cupti::Transfer, context) &&
         offsetof(Theirs, streamId) == offsetof(cupti::Transfer, stream) &&
         sizeof(Theirs) >= sizeof(cupti::Transfer);
}

template <typename Theirs>
constexpr bool is_copy() {
  return is_transfer<Theirs>() &&
         offsetof(Theirs, copyKind) == offsetof(cupti::Transfer, direction);
}

template <typename... Theirs>
constexpr bool kAreKernels = (is_kernel<Theirs>() && ...);
template <typename... Theirs>
constexpr bool kAreCopies = (is_copy<Theirs>() && ...);
template <typename... Theirs>
constexpr bool kAreMemsets = (is_transfer<Theirs>() && ...);

// Our function types take enums as the integers and contexts as the pointers that they are.
template <typename Theirs, typename Ours>
constexpr bool kIsCall = false;
template <typename... Theirs, typename... Ours>
constexpr bool kIsCall<CUptiResult(Theirs...), int(Ours...)> =
    ((sizeof(Theirs) == sizeof(Ours) && std::is_pointer_v<Theirs> == std::is_pointer_v<Ours>)&&...);

}  // namespace

static_assert(kAreKernels<CUpti_ActivityKernel3,
                          CUpti_ActivityKernel4,
                          CUpti_ActivityKernel5,
                          CUpti_ActivityKernel6,
                          CUpti_ActivityKernel7,
                          CUpti_ActivityKernel8,
                          CUpti_ActivityKernel9>);
static_assert(kAreCopies<CUpti_ActivityMemcpy,
                         CUpti_ActivityMemcpy3,
                         CUpti_ActivityMemcpy4,
                         CUpti_ActivityMemcpy5>);
static_assert(kAreMemsets<CUpti_ActivityMemset, CUpti_ActivityMemset2, CUpti_ActivityMemset3>);
#if CUPTI_API_VERSION >= 130000
static_assert(kAreKernels<CUpti_ActivityKernel10>);
static_assert(kAreCopies<CUpti_ActivityMemcpy6>);
static_assert(kAreMemsets<CUpti_ActivityMemset4>);
static_assert(sizeof(CUpti_ActivityKernel10) ==
              scalestudy::test::record_size(cupti::kConcurrentKernel));
static_assert(sizeof(CUpti_ActivityMemcpy6) == scalestudy::test::record_size(cupti::kMemcpy));
static_assert(sizeof(CUpti_ActivityMemset4) == scalestudy::test::record_size(cupti::kMemset));
#endif
static_assert(CUPTI_ACTIVITY_KIND_MEMCPY == cupti::kMemcpy);
static_assert(CUPTI_ACTIVITY_KIND_MEMSET == cupti::kMemset);
static_assert(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL == cupti::kConcurrentKernel);
static_assert(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED == cupti::kFlushForced);
static_assert(CUPTI_SUCCESS == cupti::kSuccess);
static_assert(CUPTI_ERROR_MAX_LIMIT_REACHED == cupti::kMaxLimitReached);
static_assert(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD == 1 && CUPTI_ACTIVITY_MEMCPY_KIND_DTOH == 2 &&
              CUPTI_ACTIVITY_MEMCPY_KIND_DTOD == 8 && CUPTI_ACTIVITY_MEMCPY_KIND_PTOP == 10);
static_assert(kIsCall<decltype(cuptiGetVersion), cupti::GetVersion>);
static_assert(kIsCall<decltype(cuptiGetResultString), cupti::GetResultString>);
static_assert(kIsCall<decltype(cuptiGetTimestamp), cupti::GetTimestamp>);
static_assert(kIsCall<decltype(cuptiActivityRegisterCallbacks), cupti::RegisterCallbacks>);
static_assert(kIsCall<decltype(cuptiActivityEnable), cupti::Enable>);
static_assert(kIsCall<decltype(cuptiActivityDisable), cupti::Enable>);
static_assert(kIsCall<decltype(cuptiActivityFlushAll), cupti::FlushAll>);
static_assert(kIsCall<decltype(cuptiActivityGetNextRecord), cupti::GetNextRecord>);
static_assert(kIsCall<decltype(cuptiActivityGetNumDroppedRecords), cupti::GetDropped>);
