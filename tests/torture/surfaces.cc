#include "tests/torture/surfaces.h"

#include <algorithm>
#include <iterator>

namespace scalestudy::test {
namespace {

namespace fs = std::filesystem;

std::size_t below(std::mt19937& random, std::size_t end) {
  return random() % end;
}

// The text with up to four places changed: bytes, numbers, parts left out or repeated.
std::string damaged(std::string text, std::mt19937& random) {
  for (std::size_t changes = 1 + below(random, 4); changes > 0; --changes) {
    const std::size_t at = below(random, text.size() + 1);
    switch (below(random, 4)) {
      case 0:
        text.insert(at, 1, static_cast<char>(below(random, 256)));
        break;
      case 1:
        text.erase(at, below(random, 80));
        break;
      case 2:
        text.insert(at, text.substr(below(random, text.size() + 1), below(random, 80)));
        break;
      default:
        text.replace(at,
                     std::min<std::size_t>(text.size() - at, below(random, 3)),
                     std::to_string(random()));
    }
  }
  return text;
}

void damage_file(const fs::path& file, std::mt19937& random) {
  write_file(file, damaged(read_file(file), random));
}

// Some regular file below the folder; "" if there is none.
fs::path some_file(const fs::path& folder, std::mt19937& random) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), none; !error && entry != none;
       entry.increment(error)) {
    if (entry->is_regular_file()) {
      files.push_back(entry->path());
    }
  }
  std::ranges::sort(files);
  return files.empty() ? fs::path() : files[below(random, files.size())];
}

// The exit code of `scalestudy --results FOLDER WORDS`. It may refuse (2) if it says why, and must
// end by itself.
int call(const TorturedStudy& study,
         const std::string& results,
         std::vector<std::string> words,
         Counts& counts,
         const std::vector<std::string>& environment = {}) {
  words.insert(words.begin(), {SCALESTUDY_TEST_BIN "/scalestudy", "--results", results});
  const int ending = end_of(
      start_program(words, environment, "/dev/null", study.path("out"), study.err()), counts);
  const std::string said = read_file(study.err());
  const bool is_answer = ending == 0 || ending == 3 || (ending == 2 && !said.empty());
  if (!is_answer) {
    std::string text;
    for (const std::string& word : words) {
      text += word + " ";
    }
    std::printf("%sexits with %d:\n%s\n", text.c_str(), ending, said.c_str());
    ++counts.unanswered;
  }
  return ending;
}

void expect(bool holds, const char* what, Counts& counts) {
  if (!holds) {
    std::printf("%s\n", what);
    ++counts.unanswered;
  }
}

// A store as another left it: damaged, of another program, or none. It is read, and merged into a
// copy of this one, which stays as it was if that is refused.
std::string foreign_store(TorturedStudy& study, std::mt19937& random, Counts& counts) {
  expect_end(study, study.start("run"), counts);
  const std::string own = study.path("own");
  const std::string foreign = study.path("foreign");
  for (const std::string& folder : {own, foreign}) {
    fs::remove_all(folder);
    call(study, folder, {"merge", study.results()}, counts);
  }
  const fs::path file = fs::path(foreign) / "results.db";
  switch (below(random, 4)) {
    case 0:
      write_file(file, damaged("no database", random));
      break;
    case 1:
      fs::resize_file(file, below(random, fs::file_size(file)));
      break;
    default:
      damage_file(file, random);
  }
  for (const std::vector<std::string>& words : {std::vector<std::string>{"list"},
                                                {"status"},
                                                {"query", "trials"},
                                                {"report", "tortured"}}) {
    call(study, foreign, words, counts);
  }
  const auto exported = [&](const std::string& folder) {
    call(study, own, {"export", "tortured", study.path(folder)}, counts);
    return read_file(study.path(folder) + "/tortured/trials.jsonl") +
           read_file(study.path(folder) + "/tortured/series.jsonl");
  };
  const std::string before = exported("before");
  if (call(study, own, {"merge", foreign}, counts) != 0) {
    expect(exported("after") == before, "a merge that is refused changed the store", counts);
  }
  expect(call(study, own, {"report", "tortured"}, counts) == 0,
         "a store cannot be reported after a merge",
         counts);
  return "foreign store";
}

// One file of an export is damaged, cut or gone; what can be imported lacks nothing and can be
// reported.
std::string foreign_export(TorturedStudy& study, std::mt19937& random, Counts& counts) {
  expect_end(study, study.start("run"), counts);
  const std::string folder = study.path("export");
  const std::string fresh = study.path("fresh");
  fs::remove_all(fresh);
  call(study, study.results(), {"export", "tortured", folder}, counts);
  const fs::path file = some_file(folder, random);
  if (file.empty()) {
    return "damaged export";
  }
  const std::size_t size = fs::file_size(file);
  std::size_t left = size;
  switch (below(random, 8)) {
    case 0:
      left = 0;
      fs::remove(file);
      break;
    case 1:
    case 2:
      left = below(random, size);
      fs::resize_file(file, left);
      break;
    default:
      damage_file(file, random);
  }
  if (call(study, fresh, {"import", folder}, counts) == 0) {
    // export.json reads the same without its final newline.
    const std::size_t needed = size - (file.filename() == "export.json" ? 1 : 0);
    expect(left >= needed, "an export that lost a part was imported", counts);
    call(study, fresh, {"report", "tortured"}, counts);
  }
  fs::remove_all(folder);
  return "damaged export";
}

// Publishing is killed, or a file of the site is damaged: publishing again makes the site whole.
std::string site(TorturedStudy& study, std::mt19937& random, Counts& counts) {
  expect_end(study, study.start("run"), counts);
  const std::string folder = study.path("site");
  const std::vector<std::string> publish = {
      SCALESTUDY_TEST_BIN "/scalestudy", "--results", study.results(), "publish", folder};
  const pid_t first = start_program(publish, {}, "/dev/null", study.path("out"), study.err());
  if (below(random, 2) == 0) {
    pause_ms(static_cast<unsigned>(below(random, 300)));
    send(first, SIGKILL);
  }
  end_of(first, counts);
  if (const fs::path file = some_file(folder, random); !file.empty() && below(random, 2) == 0) {
    damage_file(file, random);
  }
  const int again = call(study, study.results(), {"publish", folder}, counts);
  expect(again == 0 || again == 2, "a site cannot be published again", counts);
  if (again == 0) {
    expect(call(study, study.results(), {"publish", "--check", folder}, counts) == 0,
           "a site that was published again is not that of the store",
           counts);
  }
  return "damaged site";
}

std::string template_of_user(TorturedStudy& study, std::mt19937& random, Counts& counts) {
  expect_end(study, study.start("run"), counts);
  const std::string file = study.path("template.md");
  write_file(file,
             damaged(read_file(some_file(SCALESTUDY_SOURCE_DIR "/templates", random)), random));
  call(study,
       study.results(),
       {"report", "tortured", "--template", file, "--output", study.path("own-report"), "--force"},
       counts);
  return "damaged template";
}

std::string profile(TorturedStudy& study, std::mt19937& random, Counts& counts) {
  const std::string file = study.path("machines.yaml");
  write_file(file,
             damaged("default: here\nmachines:\n  here: {cores_per_node: 2, gpus_per_node: 0, "
                     "launcher: mpirun, account: a, partition: p, time_limit: 10min, "
                     "sbatch: [--exclusive], setup: ['module load mpi']}\n",
                     random));
  call(study, study.results(), {"run", study.file(), "--machine", file}, counts);
  call(
      study, study.path("batch"), {"submit", study.file(), "--dry-run", "--machine", file}, counts);
  return "damaged profile";
}

// sbatch and squeue print what they should not, and the job has such nodes.
std::string slurm_words(TorturedStudy& study, std::mt19937& random, Counts& counts) {
  const std::string results = study.path("batch");
  const std::string said = study.path("said");
  fs::create_directories(study.path("bin"));
  for (const char* name : {"bin/sbatch", "bin/squeue"}) {
    study.script(name, "cat '" + said + "'\nexit " + std::to_string(below(random, 4) / 3) + "\n");
  }
  const std::vector<std::string> path = {"PATH=" + study.path("bin") + ":" + test::search_path()};
  write_file(said, damaged("4711;cluster\n", random));
  call(study, results, {"submit", study.file()}, counts, path);
  write_file(said, damaged("1|RUNNING|n[0-1]|None\n2|PENDING||Priority\nN/A\n", random));
  call(study, results, {"status", "tortured"}, counts, path);
  call(study, results, {"submit", study.file(), "--gather"}, counts, path);
  std::string nodes = damaged("n[0-1,03],gpu7", random);
  std::erase(nodes, '\0');
  call(study,
       study.results(),
       {"run", study.file()},
       counts,
       {"SLURM_JOB_ID=1", "SLURM_JOB_NODELIST=" + nodes});
  return "Slurm's words";
}

// The hook of the run's end does what none should; the run ends as it would without it.
std::string hook(TorturedStudy& study, std::mt19937& random, Counts& counts) {
  static const std::vector<std::string> kHooks = {
      "exit 7",
      "kill -KILL $PPID",
      "kill -KILL $$",
      "yes",
      "head -c 3000000 /dev/urandom",
      "sleep 600 &",
      "setsid sleep 600 > /dev/null 2>&1 &",
      "exec <&- >&- 2>&-",
      "rm -f \"$0\"",
      "rm -rf \"$SCALESTUDY_RESULTS\"/logs",
  };
  study.script(
      "hook",
      "export TORTURED=" + study.mark() + "\n" + kHooks[below(random, kHooks.size())] + "\n");
  expect_end(study, study.start("run"), counts);
  study.script("hook", "exit 0\n");
  return "hook";
}

}  // namespace

const std::vector<Surface>& surfaces() {
  static const std::vector<Surface> kSurfaces = {
      foreign_store, foreign_export, site, template_of_user, profile, slurm_words, hook};
  return kSurfaces;
}

}  // namespace scalestudy::test
