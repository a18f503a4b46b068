#include "harness/import/nccl_columns.h"

#include <algorithm>
#include <array>
#include <utility>

#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// Versions 2.19 and 2.20 print the minimum, the maximum, p99 and the coefficient of variation in
// the text, and all of them in the JSON.
constexpr auto kStatistics = std::to_array<NcclStatistic>({
    {"i_min", "min_us", "iteration_min", "min", "latency", "us"},
    {"i_max", "max_us", "iteration_max", "max", "latency", "us"},
    {"i_avg", "avg_us", "iteration_mean", "mean", "latency", "us"},
    {"i_p50", "p50_us", "iteration_p50", "p50", "latency", "us"},
    {"i_p95", "p95_us", "iteration_p95", "p95", "latency", "us"},
    {"i_p99", "p99_us", "iteration_p99", "p99", "latency", "us"},
    {"i_stdev", "stdev_us", "iteration_sd", "sd", "latency", "us"},
    {"i_cv%", "cv_pct", "iteration_cv", "cv", "ratio", "%"},
    {"#bitdiff", "", "different_bits", "", "count", ""},
});

constexpr auto kTuning = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"impl", "implementation"},
    {"implementation", "implementation"},
    {"algo", "algorithm"},
    {"proto", "protocol"},
    {"kernelVariant", "kernel"},
    {"sync", "sync"},
    {"syncStrategy", "sync"},
    {"#channels", "channels"},
    {"nchannels", "channels"},
    {"#warps", "warps"},
    {"netChunkSize", "net_chunk_bytes"},
});

}  // namespace

std::span<const NcclStatistic> nccl_statistics() {
  return kStatistics;
}

std::optional<std::string> nccl_tuning(std::string_view name) {
  const auto* const found =
      std::ranges::find(kTuning, name, &std::pair<std::string_view, std::string_view>::first);
  return found == kTuning.end() ? std::nullopt
                                : std::optional(names::kTuning + std::string(found->second));
}

}  // namespace scalestudy
