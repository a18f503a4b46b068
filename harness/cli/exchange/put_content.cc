#include "harness/cli/exchange/put_content.h"

#include <map>
#include <string>

#include <fmt/format.h>

#include "harness/analysis/analyse.h"
#include "harness/study/declared/study.h"
#include "harness/study/parse.h"
#include "harness/text/number.h"

namespace scalestudy {

void put_content(Store& store, const StoreContent& content) {
  std::map<std::string, Study> studies;  // read before anything is replaced
  for (const StudyContent& of_study : content.studies) {
    const StudyRow& row = of_study.study;
    studies.emplace(row.name, parse_stored_study(row.source_text, row.source_path));
  }
  store.replace_content(content);
  for (const StudyRow& row : store.studies()) {
    store.replace_results(row.id, analyse(store, row.id, studies.at(row.name)));
  }
}

void warn_of_restored(std::int64_t count, const std::string& source, Terminal& terminal) {
  if (count > 0) {
    terminal.warn(
        fmt::format("{} that `prune` had removed came back from {}; results count them "
                    "again. Prune again if you do not want them",
                    format_count(count, "trial"),
                    source));
  }
}

}  // namespace scalestudy
