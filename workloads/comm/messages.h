// Messages from one rank to another: what stages of a pipeline hand on.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "workloads/comm/comm.h"

namespace scalestudy::comm {

// Main thread only. Messages from a rank arrive in the order in which it sends them, and are taken
// in the order in which they are asked for. A slot is one message in flight; it is free again once
// wait() has returned.
class Messages {
 public:
  Messages() = default;
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;
  virtual ~Messages() = default;

  // Both begin it; the buffer is not to be touched until the slot is free again. A rank that waits
  // for one message also drives all others, so that no order of calls in which each message is sent
  // by somebody who does not wait for it holds ranks up for good.
  virtual void send(std::size_t slot, const Buffer& buffer, int to) = 0;
  virtual void receive(std::size_t slot, const Buffer& buffer, int from) = 0;

  // Returns when the message has left the buffer, or is in it; at once where there is none.
  virtual void wait(std::size_t slot) = 0;

  // Drives what is in flight.
  virtual void advance() = 0;
};

// Through MPI, on host memory. Collective: every rank calls, between MPI_Init and MPI_Finalize.
//   link    present: a message that is found to be here lasts as much longer as a hop and its bytes
//           take, one behind the other of the same sender; a rank that waits is asleep.
//   throws  std::length_error for more elements than one MPI call takes, when they are sent.
std::unique_ptr<Messages> make_mpi_messages(std::size_t slot_count,
                                            const std::optional<DeclaredLink>& link = std::nullopt);

}  // namespace scalestudy::comm
