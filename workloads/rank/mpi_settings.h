// What MPI made of the variables that were to set it up; and those of NCCL where nobody uses it.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace scalestudy::rank {

enum class SettingState {
  kApplied,     // MPI holds the value, and it counts
  kOverridden,  // MPI holds another value, or does not go by it
  kNotSeen,     // MPI knows no such variable: misspelt, or of a component that it has not loaded
};

struct Setting {
  SettingState state = SettingState::kNotSeen;
  std::string found;  // "applied: 4 (ring)"; of others why not
};

// What ranks exchange the data of a step by.
enum class Calls {
  kBlocking,     // MPI_Allreduce and the like
  kNonBlocking,  // MPI_Iallreduce and the like, for which Open MPI has algorithms of their own
  kMessages,     // from one rank to one
};

// Of every OMPI_MCA_... variable in this process's environment about collectives and transports
// (coll, pml, btl, mpi), asked of MPI through its tool interface: by variable. What Open MPI then
// does with a message is its own; a forced algorithm may still hand over to another one where it
// cannot be, as a ring for fewer elements than ranks. One that is about other calls is overridden.
// Between MPI_Init and MPI_Finalize.
std::map<std::string, Setting> mpi_settings(Calls calls);

// Every NCCL_... variable in this process's environment that is to set communication up (those of
// NCCL's log are not), as not seen: of ranks that do not communicate by NCCL.
std::map<std::string, Setting> settings_without_nccl();

// Every variable that mpi_settings() would ask for, as not seen: of ranks that communicate by NCCL.
std::map<std::string, Setting> settings_without_mpi();

// The same for the start event of a record. Facts: "setting.OMPI_MCA_..." is 1 for applied, 0 for
// overridden, -1 for not seen; versions: what was found.
void add_settings(const std::map<std::string, Setting>& settings,
                  std::map<std::string, double>& facts,
                  std::map<std::string, std::string>& versions);

// Whether `found`, as MPI prints the value of a variable, is what `asked` says. Numbers and yes or
// no may be written in several ways; `name` is the word of an enumerated value, or empty.
bool is_same_setting(std::string_view asked, std::string_view found, std::string_view name);

}  // namespace scalestudy::rank
