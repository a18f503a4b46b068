// Words of command lines, of Slurm and of hostfiles: each line of the input as each of them.
#include <sstream>

#include "harness/cli/results/side_argument.h"
#include "harness/host/proc_text.h"
#include "harness/import/assumptions.h"
#include "harness/run/world/nodes.h"
#include "harness/submit/queue.h"
#include "harness/text/json.h"
#include "harness/text/quantity.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace scalestudy;
using test::require;

void read_selector(const std::string& line) {
  const SideArgument side = parse_side(line);
  require(side.folder.size() + side.study.size() + side.sessions.value_or("").size() <= line.size(),
          "a selector is divided");
  if (const auto ids = parse_ids(line)) {
    require(!ids->empty() && *ids->begin() > 0, "sessions have numbers from 1 on");
  }
}

void read_assumption(const std::string& line) {
  PublicationRow publication;
  publication.figures.resize(2);
  publication.figures[1].table_name = "memory";
  const std::vector<Assumption> assumptions = parse_assumptions({line});
  require(!assumptions.empty(), "an assumption that is accepted is one");
  (void)assume(assumptions, publication);
  for (const PublishedFigureRow& figure : publication.figures) {
    require(JsonText::parse(figure.assumed).has_value(), "what is assumed is stored as JSON");
  }
}

void read_nodes(const std::string& line) {
  if (const auto nodes = expand_node_list(line)) {
    require(nodes->size() <= 65536, "a list of nodes has an end");
  }
  (void)has_follow_up(line);
  (void)parse_cpu_list(line);
  (void)parse_process(line, 100.0);
  (void)parse_cpu_max(line);
}

void read_quantities(const std::string& line) {
  for (const auto parse : {parse_duration_s, parse_percent, parse_bytes, parse_bit_rate}) {
    const Quantity quantity = parse(line);
    require(quantity.value.has_value() == quantity.problem.empty(), "a quantity or its problem");
  }
  const auto number = parse_number(line);
  if (number) {
    (void)whole_number(*number);
  }
  (void)parse_integer(line);
}

}  // namespace

void scalestudy::test::fuzz(const std::string& input) {
  (void)read_queue(input);
  for (const std::string& host : read_hostfile(input)) {
    require(!host.empty(), "a host has a name");
  }
  std::istringstream lines(input);
  for (std::string line; std::getline(lines, line);) {
    read_selector(line);
    answers([&] { read_assumption(line); });
    read_nodes(line);
    read_quantities(line);
  }
}
