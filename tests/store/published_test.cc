// Published figures: replaced by a changed source, untouched by a known one, and all or nothing.
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "tests/store/filled_store.h"
#include "tests/store/sample_publications.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::test;

namespace {

PublicationRow of_study(PublicationRow publication, std::int64_t study_id) {
  publication.study_id = study_id;
  return publication;
}

std::vector<std::string> printed(const Store& store) {
  std::vector<std::string> texts;
  for (const auto& row : store.query("SELECT printed FROM published").rows) {
    texts.push_back(std::get<std::string>(row.at(0)));
  }
  return texts;
}

using Texts = std::vector<std::string>;
using Effects = std::vector<ImportEffect>;

}  // namespace

TEST_CASE("a publication reads back as it was stored", "[store]") {
  Store store = Store::open_in_memory();
  const std::int64_t study_id = plan_small_study(store).study_id;
  PublicationRow publication = of_study(make_publication("paper", {"1.9x"}), study_id);
  publication.url = "https://example.org";
  PublishedFigureRow& figure = publication.figures.emplace_back();
  figure.column_name = "stated";
  figure.quantity = "step_time";
  figure.printed = "<5 s";
  figure.form = "at_most";
  figure.hi = 5.0;
  figure.unit = "s";
  figure.printed_unit = "s";

  store.put_publications({publication});

  const std::vector<PublicationRow> stored = store.publications(study_id);
  REQUIRE(stored.size() == 1);
  CHECK(stored[0].source == "paper");
  CHECK(stored[0].url == "https://example.org");
  CHECK_FALSE(stored[0].hardware);
  REQUIRE(stored[0].figures.size() == 2);
  CHECK(stored[0].figures[0].value == 1.9);
  CHECK(stored[0].figures[0].conditions == R"({"devices":"2","model":"mlp-258k"})");
  CHECK(stored[0].figures[0].row == 1);
  CHECK(stored[0].figures[1].hi == 5.0);
  CHECK_FALSE(stored[0].figures[1].value);
  CHECK_FALSE(stored[0].figures[1].lo);
  CHECK_FALSE(stored[0].figures[1].row);
}

TEST_CASE("storing the same content again changes nothing, whatever its path", "[store]") {
  Store store = Store::open_in_memory();
  store.put_publications({make_publication("paper", {"1.9x"})});
  const auto before = store.query("SELECT * FROM published_figure").rows;
  PublicationRow moved = make_publication("paper", {"1.9x"});
  moved.source = "elsewhere";

  const Effects effects = store.put_publications({make_publication("paper", {"1.9x"}), moved});

  CHECK(effects == Effects{ImportEffect::kUnchanged, ImportEffect::kUnchanged});
  CHECK(store.query("SELECT * FROM published_figure").rows == before);
}

TEST_CASE("a changed source takes the place of its older figures and of no others", "[store]") {
  Store store = Store::open_in_memory();
  store.put_publications(
      {make_publication("paper", {"1.9x", "2.0x"}), make_publication("other", {"1.1x"})});
  PublicationRow changed = make_publication("paper", {"1.8x"});
  changed.hash = "paper-2";

  const Effects effects = store.put_publications({changed});

  CHECK(effects == Effects{ImportEffect::kReplaced});
  CHECK(printed(store) == Texts{"1.1x", "1.8x"});
  CHECK(store.query("SELECT * FROM publication").rows.size() == 2);
}

TEST_CASE("files of one name in two folders are two sources, a dataset that moved is one",
          "[store]") {
  Store store = Store::open_in_memory();
  const auto put_from = [&](PublicationKind kind, const std::string& path) {
    PublicationRow publication = make_publication("results.json", {"1.9x"});
    publication.kind = kind;
    publication.path = path;
    publication.hash = to_word(kind) + path;
    return store.put_publications({publication}).front();
  };

  CHECK(put_from(PublicationKind::kHyperfine, "/a/results.json") == ImportEffect::kStored);
  CHECK(put_from(PublicationKind::kHyperfine, "/b/results.json") == ImportEffect::kStored);
  CHECK(put_from(PublicationKind::kHyperfine, "/b/results.json") == ImportEffect::kUnchanged);
  CHECK(put_from(PublicationKind::kDataset, "/a") == ImportEffect::kStored);
  CHECK(put_from(PublicationKind::kDataset, "/b") == ImportEffect::kReplaced);
}

TEST_CASE("one source can be shown in the reports of several studies", "[store]") {
  Store store = Store::open_in_memory();
  const std::int64_t first = plan_small_study(store, 1, "first").study_id;
  const std::int64_t second = plan_small_study(store, 1, "second").study_id;
  const PublicationRow publication = make_publication("paper", {"1.9x"});

  const Effects effects = store.put_publications(
      {publication, of_study(publication, first), of_study(publication, second)});

  CHECK(effects == Effects(3, ImportEffect::kStored));
  CHECK(store.publications(first).size() == 1);
  CHECK(store.publications(second).size() == 1);
  CHECK(store.query("SELECT * FROM published WHERE study IS NULL").rows.size() == 1);
}

TEST_CASE("when one publication cannot be stored, none is", "[store]") {
  Store store = Store::open_in_memory();
  store.put_publications({make_publication("paper", {"1.9x"})});
  PublicationRow changed = make_publication("paper", {"1.8x"});
  changed.hash = "paper-2";
  PublicationRow broken = make_publication("broken", {"1.5x"});
  broken.figures[0].lo = 2.0;  // above hi

  CHECK_THROWS_AS(store.put_publications({changed, broken}), Error);

  CHECK(printed(store) == Texts{"1.9x"});
}
