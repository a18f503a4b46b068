// The model that a trainer trains: a network over flat parameter and gradient buffers, in units.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "workloads/device/interface.h"
#include "workloads/model/layer.h"
#include "workloads/ops/ops.h"

namespace scalestudy::model {

// One rank's inputs, device memory; a model reads the one it was made for; a stage after the first
// reads the values that the stage before it put out.
template <typename T>
struct Input {
  const T* values = nullptr;             // (B, input width)
  const std::int32_t* tokens = nullptr;  // (B, tokens)
};

// Some of a model's units, one after another.
struct UnitRun {
  std::size_t first = 0;
  std::size_t end = std::numeric_limits<std::size_t>::max();  // after the last

  bool has(std::size_t unit) const { return unit >= first && unit < end; }
};

// The gradients at the ends of a stage, device memory; nullptr at an end that is the model's own.
template <typename T>
struct StageEnds {
  T* output_gradient = nullptr;  // of the output, for backward, which may overwrite it
  T* input_gradient = nullptr;   // of the input's values, from backward
};

// How a model lies in memory.
struct Layout {
  std::size_t unit_multiple = 1;  // a unit is padded with zeros to a multiple of these elements
  // Whether the model takes memory for all of its units; false: bind() says where each one lies.
  bool has_parameters = true;
  bool has_gradients = true;
  // Blocks of a transformer in a segment. For the last segment the model keeps all that backward
  // needs, for the others only their input, from which it computes again. 0: all is kept.
  std::size_t checkpoint_every = 0;
  // The units of the whole model that are made: a stage of a pipeline has some of them.
  UnitRun units{};
};

// Parameters that are held, moved and updated together: a layer, a block, or what surrounds blocks.
struct Unit {
  std::size_t tensors;   // elements of its padded tensors
  std::size_t elements;  // with the padding after them
  std::size_t offset;    // in the flat buffers
  bool is_kept;          // needed throughout a pass, not between two points of it
};

// Functions called before a pass reads a unit's parameters, and before backward writes its
// gradients; an empty one is not called.
struct UnitHooks {
  std::function<void(std::size_t unit)> before_forward;
  std::function<void(std::size_t unit)> before_backward;
};

// Main thread only. Allocates at construction, never in a pass.
template <typename T>
class Model : public device::Interface {
 public:
  Model(const Layout& layout, device::Arena& arena) : layout_(layout), arena_(arena) {}

  // The units in the order their gradients become ready, the reverse of the order of forward.
  const std::vector<Unit>& units() const { return units_; }
  std::size_t element_count() const { return units_.back().offset + units_.back().elements; }

  // Tells where the unit's parameters and gradients lie from here on, (elements) each. A hook may
  // call.
  virtual void bind(std::size_t unit, T* parameters, T* gradients) = 0;
  void set_hooks(UnitHooks hooks) { hooks_ = std::move(hooks); }
  // Sets the gradients at the ends of a stage that has neighbours.
  void set_ends(const StageEnds<T>& ends) { ends_ = ends; }

  // The initial parameters (element_count()), unit after unit, zero where no tensor lies.
  std::vector<T> initial_values(std::uint64_t seed, ops::Purpose purpose) const;
  // Writes initial_values() to parameters().
  void initialise(std::uint64_t seed, ops::Purpose purpose);

  // Returns the output, one row for each prediction (B of them, or B * tokens), in a transformer as
  // wide as its padded vocabulary; a loss turns it into its own gradient in place before
  // backward(). A stage that is not the last returns the input of the next one, and leaves it there
  // until its own backward() is through.
  virtual ops::Matrix<T> forward(const Input<T>& input, const Pass& pass) = 0;
  // Calls `ready` for the tensors of each unit, but not for the padding after them.
  virtual void backward(const Input<T>& input, const GradientsReady& ready) = 0;

  // Device memory, in the order gradients become ready; padding (padding.h) is and stays zero.
  // Empty if the layout takes no memory for them.
  std::span<T> parameters() const { return parameters_; }
  std::span<T> gradients() const { return gradients_; }

 protected:
  // Call it at the end of construction, once for each unit in order, then finish_units().
  void add_unit(std::size_t tensors, bool is_kept);
  // Takes the memory that the layout asks for, and binds the units to it.
  void finish_units();
  const StageEnds<T>& ends() const { return ends_; }

  // Writes a unit's initial parameters to `host` (elements), which is zero.
  virtual void fill_initial(std::size_t unit,
                            T* host,
                            std::uint64_t seed,
                            ops::Purpose purpose) const = 0;

  void before_forward(std::size_t unit) const {
    if (hooks_.before_forward) {
      hooks_.before_forward(unit);
    }
  }
  void before_backward(std::size_t unit) const {
    if (hooks_.before_backward) {
      hooks_.before_backward(unit);
    }
  }

 private:
  Layout layout_;
  device::Arena& arena_;
  std::vector<Unit> units_;
  UnitHooks hooks_;
  StageEnds<T> ends_;
  std::span<T> parameters_;
  std::span<T> gradients_;
};

}  // namespace scalestudy::model
