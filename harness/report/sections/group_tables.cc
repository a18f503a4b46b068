#include "harness/report/sections/group_tables.h"

#include <utility>

#include "harness/report/sections/alt_text.h"

namespace scalestudy::report {

const ReportInput& empty_input() {
  static const ReportInput kEmpty;
  return kEmpty;
}

View::List group_tables(const ReportInput& input,
                        const FigurePaths& figures,
                        const std::string& figure_kind,
                        const std::function<View::List(const Group&)>& table) {
  View::List tables;
  const std::vector<Group> groups = group_cells(input);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (View& view : table(groups[i])) {
      view.set_text("label", groups[i].label);
      View::List paths;
      if (const auto found = figures.find({figure_kind, i}); found != figures.end()) {
        for (const std::string& path : found->second) {
          paths.emplace_back();
          paths.back().set_text("path", path);
          paths.back().set_text("alt", alt_text(input, figure_kind, groups[i], path));
        }
      }
      if (!figure_kind.empty()) {
        view.set_list("figures", std::move(paths));
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
      {name + ".label", TagKind::kText, "model=mlp-4096; absent where there is one group"});
  if (!figures.empty()) {
    tags.push_back({name + ".figures", TagKind::kList, figures});
    tags.push_back({name + ".figures.path", TagKind::kText, "path"});
    tags.push_back({name + ".figures.alt", TagKind::kText, "what it shows, in words"});
  }
  return tags;
}

}  // namespace scalestudy::report
