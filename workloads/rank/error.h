// The error that stops a workload, with its exit code (workloads/protocol/exit_codes.h).
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "workloads/protocol/events.h"
#include "workloads/protocol/exit_codes.h"

namespace scalestudy::rank {

class WorkloadError : public std::runtime_error {
 public:
  //   message  where, what was found, what is required, what to try.
  //   check    the check that did not pass, for the record; absent if it was no check.
  WorkloadError(int exit_code,
                const std::string& message,
                std::optional<protocol::Check> check = std::nullopt)
      : std::runtime_error(message), exit_code_(exit_code), check_(std::move(check)) {}

  int exit_code() const { return exit_code_; }
  const std::optional<protocol::Check>& check() const { return check_; }

 private:
  int exit_code_;
  std::optional<protocol::Check> check_;
};

// Throws WorkloadError with the call's text and MPI's own words unless `status` is MPI_SUCCESS.
void check_mpi(int status, const char* call);

}  // namespace scalestudy::rank

#define MPI_CHECK(call) ::scalestudy::rank::check_mpi((call), #call)
