// The whole program: reads the options, runs the verb, returns the exit code.
#pragma once

namespace scalestudy {

// Never throws: errors are printed to stderr and become exit codes.
int run_program(int argc, const char* const* argv);

}  // namespace scalestudy
