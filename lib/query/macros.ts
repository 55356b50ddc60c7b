/** What people ask about activities, as macros of DuckDB. They take names as `view` does, and paths or GUIDs as ids. */

/** A name with or without its provider; without one, every activity. */
const IS_CALLED = `CREATE MACRO is_called(provider, name, wanted) AS
  wanted IS NULL OR lower(wanted) IN (lower(name), lower(provider || '/' || name));`;

const IS_ID = `CREATE MACRO is_id(activity_id, path, wanted) AS
  path = rtrim(wanted, '/') OR lower(activity_id) = lower(trim(wanted, '{}'));`;

/** The names are the same in other engines, so that the documented questions are the same everywhere. */
const FIELD = `CREATE MACRO field(json, field_name) AS json ->> ('/' || field_name);
  CREATE MACRO percentile(x, p) AS quantile_disc(x, p / 100.0);`;

const CHILDREN_OF = `CREATE MACRO children_of(of_activity) AS TABLE
  SELECT child.* FROM activities child
  JOIN activities parent ON child.trace = parent.trace AND child.parent_seq = parent.seq
  WHERE is_id(parent.activity_id, parent.path, of_activity)
  ORDER BY child.start_ts_ns, child.seq;`;

/** The rows include the activity's own events. */
const UNDER = `CREATE MACRO under(of_path) AS TABLE
  SELECT * FROM events WHERE list_contains(path_prefixes, rtrim(of_path, '/')) ORDER BY ts_ns;`;

const PERCENTILES = `CREATE MACRO percentiles(activity := NULL) AS TABLE
  SELECT provider || '/' || name AS activity, count(*) AS count,
    ${[50, 90, 95, 99].map((each) => `quantile_disc(dur_ns, ${each / 100}) / 1e6 AS p${each}_ms`).join(', ')},
    max(dur_ns) / 1e6 AS max_ms, sum(dur_ns) / 1e6 AS total_ms, sum(failed) AS failed
  FROM activities WHERE state = 'stopped' AND is_called(provider, name, activity)
  GROUP BY provider, name ORDER BY total_ms DESC;`;

/**
 * The activities with this name, each with everything inside it; and the samples with their activities: those that the
 * threads ran or, in traces without switches, those whose ids the samples have.
 */
const INSIDE = `inside AS (
    SELECT trace, seq, seq AS root FROM activities WHERE seq IS NOT NULL AND is_called(provider, name, activity)
    UNION ALL
    SELECT child.trace, child.seq, inside.root FROM activities child
    JOIN inside ON child.trace = inside.trace AND child.parent_seq = inside.seq WHERE child.seq IS NOT NULL
  ), charged AS (
    SELECT samples.trace, weight, stack_id, coalesce(activity_seq, ids.seq) AS seq
    FROM samples LEFT JOIN (
      SELECT trace, pid, activity_id, min(seq) AS seq FROM activities GROUP BY trace, pid, activity_id
    ) ids USING (trace, pid, activity_id)
  )`;

/** A weight of 1 is a count, since the trace does not say how often it sampled. */
const CPU_MS = `CASE WHEN max(weight) > 1 THEN sum(weight) / 1e6 END AS cpu_ms`;

const CPU_BY = `CREATE MACRO cpu_by(activity := NULL) AS TABLE
  WITH RECURSIVE ${INSIDE}, cost AS (
    SELECT trace, root, count(*) AS samples, ${CPU_MS} FROM charged JOIN inside USING (trace, seq) GROUP BY trace, root
  )
  SELECT activities.provider || '/' || activities.name AS activity, path, activities.activity_id, pid,
    dur_ns / 1e6 AS dur_ms, samples, cpu_ms, activities.trace
  FROM cost JOIN activities ON activities.trace = cost.trace AND seq = root
  ORDER BY samples DESC, start_ts_ns;`;

const CPU_FUNCTIONS = `CREATE MACRO cpu_functions(activity := NULL) AS TABLE
  WITH RECURSIVE ${INSIDE}, sampled AS (
    SELECT trace, weight, stack_id FROM charged
    WHERE activity IS NULL OR (trace, seq) IN (SELECT trace, seq FROM inside)
  )
  SELECT frames[1] AS function, count(*) AS samples, ${CPU_MS}
  FROM sampled LEFT JOIN stacks USING (trace, stack_id)
  GROUP BY function ORDER BY samples DESC, function;`;

/**
 * The path is that of a report's details: going back from the end, the child that ended last, then the one that ended
 * last before that one started, and likewise within each. `walk` has two kinds of rows: an activity on the path, and a
 * place among its children to go on from.
 */
const CRITICAL_PATH = `CREATE MACRO critical_path(of_activity := NULL) AS TABLE
  WITH RECURSIVE last AS (
    SELECT trace, max(greatest(start_ts_ns, end_ts_ns)) AS last_ns FROM activities GROUP BY trace
  ), chosen AS (
    SELECT trace, seq FROM activities JOIN last USING (trace) WHERE seq IS NOT NULL
      AND (CASE WHEN of_activity IS NULL THEN parent_seq IS NULL ELSE is_id(activity_id, path, of_activity) END)
    ORDER BY state = 'killed', coalesce(end_ts_ns, last_ns) - start_ts_ns DESC, start_ts_ns LIMIT 1
  ), tree AS (
    FROM chosen
    UNION ALL
    SELECT child.trace, child.seq FROM activities child
    JOIN tree ON child.trace = tree.trace AND child.parent_seq = tree.seq WHERE child.seq IS NOT NULL
  ), timed AS (
    SELECT trace, seq, parent_seq, start_ts_ns AS start_ns, coalesce(end_ts_ns, last_ns) AS end_ns,
      row_number() OVER (PARTITION BY trace, parent_seq ORDER BY coalesce(end_ts_ns, last_ns) DESC, seq) AS place
    FROM tree JOIN activities USING (trace, seq) JOIN last USING (trace)
  ), walk AS (
    SELECT timed.*, 0 AS depth, NULL::BIGINT AS above, end_ns AS before_ns, 0 AS after_place, true AS is_step
    FROM timed JOIN chosen USING (trace, seq)
    UNION ALL
    SELECT trace, seq, parent_seq, start_ns, end_ns, place, depth, above, before_ns, after_place, is_step FROM (
      SELECT walk.trace,
        CASE WHEN enters THEN child.seq ELSE walk.seq END AS seq,
        CASE WHEN enters THEN child.parent_seq ELSE walk.parent_seq END AS parent_seq,
        CASE WHEN enters THEN child.start_ns ELSE walk.start_ns END AS start_ns,
        CASE WHEN enters THEN child.end_ns ELSE walk.end_ns END AS end_ns,
        CASE WHEN enters THEN child.place ELSE walk.place END AS place,
        CASE WHEN enters THEN walk.depth + 1 ELSE walk.depth END AS depth,
        CASE WHEN enters THEN walk.seq ELSE walk.above END AS above,
        CASE WHEN enters THEN child.end_ns ELSE child.start_ns END AS before_ns,
        CASE WHEN enters THEN 0 ELSE child.place END AS after_place,
        enters AS is_step
      FROM walk JOIN timed child ON child.trace = walk.trace AND child.parent_seq = walk.seq
        AND child.place > walk.after_place AND child.end_ns <= walk.before_ns AND child.start_ns >= walk.start_ns
      CROSS JOIN (VALUES (true), (false)) kinds(enters)
      QUALIFY row_number() OVER (PARTITION BY walk.seq, enters ORDER BY child.place) = 1
    )
  ), steps AS (
    SELECT trace, seq, above, depth, start_ns, end_ns - start_ns AS dur_ns FROM walk WHERE is_step
  )
  SELECT repeat('  ', steps.depth) || activities.provider || '/' || activities.name AS activity, activities.path,
    steps.depth, activities.state, steps.dur_ns / 1e6 AS dur_ms,
    (steps.dur_ns - coalesce((SELECT sum(inner_step.dur_ns) FROM steps inner_step WHERE inner_step.above = steps.seq), 0))
      / 1e6 AS self_ms, activities.activity_id, activities.start_payload
  FROM steps JOIN activities USING (trace, seq)
  ORDER BY steps.start_ns, steps.depth, steps.seq;`;

export const MACROS: string = [
  IS_CALLED,
  IS_ID,
  FIELD,
  CHILDREN_OF,
  UNDER,
  PERCENTILES,
  CPU_BY,
  CPU_FUNCTIONS,
  CRITICAL_PATH,
].join('\n');
