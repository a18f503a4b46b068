// A database that was damaged: each four bytes of the input are a place in the file and what stands
// there; the first three are how much of its end is missing.
#include "tests/fuzz/fuzz.h"
#include "tests/store/sample_results.h"

namespace {

using namespace scalestudy;

std::string whole_database() {
  const std::filesystem::path folder = test::scratch() / "whole";
  {
    Store store = Store::open(folder);
    const test::Planned planned = test::plan_small_study(store);
    test::finish_all(store, planned);
    store.replace_results(planned.study_id, test::sample_results(planned));
  }
  std::ifstream file(folder / "results.db", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t place(const std::string& input, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return std::size_t{static_cast<unsigned char>(input[at + i])};
  };
  return byte(0) << 16U | byte(1) << 8U | byte(2);
}

// Everything that reads a store: the tables, the views, and what a report is made of.
void read_all(const Store& store) {
  for (const StudyRow& study : store.studies()) {
    test::answers([&] { (void)store.cells(study.id); });
    test::answers([&] { (void)store.sessions(study.id); });
    test::answers([&] { (void)store.results(study.id); });
    test::answers([&] { (void)store.publications(study.id); });
    test::answers([&] { (void)store.step_times(study.id); });
    test::answers([&] { (void)store.telemetry(study.id); });
    test::answers([&] {
      for (const TrialRow& trial : store.trials(study.id)) {
        test::answers([&] { (void)store.series(trial.id); });
      }
    });
  }
  for (const char* view : {"trials", "results", "speedups", "samples", "accounting", "evidence"}) {
    test::answers([&] { (void)store.query(std::string("SELECT * FROM ") + view, {}, 2.0); });
  }
}

}  // namespace

void scalestudy::test::fuzz(const std::string& input) {
  static const std::string kWhole = whole_database();
  std::string text = kWhole;
  for (std::size_t at = 3; at + 4 <= input.size(); at += 4) {
    text[place(input, at) % text.size()] = input[at + 3];
  }
  if (input.size() >= 3) {
    text.resize(text.size() - place(input, 0) % text.size());
  }
  const std::filesystem::path folder = scratch() / "damaged";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  write_scratch("damaged/results.db", text);
  answers([&] { read_all(Store::open_read_only(folder)); });
  answers([&] { (void)Store::open(folder); });
}
