// What stops a workload, with the exit code it ends in (workloads/protocol/exit_codes.h).
#pragma once

#include <stdexcept>
#include <string>

#include "workloads/protocol/exit_codes.h"

namespace scalestudy::rank {

class WorkloadError : public std::runtime_error {
 public:
  //   message   where, what was found, what is required, what to try.
  //   is_alike  every rank meets the same: rank 0 speaks for all.
  WorkloadError(int exit_code, const std::string& message, bool is_alike)
      : std::runtime_error(message), exit_code_(exit_code), is_alike_(is_alike) {}

  // What was asked for wrongly, or what the machine lacks, strikes every rank alike.
  WorkloadError(int exit_code, const std::string& message)
      : WorkloadError(
            exit_code,
            message,
            exit_code == protocol::kExitUsage || exit_code == protocol::kExitUnsupported) {}

  int exit_code() const { return exit_code_; }
  bool is_alike() const { return is_alike_; }

 private:
  int exit_code_;
  bool is_alike_;
};

// Throws WorkloadError with the call's text and MPI's own words unless `status` is MPI_SUCCESS.
void check_mpi(int status, const char* call);

}  // namespace scalestudy::rank

#define MPI_CHECK(call) ::scalestudy::rank::check_mpi((call), #call)
