// Reads the environment of this process, and that which another was started with.
#pragma once

#include <string>

namespace scalestudy {

// The value of a variable; "" if it is not set.
std::string environment_variable(const char* name);

// The entries "NAME=value", each followed by a zero byte. While a process begins another program
// (exec), /proc shows no environment for some milliseconds: waits until it does, about 2 s at most.
// "" for zombies, threads of the kernel and processes of other users.
std::string read_environment(int process);

}  // namespace scalestudy
