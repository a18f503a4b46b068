// PowerSGD in a training of several ranks: two thin matrices travel for each matrix of gradients.
#pragma once

#include "workloads/sync/power_sgd.h"
#include "workloads/train/exchange/exchange.h"

namespace scalestudy::train {

// T is float or double.
template <typename T>
class PowerSgdExchange final : public Exchange<T> {
 public:
  using Exchange<T>::Exchange;

  std::size_t wire_bytes(std::span<const sync::Bucket> /*buckets*/) const override {
    return (counts().first() + counts().coefficients) * element_bytes(this->options().precision);
  }

  std::size_t staging_bytes(std::span<const sync::Bucket> /*buckets*/) const override {
    return std::max(counts().first(), counts().coefficients) * sizeof(T);
  }

  void take(std::size_t /*rank*/,
            ops::Ops<T>& ops,
            device::Arena& arena,
            std::span<T> gradients,
            const std::vector<sync::Bucket>& /*buckets*/) override {
    const Options& options = this->options();
    low_rank_ = std::make_unique<sync::LowRank<T>>(
        ops, arena, gradients, gradient_tensors(options), options.power_sgd_rank);
  }

  std::unique_ptr<sync::Strategy> make(const sync::Links& links,
                                       const Trained<T>& trained) override {
    return std::make_unique<sync::PowerSgdSync<T>>(links, *low_rank_, trained.gradients.size());
  }

  void rehearse(sync::Strategy& strategy) override {
    strategy.finish();
    low_rank_->reset();
  }

 private:
  sync::LowRankCounts counts() const {
    return sync::low_rank_counts(gradient_tensors(this->options()), this->options().power_sgd_rank);
  }

  std::unique_ptr<sync::LowRank<T>> low_rank_;
};

}  // namespace scalestudy::train
