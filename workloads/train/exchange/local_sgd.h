// Local SGD in a training: the optimizer's values travel, in every sync_every-th step.
#pragma once

#include "workloads/train/exchange/exchange.h"

namespace scalestudy::train {

template <typename T>
class LocalSgdExchange final : public Exchange<T> {
 public:
  using Exchange<T>::Exchange;

  std::size_t wire_bytes(std::span<const sync::Bucket> buckets) const override {
    const std::size_t element = element_bytes(this->options().precision);
    const std::size_t master = std::max(element, sizeof(float));
    return buckets.front().size_bytes / element * master / this->options().sync_every;
  }

  std::size_t staging_bytes(std::span<const sync::Bucket> buckets) const override {
    return sync::largest_bytes(buckets) / sizeof(T) * sizeof(device::Real<T>);
  }

  std::unique_ptr<sync::Strategy> make(const sync::Links& links,
                                       const Trained<T>& trained) override {
    const Options& options = this->options();
    sync::Averaged averaged = trained.updated;
    if (options.transport == Transport::kNoop || options.payload == sync::Payload::kElement) {
      // The controls sum nothing, or one number of what the next step writes anew.
      averaged = {[gradients = trained.gradients] { return buffer_of(gradients); }, [] {}};
    }
    return std::make_unique<sync::LocalSgdSync>(
        links, trained.parameters.size(), options.sync_every, std::move(averaged));
  }
};

}  // namespace scalestudy::train
