// The list of tags against the view.
#include <set>
#include <string>

#include "harness/report/build_view.h"
#include "harness/report/tags.h"
#include "tests/report/sample_study.h"
#include "tests/support/catch.h"

namespace scalestudy::report {
namespace {

// Paths of all values, those in the first row of a list included; "has_x" of a list x left out.
void collect_paths(const View& view, const std::string& prefix, std::set<std::string>& paths) {
  for (const auto& [name, value] : view.values()) {
    const bool is_flag_of_list = name.starts_with("has_") && view.values().contains(name.substr(4));
    if (!is_flag_of_list) {
      paths.insert(prefix + name);
    }
    const auto* list = std::get_if<View::List>(&value);
    if (list != nullptr && !list->empty()) {
      collect_paths(list->front(), prefix + name + ".", paths);
    }
  }
}

std::set<std::string> documented_paths() {
  std::set<std::string> paths;
  for (const TagInfo& tag : template_tags()) {
    paths.insert(std::string(tag.path));
  }
  paths.erase("query");
  return paths;
}

View sample_view() {
  Store store = Store::open_in_memory();
  return build_view(
      read_input(store, testing::fill_sample(store)),
      {{{"throughput", 0}, {"a.svg"}}, {{"breakdown", 0}, {"b.svg"}}, {{"speedup", 0}, {"c.svg"}}});
}

TEST_CASE("every documented tag has a value and every value is documented", "[report]") {
  std::set<std::string> paths;

  collect_paths(sample_view(), "", paths);

  CHECK(paths == documented_paths());
}

TEST_CASE("each tag is documented once", "[report]") {
  CHECK(documented_paths().size() + 1 == template_tags().size());
}

}  // namespace
}  // namespace scalestudy::report
