// Collects the layers of a network, or those of a stage of it.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "workloads/model/model.h"

namespace scalestudy::model {

// Is offered a network's layers from first to last, and makes those that belong to the given units.
template <typename T>
class LayerList {
 public:
  // unit_count  units of the whole network.
  LayerList(const UnitRun& units, std::size_t unit_count) : units_(units), unit_(unit_count) {}

  // Offers the next layer with parameters, a unit. Units count from the last one.
  template <typename Make>
  void add_unit(const Make& make) {
    --unit_;
    add(make);
  }
  // Offers a layer without parameters, which goes with the unit before it.
  template <typename Make>
  void add(const Make& make) {
    if (units_.has(unit_)) {
      layers_.push_back(make());
    }
  }

  std::vector<std::unique_ptr<Layer<T>>> take() { return std::move(layers_); }

 private:
  UnitRun units_;
  std::size_t unit_;
  std::vector<std::unique_ptr<Layer<T>>> layers_;
};

}  // namespace scalestudy::model
