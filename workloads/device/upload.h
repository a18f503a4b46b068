// Copies from the host to a GPU beside its queue of work.
#pragma once

#include <cstddef>
#include <memory>

#include "workloads/device/device.h"
#include "workloads/device/interface.h"

namespace scalestudy::device {

// Copies into device memory in slots, which are written and read alternately. One thread writes;
// the thread that queues work on the device gives slots back.
class Upload : public Interface {
 public:
  // Later writes to the slot wait for the work queued so far, which may read it.
  virtual void give_back(std::size_t slot) = 0;
  // Returns when the copy is done: work queued from then on reads it.
  virtual void write(std::size_t slot, void* to, const void* from, std::size_t bytes) = 0;
};

// Copies on a queue of its own. `device` is a GPU and outlives it. CUDA module only.
std::unique_ptr<Upload> make_upload(Device& device, std::size_t slots);

}  // namespace scalestudy::device
