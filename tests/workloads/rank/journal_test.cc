#include "workloads/rank/journal.h"

#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "workloads/protocol/reader.h"

using namespace scalestudy;

TEST_CASE("a run shows every ten seconds that it is alive, however short its steps are",
          "[workloads]") {
  const test::TemporaryFolder folder;
  protocol::Writer writer(folder.file("protocol.jsonl"));
  rank::Journal journal(&writer);
  const auto count = [&folder] {
    return protocol::read_record(folder.file("protocol.jsonl")).events.size();
  };
  journal.write(protocol::Phase{"measure"});
  const double start_s = rank::now_s();

  for (int step = 0; step < 9000; ++step) {
    journal.beat("measure", start_s + step * 0.001);
  }
  CHECK(count() == 1);
  for (int step = 9000; step < 35'000; ++step) {  // past 10, 20 and 30 s
    journal.beat("measure", start_s + step * 0.001);
  }
  CHECK(count() == 4);
}

TEST_CASE("ranks without a writer keep silent", "[workloads]") {
  rank::Journal journal(nullptr);

  CHECK_NOTHROW(journal.beat("measure", rank::now_s() + 100.0));
}
