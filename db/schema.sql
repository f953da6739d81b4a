-- Tables of a database of results, version 1 (PRAGMA user_version). docs/database.md explains them.
-- Views (plural names) are what people read; tables (singular names) keep the same things small.

CREATE TABLE experiment (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    source TEXT
);

-- Statistics, kernels and components by name, each once.
CREATE TABLE name (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);

-- Which statistic stands where in a list of numbers. A list is cut into pieces of 16, zeros at the end of a piece are left out, and a piece of
-- zeros is 0: [[5,0,7],0,[1]] is 5, 0, 7, then 29 zeros, then 1, then zeros.
CREATE TABLE layout (
    layout INTEGER NOT NULL,
    name INTEGER NOT NULL REFERENCES name,
    position INTEGER NOT NULL,
    PRIMARY KEY (layout, name)
) WITHOUT ROWID;
CREATE INDEX layout_of_name ON layout (name, layout, position);

-- The values of a machine: all of them, or those that differ from another machine's.
CREATE TABLE machine (
    id INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    base INTEGER REFERENCES machine,
    settings TEXT
);

-- Lists of the files that went into a run.
CREATE TABLE input (
    id INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    list TEXT NOT NULL
);

CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    experiment INTEGER NOT NULL REFERENCES experiment,
    key TEXT NOT NULL,
    number INTEGER,
    state TEXT NOT NULL,
    axes TEXT NOT NULL,
    settings TEXT NOT NULL,
    machine INTEGER REFERENCES machine,
    input INTEGER REFERENCES input,
    trace TEXT,
    platform TEXT,
    config TEXT,
    command TEXT,
    version TEXT,
    status TEXT,
    partial INTEGER,
    fingerprint TEXT,
    host TEXT,
    start INTEGER,
    seconds REAL,
    processor_seconds REAL,
    exit_status INTEGER,
    error TEXT,
    cycles INTEGER,
    thread_instructions INTEGER,
    warp_instructions INTEGER,
    ctas INTEGER,
    sms INTEGER,
    launch_cycles INTEGER,
    tail_cycles INTEGER,
    bound_by TEXT,
    counters INTEGER,
    counter_values TEXT,
    instances INTEGER,
    instance_values TEXT,
    every INTEGER,
    intervals INTEGER,
    memory INTEGER,
    UNIQUE (experiment, key)
);

CREATE TABLE kernel (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES run,
    number INTEGER NOT NULL,
    name INTEGER NOT NULL REFERENCES name,
    uid INTEGER,
    grid TEXT,
    block TEXT,
    stream INTEGER,
    partial INTEGER,
    cycles INTEGER,
    end_cycle INTEGER,
    thread_instructions INTEGER,
    warp_instructions INTEGER,
    ctas INTEGER,
    sms INTEGER,
    launch_cycles INTEGER,
    tail_cycles INTEGER,
    bound_by TEXT,
    counters INTEGER,
    counter_values TEXT,
    instances INTEGER,
    instance_values TEXT,
    UNIQUE (run, number)
);

CREATE TABLE interval (
    run INTEGER NOT NULL REFERENCES run,
    cycle INTEGER NOT NULL,
    numbers TEXT NOT NULL,
    PRIMARY KEY (run, cycle)
) WITHOUT ROWID;

-- ---- what people read -------------------------------------------------------------------------------------------

CREATE VIEW runs AS
SELECT r.id AS run, e.name AS experiment, r.number, r.key, r.state, r.axes, r.settings, m.hash AS machine, r.trace, r.platform,
    r.config, r.command, r.version, r.status, r.partial, r.fingerprint, r.host, r.start, r.seconds, r.processor_seconds,
    r.memory, r.exit_status, r.error, r.cycles, r.thread_instructions, r.warp_instructions, 1.0 * r.thread_instructions / nullif(r.cycles, 0) AS ipc,
    r.ctas, r.sms, r.launch_cycles, r.tail_cycles, r.bound_by
FROM run r JOIN experiment e ON e.id = r.experiment LEFT JOIN machine m ON m.id = r.machine;

CREATE VIEW kernels AS
SELECT k.run, k.number AS kernel, n.name, k.uid, k.grid, k.block, k.stream, k.partial, k.cycles, k.end_cycle, k.thread_instructions,
    k.warp_instructions, 1.0 * k.thread_instructions / nullif(k.cycles, 0) AS ipc, k.ctas, k.sms, k.launch_cycles, k.tail_cycles,
    k.bound_by
FROM kernel k JOIN name n ON n.id = k.name;

-- What a run counted in all, zeros too.
CREATE VIEW statistics AS
SELECT r.id AS run, n.name, coalesce(CAST(json_extract(r.counter_values, '$[' || (l.position >> 4) || '][' || (l.position & 15) || ']') AS BIGINT), 0) AS value
FROM name n JOIN layout l ON l.name = n.id JOIN run r ON r.counters = l.layout
UNION ALL
SELECT r.id AS run, n.name, coalesce(CAST(json_extract(r.instance_values, '$[' || (l.position >> 4) || '][' || (l.position & 15) || ']') AS BIGINT), 0) AS value
FROM name n JOIN layout l ON l.name = n.id JOIN run r ON r.instances = l.layout;

-- The same of each kernel alone.
CREATE VIEW kernel_statistics AS
SELECT k.run, k.number AS kernel, n.name, coalesce(CAST(json_extract(k.counter_values, '$[' || (l.position >> 4) || '][' || (l.position & 15) || ']') AS BIGINT), 0) AS value
FROM name n JOIN layout l ON l.name = n.id JOIN kernel k ON k.counters = l.layout
UNION ALL
SELECT k.run, k.number AS kernel, n.name, coalesce(CAST(json_extract(k.instance_values, '$[' || (l.position >> 4) || '][' || (l.position & 15) || ']') AS BIGINT), 0) AS value
FROM name n JOIN layout l ON l.name = n.id JOIN kernel k ON k.instances = l.layout;

-- Statistics over time: what was counted since the interval before, which ended with an earlier cycle.
CREATE VIEW intervals AS
SELECT i.run, i.cycle, n.name, coalesce(CAST(json_extract(i.numbers, '$[' || (l.position >> 4) || '][' || (l.position & 15) || ']') AS BIGINT), 0) AS value
FROM interval i JOIN run r ON r.id = i.run JOIN layout l ON l.layout = r.intervals JOIN name n ON n.id = l.name;

-- Every value of a run's machine.
CREATE VIEW machine_values AS
SELECT r.id AS run, s.key AS name, s.value
FROM run r JOIN machine m ON m.id = r.machine, json_each(m.settings) s
WHERE lower(s.type) <> 'null'
UNION ALL
SELECT r.id AS run, s.key AS name, s.value
FROM run r JOIN machine m ON m.id = r.machine JOIN machine b ON b.id = m.base, json_each(b.settings) s
WHERE NOT EXISTS (SELECT 1 FROM json_each(m.settings) o WHERE o.key = s.key);

-- What an experiment varies, and the values of each run.
CREATE VIEW axes AS
SELECT r.id AS run, a.key AS name, a.value FROM run r, json_each(r.axes) a;
