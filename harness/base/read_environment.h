// With what environment a process was started.
#pragma once

#include <string>

namespace scalestudy {

// "NAME=value" and a zero each. While a process begins another program (exec), /proc shows no
// environment for some milliseconds: waits until it does, about 2 s at most. "" for zombies,
// threads of the kernel and processes of other users.
std::string read_environment(int process);

}  // namespace scalestudy
