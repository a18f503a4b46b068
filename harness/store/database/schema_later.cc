// What versions from 10 on change, and the list of all steps. A new column is a new version here.
#include <array>

#include "harness/store/database/migrations.h"
#include "harness/store/database/schema.h"

namespace scalestudy {
namespace {

// One name for each: tested values, and estimates without flagged trials.
constexpr std::string_view kTablesVersion10 = R"sql(
ALTER TABLE threshold RENAME COLUMN rungs TO tested_values;
UPDATE estimate SET variant = 'unflagged' WHERE variant = 'screened';
UPDATE estimate SET status = 'unflagged' WHERE status = 'screened';
)sql";

// What sentences add to tables; sentences of laws without the group, which is a column.
constexpr std::string_view kTablesVersion11 = R"sql(
ALTER TABLE comparison ADD COLUMN remark TEXT NOT NULL DEFAULT '';
UPDATE law SET finding = substr(finding, length(group_label) + 3)
WHERE group_label <> '' AND substr(finding, 1, length(group_label) + 2) = group_label || ': ';
)sql";

// What people said of trials.
constexpr std::string_view kTablesVersion12 = R"sql(
CREATE TABLE annotation (
  id INTEGER PRIMARY KEY,
  trial_id INTEGER NOT NULL REFERENCES trial (id),
  at TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('note', 'exclude', 'include')),
  text TEXT NOT NULL
) STRICT;
CREATE INDEX annotation_by_trial ON annotation (trial_id);
)sql";

// What was run before gets names that are the same in every copy of its store. The table of trials
// is made anew for its UNIQUE, which SQLite changes no more than a CHECK.
constexpr std::string_view kTablesVersion13 = R"sql(
ALTER TABLE session ADD COLUMN uid TEXT NOT NULL DEFAULT '';
UPDATE session SET uid = host || ' ' || started_at || ' ' || id;
CREATE UNIQUE INDEX session_by_uid ON session (uid);

CREATE TABLE trial_of_plan (
  id INTEGER PRIMARY KEY,
  study_id INTEGER NOT NULL REFERENCES study (id),
  cell_id INTEGER NOT NULL REFERENCES cell (id),
  plan TEXT NOT NULL,
  block INTEGER NOT NULL CHECK (block >= 0),
  position INTEGER NOT NULL CHECK (position >= 0),
  attempt INTEGER NOT NULL CHECK (attempt >= 1),
  state TEXT NOT NULL CHECK (state IN ('planned', 'running', 'ok', 'failed', 'timeout', 'oom',
                                       'invalid', 'unsupported', 'skipped', 'excluded')),
  reason TEXT NOT NULL,
  session_id INTEGER REFERENCES session (id),
  started_at TEXT,
  wall_s REAL CHECK (wall_s >= 0),
  exit_code INTEGER,
  signal INTEGER,
  foreign_load REAL,
  oversubscribed INTEGER NOT NULL CHECK (oversubscribed IN (0, 1)),
  deaths INTEGER NOT NULL DEFAULT 0 CHECK (deaths >= 0),
  UNIQUE (cell_id, plan, block, attempt)
) STRICT;
INSERT INTO trial_of_plan
SELECT id, study_id, cell_id,
       ifnull((SELECT uid FROM session WHERE session.study_id = trial.study_id ORDER BY id LIMIT 1), ''),
       block, position, attempt, state, reason, session_id, started_at, wall_s, exit_code, signal,
       foreign_load, oversubscribed, deaths
FROM trial;
DROP TABLE trial;
ALTER TABLE trial_of_plan RENAME TO trial;
CREATE INDEX trial_by_position ON trial (study_id, position, attempt);
CREATE INDEX trial_by_session ON trial (session_id);
)sql";

// No table changes: the views, made anew by every migration, became more.
constexpr std::string_view kTablesVersion14 = {};

constexpr std::string_view kTablesVersion15 = R"sql(
ALTER TABLE trial ADD COLUMN disturbance TEXT NOT NULL DEFAULT ''
  CHECK (disturbance IN ('', 'throttled', 'foreign_load'));
)sql";

// Which nodes a trial had.
constexpr std::string_view kTablesVersion16 = R"sql(
ALTER TABLE trial ADD COLUMN hosts TEXT NOT NULL DEFAULT '';
)sql";

// No table changes, the views do.
constexpr std::string_view kTablesVersion17 = {};

// What runs added to plans.
constexpr std::string_view kTablesVersion18 = R"sql(
CREATE TABLE addition (
  id INTEGER PRIMARY KEY,
  study_id INTEGER NOT NULL REFERENCES study (id),
  cell TEXT NOT NULL,
  axis TEXT NOT NULL CHECK ((axis = '') = (value IS NULL)),
  value INTEGER,
  first_block INTEGER NOT NULL CHECK (first_block > 0),
  blocks INTEGER CHECK (blocks > 0),
  reason TEXT NOT NULL
) STRICT;
CREATE INDEX addition_by_study ON addition (study_id);
)sql";

// What was measured over what was published.
constexpr std::string_view kTablesVersion19 = R"sql(
ALTER TABLE counterpart ADD COLUMN ratio REAL;
ALTER TABLE counterpart ADD COLUMN ratio_lo REAL;
ALTER TABLE counterpart ADD COLUMN ratio_hi REAL;
ALTER TABLE counterpart ADD COLUMN per_device INTEGER NOT NULL DEFAULT 0
  CHECK (per_device IN (0, 1));
)sql";

// What laws say at counts they were not fitted to, and first principles of what was measured.
constexpr std::string_view kTablesVersion20 = R"sql(
CREATE TABLE law_choice (
  id INTEGER PRIMARY KEY,
  study_id INTEGER NOT NULL REFERENCES study (id),
  group_label TEXT NOT NULL,
  chosen TEXT,
  held_out_error REAL CHECK (held_out_error >= 0),
  levels INTEGER NOT NULL,
  n INTEGER NOT NULL,
  status TEXT NOT NULL CHECK ((status = 'ok') = (chosen IS NOT NULL)),
  finding TEXT NOT NULL
) STRICT;
CREATE INDEX law_choice_by_study ON law_choice (study_id);

CREATE TABLE volume (
  id INTEGER PRIMARY KEY,
  study_id INTEGER NOT NULL REFERENCES study (id),
  cell_id INTEGER NOT NULL REFERENCES cell (id),
  quantity TEXT NOT NULL,
  unit TEXT NOT NULL,
  calculated REAL,
  measured REAL,
  ratio REAL,
  formula TEXT NOT NULL
) STRICT;
CREATE INDEX volume_by_study ON volume (study_id);

CREATE TABLE projection (
  id INTEGER PRIMARY KEY,
  study_id INTEGER NOT NULL REFERENCES study (id),
  name TEXT NOT NULL,
  group_label TEXT NOT NULL,
  devices INTEGER NOT NULL CHECK (devices >= 1),
  value REAL CHECK (value > 0),
  lo REAL,
  hi REAL,
  throughput REAL,
  confidence REAL NOT NULL,
  method TEXT NOT NULL,
  factor REAL,
  held_out_error REAL,
  error_limit REAL,
  rival_error REAL,
  levels INTEGER NOT NULL,
  n INTEGER NOT NULL,
  status TEXT NOT NULL CHECK ((status = 'ok') = (value IS NOT NULL)),
  finding TEXT NOT NULL,
  constants TEXT NOT NULL,
  provenance TEXT NOT NULL CHECK (provenance IN ('measured', 'published', 'projected', 'scenario')),
  session TEXT NOT NULL,
  made_at TEXT NOT NULL,
  cell_id INTEGER REFERENCES cell (id),
  measured REAL,
  error REAL,
  trials TEXT NOT NULL CHECK (trials LIKE '[%]')
) STRICT;
CREATE INDEX projection_by_study ON projection (study_id);
)sql";

// What a trial of a search is for, and what became of its settings.
constexpr std::string_view kTablesVersion21 = R"sql(
ALTER TABLE trial ADD COLUMN part TEXT NOT NULL DEFAULT ''
  CHECK (part IN ('', 'race', 'winner', 'candidate', 'default'));
CREATE TABLE search_setting (
  id INTEGER PRIMARY KEY,
  study_id INTEGER NOT NULL REFERENCES study (id),
  cell_id INTEGER NOT NULL REFERENCES cell (id),
  quantity TEXT NOT NULL,
  departures INTEGER NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('racing', 'left', 'failed', 'untried', 'winner', 'candidate',
                                     'default')),
  race_trials INTEGER NOT NULL,
  left_after INTEGER,
  is_recommended INTEGER NOT NULL CHECK (is_recommended IN (0, 1)),
  finding TEXT NOT NULL
) STRICT;
CREATE INDEX search_setting_by_study ON search_setting (study_id);
)sql";

// What a declared watt does, measured over published.
constexpr std::string_view kTablesVersion22 = R"sql(
ALTER TABLE counterpart ADD COLUMN published_watts REAL;
ALTER TABLE counterpart ADD COLUMN per_watt REAL;
ALTER TABLE counterpart ADD COLUMN per_watt_lo REAL;
ALTER TABLE counterpart ADD COLUMN per_watt_hi REAL;
)sql";

// What a projection's check left out of its fit.
constexpr std::string_view kTablesVersion23 = R"sql(
ALTER TABLE projection ADD COLUMN held_out INTEGER NOT NULL DEFAULT 0;
)sql";

// Numbers of emulated trials; SQLite changes no CHECK in place.
constexpr std::string_view kTablesVersion24 = R"sql(
ALTER TABLE estimate ADD COLUMN any_provenance TEXT NOT NULL DEFAULT 'measured'
  CHECK (any_provenance IN ('measured', 'published', 'projected', 'scenario', 'emulated'));
UPDATE estimate SET any_provenance = provenance;
ALTER TABLE estimate DROP COLUMN provenance;
ALTER TABLE estimate RENAME COLUMN any_provenance TO provenance;
ALTER TABLE comparison ADD COLUMN any_provenance TEXT NOT NULL DEFAULT 'measured'
  CHECK (any_provenance IN ('measured', 'published', 'projected', 'scenario', 'emulated'));
UPDATE comparison SET any_provenance = provenance;
ALTER TABLE comparison DROP COLUMN provenance;
ALTER TABLE comparison RENAME COLUMN any_provenance TO provenance;
ALTER TABLE threshold ADD COLUMN any_provenance TEXT NOT NULL DEFAULT 'measured'
  CHECK (any_provenance IN ('measured', 'published', 'projected', 'scenario', 'emulated'));
UPDATE threshold SET any_provenance = provenance;
ALTER TABLE threshold DROP COLUMN provenance;
ALTER TABLE threshold RENAME COLUMN any_provenance TO provenance;
ALTER TABLE law ADD COLUMN any_provenance TEXT NOT NULL DEFAULT 'measured'
  CHECK (any_provenance IN ('measured', 'published', 'projected', 'scenario', 'emulated'));
UPDATE law SET any_provenance = provenance;
ALTER TABLE law DROP COLUMN provenance;
ALTER TABLE law RENAME COLUMN any_provenance TO provenance;
ALTER TABLE target_result ADD COLUMN any_provenance TEXT NOT NULL DEFAULT 'measured'
  CHECK (any_provenance IN ('measured', 'published', 'projected', 'scenario', 'emulated'));
UPDATE target_result SET any_provenance = provenance;
ALTER TABLE target_result DROP COLUMN provenance;
ALTER TABLE target_result RENAME COLUMN any_provenance TO provenance;
ALTER TABLE projection ADD COLUMN any_provenance TEXT NOT NULL DEFAULT 'measured'
  CHECK (any_provenance IN ('measured', 'published', 'projected', 'scenario', 'emulated'));
UPDATE projection SET any_provenance = provenance;
ALTER TABLE projection DROP COLUMN provenance;
ALTER TABLE projection RENAME COLUMN any_provenance TO provenance;
)sql";

// A further role; as in version 6.
constexpr std::string_view kTablesVersion25 = R"sql(
ALTER TABLE cell ADD COLUMN any_role TEXT NOT NULL DEFAULT 'measured'
  CHECK (any_role IN ('measured', 'noop', 'barrier', 'start_wait', 'aa', 'device_match'));
UPDATE cell SET any_role = role;
ALTER TABLE cell DROP COLUMN role;
ALTER TABLE cell RENAME COLUMN any_role TO role;
)sql";

// Which trials an estimate rests on, as in version 7.
constexpr std::string_view kTablesVersion26 = R"sql(
ALTER TABLE estimate ADD COLUMN trials TEXT NOT NULL DEFAULT '[]' CHECK (trials LIKE '[%]');
)sql";

// Which cells a result is about, as in version 7; why trials were skipped, as far as the sentences
// of before say it.
constexpr std::string_view kTablesVersion27 = R"sql(
ALTER TABLE comparison ADD COLUMN doubted_cells TEXT NOT NULL DEFAULT '[]'
  CHECK (doubted_cells LIKE '[%]');
ALTER TABLE threshold ADD COLUMN cells TEXT NOT NULL DEFAULT '[]' CHECK (cells LIKE '[%]');
ALTER TABLE law ADD COLUMN cells TEXT NOT NULL DEFAULT '[]' CHECK (cells LIKE '[%]');
ALTER TABLE law ADD COLUMN unit TEXT NOT NULL DEFAULT '';
UPDATE law SET unit = 's'
WHERE parameter IN ('t1_s', 'compute_s', 'hop_latency_s', 'transfer_s', 'growth_s', 'alpha_s');
UPDATE law SET unit = 'bytes/s' WHERE parameter = 'bandwidth_bytes_per_s';
ALTER TABLE trial ADD COLUMN skip_reason TEXT
  CHECK (skip_reason IN ('not_in_study', 'precise', 'decided', 'failures', 'too_large'));
UPDATE trial SET skip_reason = CASE reason WHEN 'no longer in the study' THEN 'not_in_study'
                                           WHEN 'precision reached' THEN 'precise'
                                           WHEN 'comparison decided' THEN 'decided' END
WHERE state = 'skipped';
)sql";

// The level at which each question was decided, and what a crossing's set consists of.
constexpr std::string_view kTablesVersion28 = R"sql(
ALTER TABLE comparison ADD COLUMN alpha_star REAL CHECK (alpha_star BETWEEN 0 AND 1);
ALTER TABLE comparison ADD COLUMN family_size INTEGER CHECK (family_size >= 0);
ALTER TABLE comparison ADD COLUMN rejected INTEGER CHECK (rejected >= 0);
ALTER TABLE threshold ADD COLUMN alpha_star REAL CHECK (alpha_star BETWEEN 0 AND 1);
ALTER TABLE threshold ADD COLUMN family_size INTEGER CHECK (family_size >= 0);
ALTER TABLE threshold ADD COLUMN rejected INTEGER CHECK (rejected >= 0);
ALTER TABLE threshold ADD COLUMN pieces TEXT NOT NULL DEFAULT '[]' CHECK (pieces LIKE '[%]');
ALTER TABLE threshold ADD COLUMN open_values TEXT NOT NULL DEFAULT '[]'
  CHECK (open_values LIKE '[%]');
ALTER TABLE target_result ADD COLUMN alpha_star REAL CHECK (alpha_star BETWEEN 0 AND 1);
ALTER TABLE target_result ADD COLUMN family_size INTEGER CHECK (family_size >= 0);
ALTER TABLE target_result ADD COLUMN rejected INTEGER CHECK (rejected >= 0);
)sql";

// Trials that the harness did not run, and numbers of them, as in version 24.
constexpr std::string_view kTablesVersion29 = R"sql(
ALTER TABLE trial ADD COLUMN provenance TEXT NOT NULL DEFAULT 'measured'
  CHECK (provenance IN ('measured', 'imported'));
ALTER TABLE trial ADD COLUMN has_block INTEGER NOT NULL DEFAULT 1 CHECK (has_block IN (0, 1));
ALTER TABLE trial ADD COLUMN has_order INTEGER NOT NULL DEFAULT 1 CHECK (has_order IN (0, 1));
ALTER TABLE trial ADD COLUMN source TEXT;
ALTER TABLE trial ADD COLUMN source_hash TEXT;
ALTER TABLE trial ADD COLUMN rules_hash TEXT;  -- of the rules that gave its values
ALTER TABLE estimate ADD COLUMN any_provenance TEXT NOT NULL DEFAULT 'measured'
  CHECK (any_provenance IN ('measured', 'published', 'projected', 'scenario', 'emulated',
                            'imported'));
UPDATE estimate SET any_provenance = provenance;
ALTER TABLE estimate DROP COLUMN provenance;
ALTER TABLE estimate RENAME COLUMN any_provenance TO provenance;
ALTER TABLE comparison ADD COLUMN any_provenance TEXT NOT NULL DEFAULT 'measured'
  CHECK (any_provenance IN ('measured', 'published', 'projected', 'scenario', 'emulated',
                            'imported'));
UPDATE comparison SET any_provenance = provenance;
ALTER TABLE comparison DROP COLUMN provenance;
ALTER TABLE comparison RENAME COLUMN any_provenance TO provenance;
ALTER TABLE threshold ADD COLUMN any_provenance TEXT NOT NULL DEFAULT 'measured'
  CHECK (any_provenance IN ('measured', 'published', 'projected', 'scenario', 'emulated',
                            'imported'));
UPDATE threshold SET any_provenance = provenance;
ALTER TABLE threshold DROP COLUMN provenance;
ALTER TABLE threshold RENAME COLUMN any_provenance TO provenance;
ALTER TABLE law ADD COLUMN any_provenance TEXT NOT NULL DEFAULT 'measured'
  CHECK (any_provenance IN ('measured', 'published', 'projected', 'scenario', 'emulated',
                            'imported'));
UPDATE law SET any_provenance = provenance;
ALTER TABLE law DROP COLUMN provenance;
ALTER TABLE law RENAME COLUMN any_provenance TO provenance;
ALTER TABLE target_result ADD COLUMN any_provenance TEXT NOT NULL DEFAULT 'measured'
  CHECK (any_provenance IN ('measured', 'published', 'projected', 'scenario', 'emulated',
                            'imported'));
UPDATE target_result SET any_provenance = provenance;
ALTER TABLE target_result DROP COLUMN provenance;
ALTER TABLE target_result RENAME COLUMN any_provenance TO provenance;
ALTER TABLE projection ADD COLUMN any_provenance TEXT NOT NULL DEFAULT 'measured'
  CHECK (any_provenance IN ('measured', 'published', 'projected', 'scenario', 'emulated',
                            'imported'));
UPDATE projection SET any_provenance = provenance;
ALTER TABLE projection DROP COLUMN provenance;
ALTER TABLE projection RENAME COLUMN any_provenance TO provenance;
UPDATE comparison SET verdict = 'no significant difference'
  WHERE verdict = 'no detectable difference';
ALTER TABLE trial ADD COLUMN steps_share REAL;
ALTER TABLE trial ADD COLUMN arrival_step_s REAL CHECK (arrival_step_s >= 0);
ALTER TABLE estimate ADD COLUMN recomputed_verdict TEXT
  CHECK (recomputed_verdict IN ('follows', 'per device, not total', 'total, not per device',
                                'counts x1024', 'sparse peak', 'dense peak', 'does not follow',
                                'cannot be checked'));
ALTER TABLE estimate ADD COLUMN recomputed_lo REAL;
ALTER TABLE estimate ADD COLUMN recomputed_hi REAL;
ALTER TABLE estimate ADD COLUMN recomputed_from TEXT NOT NULL DEFAULT '';
)sql";

constexpr std::string_view kTablesVersion30 = R"sql(
ALTER TABLE cell_parameter ADD COLUMN is_default INTEGER CHECK (is_default IN (0, 1));
ALTER TABLE trial ADD COLUMN any_skip_reason TEXT
  CHECK (any_skip_reason IN ('not_in_study', 'precise', 'decided', 'failures', 'too_large',
                             'pruned'));
UPDATE trial SET any_skip_reason = skip_reason;
ALTER TABLE trial DROP COLUMN skip_reason;
ALTER TABLE trial RENAME COLUMN any_skip_reason TO skip_reason;
-- assumptions about published figures, and which result a figure is compared with
ALTER TABLE published_figure ADD COLUMN assumed TEXT NOT NULL DEFAULT '{}'
  CHECK (assumed LIKE '{%}');
ALTER TABLE counterpart ADD COLUMN metric TEXT NOT NULL DEFAULT '';
ALTER TABLE counterpart ADD COLUMN assumed TEXT NOT NULL DEFAULT '{}' CHECK (assumed LIKE '{%}');
ALTER TABLE counterpart ADD COLUMN note TEXT NOT NULL DEFAULT '';
)sql";

// A target that asks for a share of a value that is missing has no level.
constexpr std::string_view kTablesVersion31 = R"sql(
ALTER TABLE target_result ADD COLUMN any_level REAL;
UPDATE target_result SET any_level = level;
ALTER TABLE target_result DROP COLUMN level;
ALTER TABLE target_result RENAME COLUMN any_level TO level;
)sql";

constexpr std::string_view kTablesVersion32 = R"sql(
ALTER TABLE session ADD COLUMN any_ending TEXT NOT NULL DEFAULT ''
  CHECK (any_ending IN ('', 'done', 'interrupted', 'max_time', 'error', 'max_trials', 'failures',
                        'disturbed'));
UPDATE session SET any_ending = ending;
ALTER TABLE session DROP COLUMN ending;
ALTER TABLE session RENAME COLUMN any_ending TO ending;
)sql";

}  // namespace

std::span<const std::string_view> migrations() {
  static const std::array kSteps{
      kTablesVersion1,  kTablesVersion2,  kTablesVersion3,  kTablesVersion4,  kTablesVersion5,
      kTablesVersion6,  kTablesVersion7,  kTablesVersion8,  kTablesVersion9,  kTablesVersion10,
      kTablesVersion11, kTablesVersion12, kTablesVersion13, kTablesVersion14, kTablesVersion15,
      kTablesVersion16, kTablesVersion17, kTablesVersion18, kTablesVersion19, kTablesVersion20,
      kTablesVersion21, kTablesVersion22, kTablesVersion23, kTablesVersion24, kTablesVersion25,
      kTablesVersion26, kTablesVersion27, kTablesVersion28, kTablesVersion29, kTablesVersion30,
      kTablesVersion31, kTablesVersion32};
  return kSteps;
}

}  // namespace scalestudy
