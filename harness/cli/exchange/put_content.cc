#include "harness/cli/exchange/put_content.h"

#include <map>
#include <string>

#include "harness/analysis/analyse.h"
#include "harness/study/declared/study.h"
#include "harness/study/parse.h"

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

}  // namespace scalestudy
