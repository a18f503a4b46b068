// Makes a study ready - checks, commands, rows of the store - and runs a session of it.
#include "harness/run/run_study.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <unistd.h>

#include "harness/base/build_info.h"
#include "harness/run/attempt/build.h"
#include "harness/run/attempt/provenance.h"
#include "harness/run/command/checkouts.h"
#include "harness/run/command/launch_command.h"
#include "harness/run/command/study_commands.h"
#include "harness/run/session/confirm.h"
#include "harness/run/session/session.h"
#include "harness/run/study_changes.h"
#include "harness/store/added.h"
#include "harness/store/trial_plan.h"
#include "harness/study/parameters/secret.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

// What a study starts: one command a cell, by hash, and where the files of its sides' commits are.
struct Launches {
  std::map<std::string, Checkout> checkouts;
  std::map<std::string, LaunchCommand> commands;
};

void append(std::vector<EnvironmentRow> more, std::vector<EnvironmentRow>& rows) {
  rows.insert(
      rows.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

std::vector<std::string> own_environment() {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    entries.emplace_back(*entry);
  }
  return entries;
}

std::vector<std::string> names_of(std::vector<std::string> entries) {
  for (std::string& entry : entries) {
    entry.resize(std::min(entry.find('='), entry.size()));
  }
  return entries;
}

// What tells the programs of the study: files of a command, commits of sides.
std::vector<EnvironmentRow> all_program_facts(const Study& study, const Launches& launches) {
  std::vector<EnvironmentRow> rows = side_facts(study, launches.checkouts);
  if (study.workload == Workload::kCommand) {
    append(program_facts(launches.commands), rows);
  }
  return rows;
}

// By hash.
std::map<std::string, bool> oversubscribed_cells(
    const std::map<std::string, LaunchCommand>& commands) {
  std::map<std::string, bool> oversubscribed;
  for (const auto& [hash, command] : commands) {
    oversubscribed[hash] = command.oversubscribed;
  }
  return oversubscribed;
}

void take_cells(const Matrix& matrix,
                const std::map<std::string, LaunchCommand>& commands,
                const PlannedStudy& planned,
                PreparedStudy& prepared) {
  prepared.study_id = planned.study_id;
  prepared.plan = planned.plan;
  for (const Cell& cell : matrix.cells) {
    const std::int64_t id = planned.cell_ids.at(cell.hash);
    prepared.cells.insert_or_assign(id, cell);
    prepared.commands.insert_or_assign(id, commands.at(cell.hash));
  }
  for (const ExcludedCell& excluded : matrix.excluded) {
    prepared.excluded.insert(planned.cell_ids.at(excluded.cell.hash));
  }
}

// Puts what the world's rule asks for into the store, into `study` and into `prepared`, which
// refers to the study. What was recorded and not planned when the harness died is planned by the
// next run.
bool extend_study(Study& study,
                  const Launches& launches,
                  const RunWorld& world,
                  Store& store,
                  PreparedStudy& prepared) {
  const std::vector<Addition> more = world.further_cells(store, prepared.study_id);
  if (more.empty()) {
    return false;
  }
  study.additions.insert(study.additions.end(), more.begin(), more.end());
  const Matrix matrix = expand(study);
  const auto commands = make_commands(study, matrix, launches.checkouts, world);
  store.add(prepared.study_id, more);
  take_cells(matrix,
             commands,
             extend_plan(study,
                         matrix,
                         oversubscribed_cells(commands),
                         {.study_id = prepared.study_id, .plan = prepared.plan, .cell_ids = {}},
                         store),
             prepared);
  return true;
}

// Plans what a search measures next; false: it is over.
bool extend_search(const Study& study,
                   const Matrix& matrix,
                   const RunWorld& world,
                   const PreparedStudy& prepared,
                   Store& store) {
  const SearchBlocks next = world.next_blocks(store, prepared.study_id, prepared.plan);
  std::map<std::string, std::int64_t> ids;
  for (const auto& [id, cell] : prepared.cells) {
    ids.emplace(cell.hash, id);
  }
  std::vector<TrialRow> rows = search_rows(study, matrix, ids, next);
  for (TrialRow& row : rows) {
    row.plan = prepared.plan;
  }
  store.extend_plan(prepared.study_id, rows);
  return !rows.empty();
}

// What the session tells of the machine, of what trials inherit and of the user's programs; secrets
// taken out.
std::vector<EnvironmentRow> session_facts(const Study& study,
                                          const Launches& launches,
                                          const std::vector<std::string>& dropped,
                                          const Store& store,
                                          const RunWorld& world,
                                          const std::atomic<bool>& stop) {
  std::vector<EnvironmentRow> rows;
  for (const auto& [name, value] : world.machine.environment()) {
    rows.push_back({name, value});
  }
  if (!dropped.empty()) {
    rows.push_back({"dropped_variables", join(dropped, " ")});
  }
  append(variable_facts(own_environment(), dropped), rows);
  append(all_program_facts(study, launches), rows);
  if (study.workload == Workload::kCommand) {
    append(version_facts(
               study, launches.commands, dropped, store.results_folder(), world.launcher, stop),
           rows);
  }
  const std::vector<std::string> secrets = secret_values(study);
  for (EnvironmentRow& row : rows) {
    row.value = masked(std::move(row.value), secrets);
  }
  return rows;
}

SessionRow session_row(const Study& study, std::int64_t study_id, const RunWorld& world) {
  const BuildInfo build = build_info();
  SessionRow row;
  row.study_id = study_id;
  row.started_at = world.clock.utc_now();
  row.host = world.machine.host_name();
  row.tool_version = build.version;
  row.tool_revision = build.revision;
  row.study_hash = study_hash(study);
  row.order_seed = study.order.seed;
  row.study_text = study.source_text;
  return row;
}

// Plans further attempts of what failed: in sessions that ran another command, which are returned,
// and in all if the options ask for it.
std::set<std::int64_t> plan_again(const Study& study,
                                  std::int64_t study_id,
                                  const std::string& own_plan,
                                  const RunOptions& options,
                                  Store& store) {
  const std::string plan = study.search ? own_plan : "";
  std::set<std::int64_t> earlier = earlier_sessions(study, store, study_id);
  for (const std::int64_t session : earlier) {
    store.plan_retries(study_id, plan, session);
  }
  if (options.retry_failed) {
    store.plan_retries(study_id, plan);
  }
  return earlier;
}

// Tells of the trials that an earlier run skipped because their cells failed again and again: they
// are planned again. `trials`: those of the study, as they were before.
void tell_left_out(const std::vector<TrialRow>& trials,
                   const PreparedStudy& prepared,
                   const RunOptions& options) {
  const auto left_out = std::ranges::count_if(trials, [&](const TrialRow& trial) {
    return trial.skip_reason == SkipReason::kFailures && !trial.superseded &&
           prepared.runs(trial.plan) && prepared.asks_for(trial) && options.has_block(trial.block);
  });
  if (left_out > 0 && options.tell) {
    options.tell(
        fmt::format(
            "running what an earlier run skipped because cells kept failing: {}{}",
            format_count(left_out, "trial"),
            options.retry_failed ? "" : ". --retry-failed also runs the failed trials again"),
        /*is_warning=*/false);
  }
}

}  // namespace

RunSummary run_study(const Study& declared,
                     Store& store,
                     const RunWorld& world,
                     const RunOptions& options,
                     const std::function<void(const Progress&)>& on_progress,
                     const std::atomic<bool>& stop) {
  Study study = with_additions(declared, store);
  Matrix matrix = expand(study);
  const std::vector<std::string> dropped =
      dropped_variables(study.workload, names_of(own_environment()));
  Launches launches{.checkouts = make_checkouts(study, store.results_folder()), .commands = {}};
  launches.commands = make_commands(study, matrix, launches.checkouts, world);
  run_build(study,
            launches.commands,
            launches.checkouts,
            dropped,
            store.results_folder(),
            world.launcher,
            stop);
  require_programs(study, launches.commands);
  if (!options.cells.empty()) {
    std::erase_if(matrix.cells,
                  [&](const Cell& cell) { return !options.cells.contains(cell.hash); });
  }
  const std::optional<StudyRow> known = store.find_study(study.name);
  const std::vector<TrialRow> trials = known ? store.trials(known->id) : std::vector<TrialRow>();
  const std::string plan =
      plan_to_run(trials,
                  known ? store.sessions(known->id) : std::vector<SessionRow>(),
                  world.machine.host_name());
  require_unchanged(
      study,
      matrix,
      launches.commands,
      [&] { return all_program_facts(study, launches); },
      {.all = trials, .plan = plan},
      store,
      options);
  // Before the plan, which drops trials that the study no longer has.
  std::set<std::int64_t> earlier =
      known ? plan_again(study, known->id, plan, options, store) : std::set<std::int64_t>();
  PreparedStudy prepared(study);
  take_cells(matrix,
             launches.commands,
             plan_study(study, matrix, oversubscribed_cells(launches.commands), plan, store),
             prepared);
  tell_left_out(trials, prepared, options);
  prepared.earlier_sessions = std::move(earlier);
  prepared.dropped_variables = dropped;
  // What `setup` runs may make the programs.
  ProgramWatch programs(study.workload == Workload::kCommand && study.setup.empty()
                            ? launches.commands
                            : std::map<std::string, LaunchCommand>());
  prepared.edited_programs = [&](const LaunchCommand& command) { return programs.edited(command); };
  prepared.confirm = [&](const std::vector<TrialRow>& planned) {
    prepared.confirmations =
        confirm_cells(prepared, planned, launches.checkouts, store, world, on_progress, stop);
  };
  const bool is_whole = options.cells.empty() && !options.blocks;
  ExtendPlan extend;
  if (world.further_cells && is_whole) {
    extend = [&] { return extend_study(study, launches, world, store, prepared); };
  }
  if (study.search && world.next_blocks && is_whole) {
    extend = [&] { return extend_search(study, matrix, world, prepared, store); };
  }
  return Session(prepared, store, world, options, on_progress, stop, extend)
      .run(session_row(study, prepared.study_id, world),
           session_facts(study, launches, dropped, store, world, stop));
}

}  // namespace scalestudy
