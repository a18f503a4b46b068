#include "workloads/collective/series.h"

#include <algorithm>
#include <utility>

#include "workloads/names/names.h"

namespace scalestudy::collective {
namespace {

std::vector<double> over_ranks(const std::vector<std::vector<double>>& all, bool largest) {
  std::vector<double> values = all.front();
  for (const std::vector<double>& rank : all) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = largest ? std::max(values[i], rank[i]) : std::min(values[i], rank[i]);
    }
  }
  return values;
}

protocol::Samples samples(const char* metric,
                          const char* unit,
                          std::size_t warmup,
                          std::vector<double> values) {
  return {.metric = metric,
          .unit = unit,
          .rank = std::nullopt,
          .warmup = static_cast<int>(warmup),
          .values = std::move(values)};
}

std::vector<double> bandwidths(const std::vector<double>& times_s, double bytes) {
  std::vector<double> rates;
  rates.reserve(times_s.size());
  for (const double time_s : times_s) {
    rates.push_back(bytes / time_s);
  }
  return rates;
}

}  // namespace

std::vector<protocol::Samples> make_series(const AllSteps& all,
                                           const Layout& layout,
                                           std::size_t warmup) {
  const std::vector<double> slowest = over_ranks(all, true);
  const auto bytes = static_cast<double>(layout.total_bytes);
  std::vector<protocol::Samples> series{
      samples(names::kStepTime, "s", warmup, slowest),
      samples(names::kAlgorithmBandwidth, "bytes/s", warmup, bandwidths(slowest, bytes)),
      samples(names::kBusBandwidth,
              "bytes/s",
              warmup,
              bandwidths(slowest, bytes * layout.busbw_factor))};
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    series.push_back(samples(names::kStepTime, "s", warmup, all[rank]));
    series.back().rank = static_cast<int>(rank);
  }
  return series;
}

protocol::Samples make_rate_series(const char* metric,
                                   const std::vector<std::vector<double>>& rates,
                                   std::size_t warmup) {
  return samples(metric, "bytes/s", warmup, over_ranks(rates, false));
}

}  // namespace scalestudy::collective
