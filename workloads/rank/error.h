// What stops a workload, with the exit code it ends in (workloads/protocol/exit_codes.h).
#pragma once

#include <stdexcept>
#include <string>

namespace scalestudy::rank {

class WorkloadError : public std::runtime_error {
 public:
  // message: where, what was found, what is required, what to try.
  WorkloadError(int exit_code, const std::string& message)
      : std::runtime_error(message), exit_code_(exit_code) {}

  int exit_code() const { return exit_code_; }

 private:
  int exit_code_;
};

// Throws WorkloadError with the call's text and MPI's own words unless `status` is MPI_SUCCESS.
void check_mpi(int status, const char* call);

}  // namespace scalestudy::rank

#define MPI_CHECK(call) ::scalestudy::rank::check_mpi((call), #call)
