// Collects the layers of a network, or those of a stage of it.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "workloads/model/model.h"

namespace scalestudy::model {

// Of layers that are told of first to last, those of the run's units are made.
template <typename T>
class LayerList {
 public:
  // unit_count  of the whole network.
  LayerList(const UnitRun& units, std::size_t unit_count) : units_(units), unit_(unit_count) {}

  // The next layer with parameters: a unit. Units count from the last one.
  template <typename Make>
  void add_unit(const Make& make) {
    --unit_;
    add(make);
  }
  // A layer without parameters goes with the unit before it.
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
