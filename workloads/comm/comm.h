// Sums gradients over the ranks.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "workloads/device/data_type.h"

namespace scalestudy::comm {

struct Buffer {
  void* data;
  std::size_t count;  // elements
  device::DataType type;
};

// Main thread only. Every rank makes the same calls in the same order. A slot is one operation in
// flight; it is free again once test() has returned true or wait() has returned.
class Comm {
 public:
  Comm() = default;
  Comm(const Comm&) = delete;
  Comm& operator=(const Comm&) = delete;
  virtual ~Comm() = default;

  // `buffer` becomes its sum over the ranks; returns when it has.
  virtual void allreduce_sum(const Buffer& buffer) = 0;

  // The same, begun. `buffer` is not to be touched until the slot is free again.
  virtual void start_allreduce_sum(std::size_t slot, const Buffer& buffer) = 0;
  // Drives what is in flight; true when the slot's operation is complete.
  virtual bool test(std::size_t slot) = 0;
  virtual void wait(std::size_t slot) = 0;
};

// Through MPI, on host memory, over all ranks. Call between MPI_Init and MPI_Finalize.
std::unique_ptr<Comm> make_mpi_comm(std::size_t slot_count);

// Sums nothing: the control that shows what a step costs without communication.
std::unique_ptr<Comm> make_noop_comm();

}  // namespace scalestudy::comm
