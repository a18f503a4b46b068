// Checks whether environment variables that configure MPI took effect; those of NCCL too, for ranks
// that do not use NCCL.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace scalestudy::rank {

enum class SettingState {
  kApplied,     // MPI holds the value, and it counts
  kOverridden,  // MPI holds another value, or does not follow this one
  kNotSeen,     // MPI knows no such variable: misspelt, or of a component that it has not loaded
};

struct Setting {
  SettingState state = SettingState::kNotSeen;
  std::string found;  // "applied: 4 (ring)"; for other states the reason
};

// The calls of MPI by which ranks exchange the data of a step.
enum class Calls {
  kBlocking,     // MPI_Allreduce and the like
  kNonBlocking,  // MPI_Iallreduce and the like, for which Open MPI has algorithms of their own
  kMessages,     // from one rank to one
};

// The setting of every OMPI_MCA_... variable in this process's environment about collectives and
// transports (coll, pml, btl, mpi), by variable, as MPI's tool interface tells. A variable about
// other calls than `calls`, or about an operation that ranks do not time, is overridden. Open MPI
// may still treat a message otherwise: a forced algorithm hands over to another one where it is
// impossible, such as a ring for fewer elements than ranks. Call between MPI_Init and MPI_Finalize.
// - operations: those timed, as in the names of Open MPI's variables: "allreduce",
//   "reduce_scatter_block".
std::map<std::string, Setting> mpi_settings(Calls calls, const std::set<std::string>& operations);

// Every NCCL_... variable in this process's environment that configures communication (not those of
// NCCL's log), as not seen: for ranks that do not use NCCL.
std::map<std::string, Setting> settings_without_nccl();

// Every variable that mpi_settings() would ask for, as not seen: for ranks that communicate by
// something else.
// - means: "NCCL", "shared memory"
std::map<std::string, Setting> settings_without_mpi(const std::string& means);

// Adds settings to a start event. Facts: "setting.OMPI_MCA_..." is 1 for applied, 0 for overridden,
// -1 for not seen; versions: what was found.
void add_settings(const std::map<std::string, Setting>& settings,
                  std::map<std::string, double>& facts,
                  std::map<std::string, std::string>& versions);

// Whether `found`, the value of a variable as MPI prints it, means the same as `asked`. Numbers and
// yes or no may be written in several ways; `name` is the word of an enumerated value, or empty.
bool is_same_setting(std::string_view asked, std::string_view found, std::string_view name);

}  // namespace scalestudy::rank
