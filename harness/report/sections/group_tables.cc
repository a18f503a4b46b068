#include "harness/report/sections/group_tables.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "harness/report/input/cell_names.h"

namespace scalestudy::report {
namespace {

void add_row(View::List& rows, const Figure& figure) {
  rows.emplace_back();
  rows.back().set_text("path", figure.path);
  rows.back().set_text("alt", figure.alt);
}

}  // namespace

const ReportInput& empty_input() {
  static const ReportInput kEmpty;
  return kEmpty;
}

const Figure* first_figure_of(const Figures& figures) {
  for (const char* kind : {"speedup", "message", "throughput"}) {
    const auto found = figures.find({kind, 0});
    if (found != figures.end() && !found->second.empty()) {
      return &found->second.front();
    }
  }
  return nullptr;
}

View::List first_figure_list(const Figures& figures) {
  const Figure* first = first_figure_of(figures);
  if (first == nullptr) {
    return {};
  }
  View::List rows;
  add_row(rows, *first);
  const std::string numbered = first->path.substr(0, first->path.rfind(".svg")) + "_";
  const auto is_other = [&](const Figure& figure) { return figure.path.starts_with(numbered); };
  std::ptrdiff_t others = 0;
  for (const auto& [place, made] : figures) {
    others += std::ranges::count_if(made, is_other);
  }
  // The second figure of messages shows another measure, and is not one of several alike.
  const bool is_first_of_several = others > 0 && !first->path.starts_with("figures/message");
  const bool is_speedup = first->path.starts_with("figures/speedup");
  rows.back().set_text("count", is_first_of_several ? std::to_string(others + 1) : "");
  rows.back().set_text("section", is_speedup ? "Speedup and efficiency" : "Results");
  rows.back().set_text("anchor", is_speedup ? "speedup-and-efficiency" : "results");
  return rows;
}

View::List figure_list(const Figures& figures, const std::string& kind) {
  View::List rows;
  for (const auto& [place, made] : figures) {
    for (const Figure& figure : made) {
      if (place.first == kind) {
        add_row(rows, figure);
      }
    }
  }
  return rows;
}

View::List group_tables(const ReportInput& input,
                        const Figures& figures,
                        const std::string& figure_kind,
                        const std::function<View::List(const Group&)>& table) {
  View::List tables;
  const Figure* first = first_figure_of(figures);
  const std::vector<Group> groups = group_cells(input);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (View& view : table(groups[i])) {
      view.set_text("label", groups[i].label);
      view.set_text("heading", begin_line(input, groups[i].label));
      View::List rows;
      View::List further;
      if (const auto found = figures.find({figure_kind, i}); found != figures.end()) {
        for (const Figure& figure : found->second) {
          add_row(rows, figure);
          if (&figure != first) {
            add_row(further, figure);
          }
        }
      }
      if (!figure_kind.empty()) {
        view.set_list("figures", std::move(rows));
        view.set_list("further_figures", std::move(further));
      }
      tables.push_back(std::move(view));
    }
  }
  return tables;
}

Tags group_table_tags(const std::string& name,
                      const std::string& meaning,
                      const std::vector<ColumnHead>& heads,
                      const std::string& figures) {
  Tags tags = table_tags(name, meaning, heads);
  tags.push_back(
      {name + ".label", TagKind::kText, "model mlp-4096; absent where there is one group"});
  tags.push_back({name + ".heading", TagKind::kText, "the same with a capital"});
  if (!figures.empty()) {
    for (const auto& [list, shows] :
         {std::pair(name + ".figures", figures),
          std::pair(name + ".further_figures", std::string("those but the one of the answer"))}) {
      tags.push_back({list, TagKind::kList, shows});
      tags.push_back({list + ".path", TagKind::kText, "path"});
      tags.push_back({list + ".alt", TagKind::kText, "what it shows, in words"});
    }
  }
  return tags;
}

}  // namespace scalestudy::report
