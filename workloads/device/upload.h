// Copies from the host to a GPU beside its queue of work.
#pragma once

#include <cstddef>
#include <memory>

#include "workloads/device/device.h"

namespace scalestudy::device {

// Device memory in slots that are written and read in turn. One thread writes, the one that queues
// work on the device gives slots back.
class Upload {
 public:
  Upload() = default;
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;
  virtual ~Upload() = default;

  // What is queued so far may read the slot; what is written to it later waits until that is done.
  virtual void give_back(std::size_t slot) = 0;
  // Returns when the copy is done: what is queued from then on reads it.
  virtual void write(std::size_t slot, void* to, const void* from, std::size_t bytes) = 0;
};

// On a queue of its own. `device` is a GPU's and outlives it. CUDA module only.
std::unique_ptr<Upload> make_upload(Device& device, std::size_t slots);

}  // namespace scalestudy::device
