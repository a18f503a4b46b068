// The scalestudy program.
#include "harness/cli/program.h"

int main(int argc, char** argv) {
  return scalestudy::run_program(argc, argv);
}
