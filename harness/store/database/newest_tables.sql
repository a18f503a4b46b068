R"sql(
-- What the steps of schema_later.cc make of an empty database, in SQLite's words; written by
-- SCALESTUDY_UPDATE_GOLDEN=1 build/test/tests/test_store -# '[#migrations_test]'.
CREATE TABLE study (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (name <> ''),
  title TEXT NOT NULL,
  hash TEXT NOT NULL,
  source_path TEXT NOT NULL,
  source_text TEXT NOT NULL,
  scaling TEXT NOT NULL CHECK (scaling IN ('strong', 'weak', 'none'))
, analysis_version INTEGER) STRICT;
CREATE TABLE session (
  id INTEGER PRIMARY KEY,
  study_id INTEGER NOT NULL REFERENCES study (id),
  started_at TEXT NOT NULL,
  finished_at TEXT,
  host TEXT NOT NULL,
  tool_version TEXT NOT NULL,
  tool_revision TEXT NOT NULL,
  study_hash TEXT NOT NULL,
  order_seed TEXT NOT NULL
, study_text TEXT, uid TEXT NOT NULL DEFAULT '', ending TEXT NOT NULL DEFAULT ''
  CHECK (ending IN ('', 'done', 'interrupted', 'max_time', 'error', 'max_trials', 'failures',
                        'disturbed'))) STRICT;
CREATE INDEX session_by_study ON session (study_id);
CREATE TABLE environment (
  session_id INTEGER NOT NULL REFERENCES session (id),
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (session_id, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE cell (
  id INTEGER PRIMARY KEY,
  study_id INTEGER NOT NULL REFERENCES study (id),
  hash TEXT NOT NULL,
  label TEXT NOT NULL,
  devices INTEGER NOT NULL CHECK (devices >= 1),
  nodes INTEGER NOT NULL CHECK (nodes >= 1),
  batch_global INTEGER CHECK (batch_global >= 1),
  batch_per_device INTEGER CHECK (batch_per_device >= 1),
  control_of TEXT,
  baseline TEXT,
  baseline_problem TEXT,
  excluded_reason TEXT,
  oversubscribed INTEGER NOT NULL CHECK (oversubscribed IN (0, 1)), role TEXT NOT NULL DEFAULT 'measured'
  CHECK (role IN ('measured', 'noop', 'barrier', 'start_wait', 'aa', 'device_match')),
  UNIQUE (study_id, hash)
) STRICT;
CREATE TABLE cell_parameter (
  cell_id INTEGER NOT NULL REFERENCES cell (id),
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('flag', 'integer', 'real', 'text')),
  varied INTEGER NOT NULL CHECK (varied IN (0, 1)), is_default INTEGER CHECK (is_default IN (0, 1)),
  PRIMARY KEY (cell_id, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE metric (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  unit TEXT NOT NULL,
  UNIQUE (name, unit)
) STRICT;
CREATE TABLE series (
  id INTEGER PRIMARY KEY,
  trial_id INTEGER NOT NULL REFERENCES trial (id),
  metric_id INTEGER NOT NULL REFERENCES metric (id),
  rank INTEGER CHECK (rank >= 0),
  warmup_n INTEGER NOT NULL CHECK (warmup_n >= 0),
  n INTEGER NOT NULL CHECK (n >= 0),
  mean REAL CHECK (mean IS NULL OR n >= 1),
  sd REAL CHECK (sd IS NULL OR n >= 2),
  min REAL,
  p50 REAL,
  p95 REAL,
  p99 REAL,
  max REAL,
  values_json TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX series_by_trial ON series (trial_id, metric_id, ifnull(rank, -1));
CREATE TABLE telemetry (
  trial_id INTEGER NOT NULL REFERENCES trial (id),
  name TEXT NOT NULL,
  value REAL NOT NULL,
  unit TEXT NOT NULL,
  PRIMARY KEY (trial_id, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE log (
  id INTEGER PRIMARY KEY,
  trial_id INTEGER NOT NULL REFERENCES trial (id),
  stream TEXT NOT NULL CHECK (stream IN ('stdout', 'stderr', 'protocol', 'event')),
  path TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE INDEX log_by_trial ON log (trial_id);
CREATE TABLE estimate (
  id INTEGER PRIMARY KEY,
  study_id INTEGER NOT NULL REFERENCES study (id),
  cell_id INTEGER NOT NULL REFERENCES cell (id),
  metric TEXT NOT NULL,
  statistic TEXT NOT NULL,
  variant TEXT NOT NULL,
  unit TEXT NOT NULL,
  value REAL,
  lo REAL CHECK (lo <= hi),
  hi REAL,
  sd REAL CHECK (sd >= 0),
  confidence REAL NOT NULL,
  method TEXT NOT NULL,
  n INTEGER NOT NULL CHECK (n >= 0),
  n_excluded INTEGER NOT NULL CHECK (n_excluded >= 0),
  n_planned INTEGER NOT NULL CHECK (n_planned >= 0),
  status TEXT NOT NULL,
  definition TEXT CHECK (definition IN ('window', 'steps', 'mixed')), trials TEXT NOT NULL DEFAULT '[]' CHECK (trials LIKE '[%]'), provenance TEXT NOT NULL DEFAULT 'measured'
  CHECK (provenance IN ('measured', 'published', 'projected', 'scenario', 'emulated',
                            'imported')), recomputed_verdict TEXT
  CHECK (recomputed_verdict IN ('follows', 'per device, not total', 'total, not per device',
                                'counts x1024', 'sparse peak', 'dense peak', 'does not follow',
                                'cannot be checked')), recomputed_lo REAL, recomputed_hi REAL, recomputed_from TEXT NOT NULL DEFAULT '',
  UNIQUE (cell_id, metric, statistic, variant)
) STRICT;
CREATE INDEX estimate_by_study ON estimate (study_id);
CREATE TABLE comparison (
  id INTEGER PRIMARY KEY,
  study_id INTEGER NOT NULL REFERENCES study (id),
  cell_id INTEGER NOT NULL REFERENCES cell (id),
  baseline_cell_id INTEGER NOT NULL REFERENCES cell (id),
  quantity TEXT NOT NULL,
  scaling TEXT NOT NULL,
  value REAL,
  lo REAL CHECK (lo <= hi),
  hi REAL,
  confidence REAL NOT NULL,
  p_value REAL CHECK (p_value BETWEEN 0 AND 1),
  p_adjusted REAL CHECK (p_adjusted BETWEEN 0 AND 1),
  equivalence_p REAL CHECK (equivalence_p BETWEEN 0 AND 1),
  equivalence_p_adjusted REAL CHECK (equivalence_p_adjusted BETWEEN 0 AND 1),
  method TEXT NOT NULL,
  n INTEGER NOT NULL CHECK (n >= 0),
  n_baseline INTEGER NOT NULL CHECK (n_baseline >= 0),
  margin REAL NOT NULL,
  verdict TEXT NOT NULL,
  finding TEXT NOT NULL,
  status TEXT NOT NULL,
  trials TEXT NOT NULL DEFAULT '[]' CHECK (trials LIKE '[%]'), baseline_trials TEXT NOT NULL DEFAULT '[]' CHECK (baseline_trials LIKE '[%]'), remark TEXT NOT NULL DEFAULT '', doubted_cells TEXT NOT NULL DEFAULT '[]'
  CHECK (doubted_cells LIKE '[%]'), alpha_star REAL CHECK (alpha_star BETWEEN 0 AND 1), family_size INTEGER CHECK (family_size >= 0), rejected INTEGER CHECK (rejected >= 0), provenance TEXT NOT NULL DEFAULT 'measured'
  CHECK (provenance IN ('measured', 'published', 'projected', 'scenario', 'emulated',
                            'imported'))) STRICT;
CREATE INDEX comparison_by_study ON comparison (study_id, quantity);
CREATE TABLE threshold (
  id INTEGER PRIMARY KEY,
  study_id INTEGER NOT NULL REFERENCES study (id),
  metric TEXT NOT NULL,
  level REAL NOT NULL,
  along TEXT NOT NULL,
  group_label TEXT NOT NULL,
  status TEXT NOT NULL,
  bracket_lo REAL,
  bracket_hi REAL,
  estimate REAL,
  lo REAL,
  hi REAL,
  censored_lo INTEGER NOT NULL CHECK (censored_lo IN (0, 1)),
  censored_hi INTEGER NOT NULL CHECK (censored_hi IN (0, 1)),
  confidence REAL NOT NULL,
  method TEXT NOT NULL,
  tested_values INTEGER NOT NULL,
  finding TEXT NOT NULL,
  trials TEXT NOT NULL DEFAULT '[]' CHECK (trials LIKE '[%]'), cells TEXT NOT NULL DEFAULT '[]' CHECK (cells LIKE '[%]'), alpha_star REAL CHECK (alpha_star BETWEEN 0 AND 1), family_size INTEGER CHECK (family_size >= 0), rejected INTEGER CHECK (rejected >= 0), pieces TEXT NOT NULL DEFAULT '[]' CHECK (pieces LIKE '[%]'), open_values TEXT NOT NULL DEFAULT '[]'
  CHECK (open_values LIKE '[%]'), provenance TEXT NOT NULL DEFAULT 'measured'
  CHECK (provenance IN ('measured', 'published', 'projected', 'scenario', 'emulated',
                            'imported'))) STRICT;
CREATE INDEX threshold_by_study ON threshold (study_id);
CREATE TABLE law (
  id INTEGER PRIMARY KEY,
  study_id INTEGER NOT NULL REFERENCES study (id),
  law TEXT NOT NULL,
  group_label TEXT NOT NULL,
  parameter TEXT NOT NULL,
  value REAL,
  lo REAL,
  hi REAL,
  confidence REAL NOT NULL,
  method TEXT NOT NULL,
  n INTEGER NOT NULL,
  levels INTEGER NOT NULL,
  status TEXT NOT NULL,
  finding TEXT NOT NULL,
  trials TEXT NOT NULL DEFAULT '[]' CHECK (trials LIKE '[%]'), cells TEXT NOT NULL DEFAULT '[]' CHECK (cells LIKE '[%]'), unit TEXT NOT NULL DEFAULT '', provenance TEXT NOT NULL DEFAULT 'measured'
  CHECK (provenance IN ('measured', 'published', 'projected', 'scenario', 'emulated',
                            'imported'))) STRICT;
CREATE INDEX law_by_study ON law (study_id);
CREATE TABLE target_result (
  id INTEGER PRIMARY KEY,
  study_id INTEGER NOT NULL REFERENCES study (id),
  name TEXT NOT NULL,
  metric TEXT NOT NULL,
  cell_id INTEGER REFERENCES cell (id),
  bound TEXT NOT NULL CHECK (bound IN ('at_least', 'at_most')),
  value REAL,
  lo REAL,
  hi REAL,
  verdict TEXT NOT NULL CHECK (verdict IN ('met', 'missed', 'undecided')),
  finding TEXT NOT NULL,
  alpha_star REAL CHECK (alpha_star BETWEEN 0 AND 1), family_size INTEGER CHECK (family_size >= 0), rejected INTEGER CHECK (rejected >= 0), provenance TEXT NOT NULL DEFAULT 'measured'
  CHECK (provenance IN ('measured', 'published', 'projected', 'scenario', 'emulated',
                            'imported')), level REAL) STRICT;
CREATE INDEX target_result_by_study ON target_result (study_id);
CREATE TABLE threat (
  id INTEGER PRIMARY KEY,
  study_id INTEGER NOT NULL REFERENCES study (id),
  kind TEXT NOT NULL,
  severity TEXT NOT NULL CHECK (severity IN ('note', 'warning')),
  finding TEXT NOT NULL
) STRICT;
CREATE INDEX threat_by_study ON threat (study_id);
CREATE TABLE flag (
  id INTEGER PRIMARY KEY,
  study_id INTEGER NOT NULL REFERENCES study (id),
  trial_id INTEGER NOT NULL REFERENCES trial (id),
  level TEXT NOT NULL CHECK (level IN ('trial', 'step')),
  rule TEXT NOT NULL,
  count INTEGER NOT NULL CHECK (count >= 0),
  share REAL NOT NULL,
  score REAL
) STRICT;
CREATE INDEX flag_by_study ON flag (study_id);
CREATE INDEX flag_by_trial ON flag (trial_id);
CREATE TABLE publication (
  id INTEGER PRIMARY KEY,
  study_id INTEGER REFERENCES study (id),
  kind TEXT NOT NULL,
  source TEXT NOT NULL CHECK (source <> ''),
  title TEXT NOT NULL,
  document TEXT NOT NULL,
  date TEXT,
  url TEXT,
  hardware TEXT,
  path TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE INDEX publication_by_study ON publication (study_id);
CREATE TABLE published_figure (
  id INTEGER PRIMARY KEY,
  publication_id INTEGER NOT NULL REFERENCES publication (id),
  table_name TEXT NOT NULL,
  row INTEGER CHECK (row >= 1),
  column_name TEXT NOT NULL,
  location TEXT NOT NULL,
  quantity TEXT NOT NULL,
  experiment TEXT NOT NULL,
  conditions TEXT NOT NULL CHECK (conditions LIKE '{%}'),
  baseline TEXT NOT NULL CHECK (baseline LIKE '{%}'),
  printed TEXT NOT NULL CHECK (printed <> ''),
  form TEXT NOT NULL CHECK (form IN ('rounded', 'exact', 'approximate', 'span', 'at_most',
                                     'at_least')),
  value REAL,
  lo REAL CHECK (lo <= hi),
  hi REAL,
  unit TEXT NOT NULL,
  printed_unit TEXT NOT NULL,
  unit_size REAL NOT NULL CHECK (unit_size > 0),
  line INTEGER CHECK (line >= 1)
, assumed TEXT NOT NULL DEFAULT '{}'
  CHECK (assumed LIKE '{%}')) STRICT;
CREATE INDEX published_figure_by_publication ON published_figure (publication_id);
CREATE TABLE look (
  study_id INTEGER NOT NULL REFERENCES study (id),
  ended INTEGER NOT NULL CHECK (ended >= 0),
  PRIMARY KEY (study_id, ended)
) STRICT, WITHOUT ROWID;
CREATE TABLE flagged_steps (
  id INTEGER PRIMARY KEY,
  study_id INTEGER NOT NULL REFERENCES study (id),
  cell_id INTEGER NOT NULL REFERENCES cell (id),
  trials INTEGER NOT NULL,
  flagged_trials INTEGER NOT NULL CHECK (flagged_trials BETWEEN 1 AND trials),
  steps INTEGER NOT NULL,
  flagged_steps INTEGER NOT NULL CHECK (flagged_steps BETWEEN 1 AND steps),
  share REAL NOT NULL
) STRICT;
CREATE INDEX flagged_steps_by_study ON flagged_steps (study_id);
CREATE TABLE counterpart (
  id INTEGER PRIMARY KEY,
  study_id INTEGER NOT NULL REFERENCES study (id),
  figure_id INTEGER NOT NULL REFERENCES published_figure (id) ON DELETE CASCADE,
  cell_id INTEGER REFERENCES cell (id),
  value REAL,
  lo REAL,
  hi REAL,
  unit TEXT NOT NULL,
  n INTEGER NOT NULL,
  reason TEXT NOT NULL CHECK ((reason = '') = (cell_id IS NOT NULL)),
  is_measured_quantity INTEGER NOT NULL CHECK (is_measured_quantity IN (0, 1))
, ratio REAL, ratio_lo REAL, ratio_hi REAL, per_device INTEGER NOT NULL DEFAULT 0
  CHECK (per_device IN (0, 1)), published_watts REAL, per_watt REAL, per_watt_lo REAL, per_watt_hi REAL, metric TEXT NOT NULL DEFAULT '', assumed TEXT NOT NULL DEFAULT '{}' CHECK (assumed LIKE '{%}'), note TEXT NOT NULL DEFAULT '') STRICT;
CREATE INDEX counterpart_by_study ON counterpart (study_id);
CREATE INDEX counterpart_by_figure ON counterpart (figure_id);
CREATE TABLE annotation (
  id INTEGER PRIMARY KEY,
  trial_id INTEGER NOT NULL REFERENCES trial (id),
  at TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('note', 'exclude', 'include')),
  text TEXT NOT NULL
) STRICT;
CREATE INDEX annotation_by_trial ON annotation (trial_id);
CREATE UNIQUE INDEX session_by_uid ON session (uid);
CREATE TABLE "trial" (
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
  deaths INTEGER NOT NULL DEFAULT 0 CHECK (deaths >= 0), disturbance TEXT NOT NULL DEFAULT ''
  CHECK (disturbance IN ('', 'throttled', 'foreign_load')), hosts TEXT NOT NULL DEFAULT '', part TEXT NOT NULL DEFAULT ''
  CHECK (part IN ('', 'race', 'winner', 'candidate', 'default')), provenance TEXT NOT NULL DEFAULT 'measured'
  CHECK (provenance IN ('measured', 'imported')), has_block INTEGER NOT NULL DEFAULT 1 CHECK (has_block IN (0, 1)), has_order INTEGER NOT NULL DEFAULT 1 CHECK (has_order IN (0, 1)), source TEXT, source_hash TEXT, rules_hash TEXT, steps_share REAL, arrival_step_s REAL CHECK (arrival_step_s >= 0), skip_reason TEXT
  CHECK (skip_reason IN ('not_in_study', 'precise', 'decided', 'failures', 'too_large',
                             'pruned')),
  UNIQUE (cell_id, plan, block, attempt)
) STRICT;
CREATE INDEX trial_by_position ON trial (study_id, position, attempt);
CREATE INDEX trial_by_session ON trial (session_id);
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
  session TEXT NOT NULL,
  made_at TEXT NOT NULL,
  cell_id INTEGER REFERENCES cell (id),
  measured REAL,
  error REAL,
  trials TEXT NOT NULL CHECK (trials LIKE '[%]')
, held_out INTEGER NOT NULL DEFAULT 0, provenance TEXT NOT NULL DEFAULT 'measured'
  CHECK (provenance IN ('measured', 'published', 'projected', 'scenario', 'emulated',
                            'imported'))) STRICT;
CREATE INDEX projection_by_study ON projection (study_id);
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
)sql"
