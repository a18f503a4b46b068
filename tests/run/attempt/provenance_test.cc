// What a session tells of a user's programs.
#include "harness/run/attempt/provenance.h"

#include <array>
#include <chrono>
#include <filesystem>

#include <sys/inotify.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/run/attempt/named_programs.h"
#include "tests/run/study_room.h"

using namespace scalestudy;
using test::parse;
using test::Room;
using test::TrialFolder;

namespace {

using Facts = std::map<std::string, std::string>;

Facts by_name(const std::vector<EnvironmentRow>& rows) {
  Facts facts;
  for (const EnvironmentRow& row : rows) {
    facts[row.name] = row.value;
  }
  return facts;
}

// A study whose script lies in `folder`.
std::string script_study(const TrialFolder& folder, const std::string& body) {
  folder.script("train.sh", body);
  return "version: 1\nstudy: fake\nworkload: command\ncommand: [sh, train.sh, data.bin]\ncwd: " +
         folder.path().string() + "\nsteps: {warmup: 1, measured: 2}\ntrials: {count: 2}\n";
}

Facts session_facts(Room& room) {
  const auto sessions = room.store.sessions(room.store.find_study("fake")->id);
  return by_name(room.store.environment(sessions.back().id));
}

}  // namespace

TEST_CASE("programs and scripts are hashed, data is not", "[run]") {
  const TrialFolder folder;
  folder.script("train.sh", "exit 0\n");
  folder.script("data.bin", "exit 0\n");
  LaunchCommand command;
  command.argv = {"sh", "train.sh", "data.bin", "missing.py"};
  command.working_folder = folder.path().string();

  const Facts first = by_name(program_facts({{"a", command}}));
  folder.script("train.sh", "exit 1\n");
  const Facts second = by_name(program_facts({{"a", command}}));

  CHECK(first.contains("file.sh"));
  CHECK(first.at("file.sh") == second.at("file.sh"));
  CHECK(first.at("file.train.sh") != second.at("file.train.sh"));
  CHECK_FALSE(first.contains("file.data.bin"));
  CHECK_FALSE(first.contains("file.missing.py"));
}

TEST_CASE("files that a line of shell or a launcher starts are named", "[run]") {
  const TrialFolder folder;
  for (const char* name : {"run",
                           "train.py",
                           "later.py",
                           "a.yaml",
                           "ds_config.json",
                           "a.json",
                           "out.js",
                           "result.yaml",
                           "layout.yaml"}) {
    folder.script(name, "");
  }
  const auto named = [&](std::vector<std::string> argv, bool has_setup = false) {
    LaunchCommand command;
    command.argv = std::move(argv);
    command.working_folder = folder.path().string();
    command.setup = has_setup ? std::vector<std::string>{"true"} : std::vector<std::string>{};
    std::vector<std::string> names = named_programs(command);
    std::erase(names, command.argv.front());
    return names;
  };
  using Names = std::vector<std::string>;

  CHECK(named({"sh", "-c", "GPUS=2 python3 'train.py' --x -o later.py"}) == Names{"train.py"});
  CHECK(named({"sh", "-c", "make; ./run; python3 train.py>>out.js"}) == Names{"train.py"});
  CHECK(named({"sh", "-c", "C=a.yaml ./run 2>&1 | tee out"}) == Names{"a.yaml", "./run"});
  CHECK(named({"sh", "-c", "cc -o ./run && ./run"}).empty());  // makes it
  CHECK(named({"sh", "-c", "sort > out.js"}).empty());
  CHECK(named({"mpirun", "-n", "2", "./run", "--config=a.yaml"}) == Names{"a.yaml", "./run"});
  CHECK(named({"mpirun", "./run", "--config=a.yaml"}, true) == Names{"./run"});
  CHECK(named({"cc", "-o", "./run"}).empty());
  CHECK(named({"train", "--output", "a.yaml"}).empty());
  CHECK(named({"train", "--out_file=a.yaml", "-o", "a.yaml"}).empty());
  CHECK(named({"train", "--save-config", "a.yaml"}).empty());
  CHECK(named({"bench", "result.yaml"}).empty());
  CHECK(named({"bench", "--rollout", "layout.yaml"}) == Names{"layout.yaml"});
  CHECK(named({"ds", "a.json", "ds_config.json"}) == Names{"ds_config.json"});
}

TEST_CASE("files that a line of shell makes are not named, those after cd are", "[run]") {
  const TrialFolder folder;
  std::filesystem::create_directory(folder.path() / "sub");
  for (const char* name : {"a.yaml", "b.yaml", "train.py", "sub/train.py", "sub/run"}) {
    folder.script(name, "");
  }
  using Names = std::vector<std::string>;
  const auto named = [&](const std::string& text) {
    LaunchCommand command;
    command.argv = {"sh", "-c", text};
    command.working_folder = folder.path().string();
    const Names names = named_programs(command);
    return Names(names.begin() + 1, names.end());
  };

  CHECK(named("sed s/N/8/ a.yaml > b.yaml && python3 train.py b.yaml") ==
        Names{"a.yaml", "train.py"});
  CHECK(named("cp a.yaml b.yaml; python3 train.py --config=b.yaml") == Names{"a.yaml", "train.py"});
  CHECK(named("make-config && python3 train.py b.yaml") == Names{"train.py"});
  CHECK(named("cat > train.py <<E\nprint(1)\nE\npython3 train.py").empty());
  CHECK(named("cd sub && ./run") == Names{"sub/./run"});
  CHECK(named("set -e; cd sub; export A=1; python3 train.py") == Names{"sub/train.py"});
  CHECK(named("sh -c \"cd sub && ./run\"") == Names{"sub/./run"});
  CHECK(named("cd elsewhere && python3 train.py").empty());
  CHECK(named("(cd sub && make) && python3 train.py") == Names{"train.py"});
  CHECK(named("cd sub; make; cd -; python3 train.py") == Names{"train.py"});
  CHECK(named("python3 train.py; cd sub; python3 train.py") == Names{"train.py", "sub/train.py"});
  CHECK(named("python3 train.py --solver cd --steps 9") == Names{"train.py"});
  CHECK(named("if cd -P sub; then python3 train.py; fi") == Names{"sub/train.py"});
  CHECK(named("cat > ./train.py; python3 train.py").empty());
  CHECK(named("mpirun -n 2 \\\n  sub/run \\\n  --config a.yaml") == Names{"a.yaml", "sub/run"});
}

TEST_CASE("a program of many cells is looked up and hashed once", "[run]") {
  const TrialFolder folder;
  folder.script("train.sh", "exit 0\n");
  LaunchCommand command;
  command.argv = {"sh", "train.sh"};
  command.working_folder = folder.path().string();
  std::map<std::string, LaunchCommand> commands;
  for (const char* cell : {"a", "b", "c", "d"}) {
    commands.emplace(cell, command);
  }
  const int opened = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  REQUIRE(inotify_add_watch(opened, (folder.path() / "train.sh").c_str(), IN_OPEN) >= 0);

  const Facts facts = by_name(program_facts(commands));

  CHECK(facts.contains("file.train.sh"));
  std::array<char, 4096> events{};
  CHECK(read(opened, events.data(), events.size()) ==
        sizeof(inotify_event));  // one, without a name
  close(opened);
}

TEST_CASE("the state of git around a script is told", "[run]") {
  LaunchCommand command;
  command.argv = {"sh", SCALESTUDY_SOURCE_DIR "/docs/examples/own-program/checksum.sh"};

  const Facts facts = by_name(program_facts({{"a", command}}));

  // 40 hexadecimal digits, where the tests run in a checkout.
  if (facts.contains("program_git")) {
    CHECK(facts.at("program_git").find_first_not_of("0123456789abcdef") >= 40);
  }
}

TEST_CASE("an edited script between two sessions is a change of the study", "[run]") {
  const TrialFolder folder;
  Room room(test::goes_well);
  const Study study = parse(script_study(folder, "exit 0\n"));
  room.run(study, {.max_trials = 1});
  folder.script("train.sh", "sleep 1\n");

  CHECK_THROWS_WITH(room.run(study),
                    Catch::Contains("train.sh is not the file that the last session ran"));
  const RunSummary accepted = room.run(study, {.accept_changes = true});

  CHECK(test::count(accepted, TrialState::kOk) == 2);
}

TEST_CASE("a watch names the programs of a command that have another content", "[run]") {
  const TrialFolder folder;
  folder.script("train.sh", "exit 0\n");
  folder.script("other.sh", "exit 0\n");
  LaunchCommand command;
  command.argv = {"sh", "train.sh", "missing.py"};
  command.working_folder = folder.path().string();
  LaunchCommand other = command;
  other.argv.at(1) = "other.sh";
  ProgramWatch watch({{"a", command}, {"b", other}});
  auto write = [&, hours = 0](const std::string& text) mutable {
    folder.script("train.sh", text);  // at a time of its own, however coarse the clock of files is
    std::filesystem::last_write_time(
        folder.path() / "train.sh",
        std::filesystem::file_time_type::clock::now() - std::chrono::hours(++hours));
  };

  CHECK(watch.edited(command).empty());
  write("exit 0\n");
  CHECK(watch.edited(command).empty());
  write("exit 1\n");
  CHECK(watch.edited(command) == std::vector<std::string>{"train.sh"});
  CHECK(watch.edited(command) == std::vector<std::string>{"train.sh"});
  CHECK(watch.edited(other).empty());
  write("exit 0\n");
  CHECK(watch.edited(command).empty());
  std::filesystem::remove(folder.path() / "train.sh");
  CHECK(watch.edited(command).empty());
}

TEST_CASE("trials that run a script after it was edited in their session say so", "[run]") {
  const TrialFolder folder;
  const std::string text = script_study(folder, "exit 0\n");
  const auto edited = [](Room& room) {
    const QueryResult rows = room.store.query(
        "SELECT trial.block FROM telemetry JOIN trial ON trial.id = telemetry.trial_id WHERE "
        "telemetry.name = 'edited.train.sh'");
    return rows.rows.size();
  };
  const auto run_and_edit = [&](const std::string& study) {
    Room room([&](const LaunchRequest& request) {
      folder.script("train.sh", "exit 0  # edited\n");
      return test::goes_well(request);
    });
    room.run(parse(study));
    folder.script("train.sh", "exit 0\n");
    return edited(room);
  };

  CHECK(run_and_edit(text) == 1);                          // the second of two
  CHECK(run_and_edit(text + "setup: [\"true\"]\n") == 0);  // which may make it
}

TEST_CASE("a session without trials does not hide that a script was edited", "[run]") {
  const TrialFolder folder;
  Room room(test::goes_well);
  const Study study = parse(script_study(folder, "exit 0\n"));
  room.run(study);
  folder.script("train.sh", "sleep 1\n");
  room.run(study);  // nothing is left to run: no change of what is stored
  const Study more = parse(script_study(folder, "sleep 1\n"), {"trials.count=3"});

  CHECK_THROWS_WITH(room.run(more),
                    Catch::Contains("train.sh is not the file that the last session ran"));
}

TEST_CASE("trials that were skipped are left to run, by a script that was not edited", "[run]") {
  const TrialFolder folder;
  Room room([](const LaunchRequest& request) {
    return request.argv.back() == "2" ? test::crashes(request) : test::goes_well(request);
  });
  const Study study = parse(script_study(folder, "exit 0\n"),
                            {"command=[sh, train.sh, \"{size}\"]",
                             "axes={size: [1, 2]}",
                             "trials.count=6",
                             "limits={retries: 0}"});
  room.run(study);  // the same failure three times in a row: one cell is given up
  REQUIRE(std::ranges::count(room.trials(), TrialState::kSkipped, &TrialRow::state) == 3);
  folder.script("train.sh", "sleep 1\n");

  CHECK_THROWS_WITH(room.run(study),
                    Catch::Contains("train.sh is not the file that the last session ran"));
}

TEST_CASE("declared versions are the first line that their probes print", "[run]") {
  const TrialFolder folder;
  Room room([](const LaunchRequest& request) {
    if (request.argv.front() != "torch-version") {
      return test::goes_well(request);
    }
    LaunchResult result;
    result.ending = LaunchEnding::kExited;
    result.exit_code = request.argv.at(1) == "bad" ? 1 : 0;
    std::ofstream(request.stdout_path) << "1.13.1\nand more\n";
    std::ofstream(request.stderr_path) << "no module torch\n";
    return result;
  });
  const std::string probes =
      "versions: {torch: [torch-version, good], broken: [torch-version, bad]}\n";

  room.run(parse(script_study(folder, "exit 0\n") + probes));

  const Facts facts = session_facts(room);
  CHECK(facts.at("version.torch") == "1.13.1");
  CHECK(facts.at("version.broken") == "not told: exit code 1: no module torch");
}

TEST_CASE("inherited variables that matter are kept, dropped ones and others are not", "[run]") {
  const std::vector<std::string> inherited{"OMP_NUM_THREADS=4",
                                           "TF_ENABLE_ONEDNN_OPTS=0",
                                           "TF_CLI_CONFIG_FILE=/x/.terraformrc",
                                           "TF_VAR_password=x",
                                           "TF_TOKEN_app_terraform_io=x",
                                           "LD_SDK=x",
                                           "LD_API_TOKEN=x",
                                           "NVIDIA_API_KEY=x",
                                           "JAX_secret=x",
                                           "TORCH_PASSPHRASE=x",
                                           "PYTHON_KEYRING_CRED=x",
                                           "HIP_AUTH=x",
                                           "CUDA_VISIBLE_DEVICES=",
                                           "NVIDIA_REQUIRE_CUDA=cuda>=13.0 brand=unknown",
                                           "LD_LIBRARY_PATH=/a:/b=c",
                                           "OMP_DROPPED=1",
                                           "HF_TOKEN=x",
                                           "HOME=/root"};

  CHECK(by_name(variable_facts(inherited, {"OMP_DROPPED"})) ==
        Facts{{"variable.CUDA_VISIBLE_DEVICES", ""},
              {"variable.LD_LIBRARY_PATH", "/a:/b=c"},
              {"variable.OMP_NUM_THREADS", "4"},
              {"variable.TF_ENABLE_ONEDNN_OPTS", "0"}});
}

TEST_CASE("the home folder of who runs is told as ~, where a path begins with it", "[run]") {
  const char* const home = std::getenv("HOME");
  const std::string before = home == nullptr ? "" : home;
  setenv("HOME", "/home/me/", 1);
  LaunchCommand command;
  command.argv = {"/home/me/train", "--data=/home/me"};
  command.working_folder = "/home/me/study";

  const auto facts = by_name(variable_facts(
      std::vector<std::string>{
          "LD_LIBRARY_PATH=/home/me/lib:/home/me2/lib:/mnt/home/me/lib:/home/me",
          "VIRTUAL_ENV=/home/me/.venv"},
      {}));

  CHECK(facts.at("variable.LD_LIBRARY_PATH") == "~/lib:/home/me2/lib:/mnt/home/me/lib:~");
  CHECK(facts.at("variable.VIRTUAL_ENV") == "~/.venv");
  CHECK(command_text(command) == "~/train --data=~ in ~/study");
  setenv("HOME", "/", 1);
  CHECK(command_text(command) == "/home/me/train --data=/home/me in /home/me/study");
  setenv("HOME", before.c_str(), 1);
}

TEST_CASE("a trial's command and folder are stored as a shell would take them", "[run]") {
  const TrialFolder folder;
  Room room(test::goes_well);

  room.run(parse(script_study(folder, "exit 0\n"), {"command=[sh, -c, \"echo it's\"]"}));

  const auto told = room.store.query("SELECT text FROM log WHERE text LIKE 'command:%'");
  REQUIRE_FALSE(told.rows.empty());
  CHECK(std::get<std::string>(told.rows[0][0]) ==
        "command: sh -c 'echo it'\\''s' in " + folder.path().string());
}
