// Messages from one rank to another, with which stages of a pipeline hand on data.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "workloads/comm/comm.h"
#include "workloads/device/interface.h"

namespace scalestudy::comm {

// Main thread only. Messages from a rank arrive in the order in which it sends them, and are taken
// in the order in which they are asked for. A slot is one message in flight; it is free again once
// wait() has returned.
class Messages : public device::Interface {
 public:
  // send() and receive() begin a message; its buffer must not be touched until the slot is free
  // again. A rank that waits for one message also drives all others, so that ranks cannot block
  // each other for good unless a message's own sender waits for it.
  virtual void send(std::size_t slot, const Buffer& buffer, int to) = 0;
  virtual void receive(std::size_t slot, const Buffer& buffer, int from) = 0;

  // Returns when the message has left the buffer, or is in it; at once if the slot has none.
  virtual void wait(std::size_t slot) = 0;

  // Drives all messages in flight.
  virtual void advance() = 0;
};

// Messages through MPI, on host memory. Collective: every rank calls, between MPI_Init and
// MPI_Finalize.
// - link: present: a message that has arrived lasts longer by the time of a hop and its bytes, one
//   after the other for each sender; a rank that waits is asleep.
// - throws: std::length_error, on sending, for more elements than one MPI call takes.
std::unique_ptr<Messages> make_mpi_messages(std::size_t slot_count,
                                            const std::optional<DeclaredLink>& link = std::nullopt);

}  // namespace scalestudy::comm
