/** What the agent counts about itself, as text for Prometheus. */

/** Holds a number for each value of a label. */
export class LabelledNumbers {
  readonly #values = new Map<string, number>();

  /** @param known shown from the start, so that rates have a beginning */
  constructor(known: readonly string[] = []) {
    for (const label of known) this.#values.set(label, 0);
  }

  add(label: string, value = 1): void {
    this.#values.set(label, this.get(label) + value);
  }

  get(label: string): number {
    return this.#values.get(label) ?? 0;
  }

  get sum(): number {
    let sum = 0;
    for (const value of this.#values.values()) sum += value;
    return sum;
  }

  get entries(): Iterable<readonly [string, number]> {
    return this.#values;
  }
}

export class AgentCounters {
  /** The label is the rule. */
  readonly sessions = new LabelledNumbers();
  readonly received = new LabelledNumbers();
  readonly receivedBytes = new LabelledNumbers();
  readonly triggers = new LabelledNumbers();
  /** Events in files. */
  readonly written = new LabelledNumbers();
  /** Events that no trigger asked for: they were only watched, or have left the ring. */
  readonly unused = new LabelledNumbers();
  /** Events that should have been written. By reason. */
  readonly dropped = new LabelledNumbers(['process', 'disk', 'budget', 'memory', 'fault']);
  /** The label is what failed. */
  readonly errors = new LabelledNumbers([
    'process',
    'session',
    'trace',
    'disk',
    'parquet',
    'profile',
    'otlp',
    'scan',
  ]);
  /** Triggers that a limit suppressed. */
  suppressed = 0;
  processes = 0;
  /** Processes that ended before they had a session. */
  missed = 0;
  /** How long processes that have started after the agent ran before their sessions. */
  unwatchedMs = 0;
  /** Events in rings. */
  held = 0;
  heldBytes = 0;
  /** Counts the bytes of rings, and of what has arrived since the last sequence points. */
  memoryUsed = 0;
  memoryBudget = 0;
  throttledMs = 0;
  filesWritten = 0;
  fileBytesWritten = 0;
  filesSalvaged = 0;
  filesRemoved = 0;
  /** Whole files that are yet to be sent, or made into tables. */
  shipping = 0;
  parquetFiles = 0;
  profiles = 0;
  diskUsed = 0;
  diskBudget = 0;
  spansSent = 0;
  scans = 0;
  readonly spansDropped = new LabelledNumbers();
  profilesSent = 0;
  readonly profilesDropped = new LabelledNumbers();
}

type Value = number | LabelledNumbers;

/** Prometheus's text format, version 0.0.4. */
export function prometheusText(counters: AgentCounters): string {
  const memory = process.memoryUsage.rss();
  const { user, system } = process.cpuUsage();
  const metric = (name: string, type: 'counter' | 'gauge', help: string, value: Value, label = '') =>
    [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples(name, value, label), ''].join('\n');
  const counter = (name: string, help: string, value: Value, label?: string) =>
    metric(`tracewright_agent_${name}_total`, 'counter', help, value, label);
  const gauge = (name: string, help: string, value: Value, label?: string) =>
    metric(`tracewright_agent_${name}`, 'gauge', help, value, label);
  return [
    gauge('attached_processes', 'Processes with a session.', counters.processes),
    counter('processes_missed', 'Processes that ended before they had a session.', counters.missed),
    counter(
      'unwatched_seconds',
      'How long processes that have started after the agent ran before their sessions.',
      counters.unwatchedMs / 1000,
    ),
    gauge('sessions', 'Sessions in processes.', counters.sessions, 'rule'),
    counter('events_received', 'Events that arrived from processes.', counters.received, 'rule'),
    counter('bytes_received', 'Bytes that arrived from processes.', counters.receivedBytes, 'rule'),
    counter('events_written', 'Events written to files.', counters.written, 'rule'),
    counter('events_unused', 'Events that no trigger asked for.', counters.unused, 'rule'),
    counter(
      'events_dropped',
      'Events that should be in a file, and are in none.',
      counters.dropped,
      'reason',
    ),
    gauge('ring_events', 'Events in rings.', counters.held),
    gauge('ring_bytes', 'Memory for rings.', counters.heldBytes),
    gauge('memory_bytes', 'Memory for rings and for what has just arrived.', counters.memoryUsed),
    gauge('memory_budget_bytes', 'Memory that may be used for these.', counters.memoryBudget),
    counter('triggers', 'Triggers that had events written.', counters.triggers, 'rule'),
    counter('triggers_suppressed', 'Triggers that a limit of their rule suppressed.', counters.suppressed),
    counter('throttled_seconds', 'Time during which processes had to wait.', counters.throttledMs / 1000),
    counter('files_written', 'Files written whole.', counters.filesWritten),
    counter('file_bytes_written', 'Bytes of files written whole.', counters.fileBytesWritten),
    counter('files_salvaged', 'Files completed after the agent was killed.', counters.filesSalvaged),
    counter('files_removed', 'Whole files removed for newer ones.', counters.filesRemoved),
    gauge('files_waiting', 'Whole files yet to be shipped.', counters.shipping),
    counter('parquet_files_written', 'Parquet files written whole.', counters.parquetFiles),
    counter('profiles_written', 'Profiles written whole.', counters.profiles),
    gauge('disk_bytes', 'Disk space in use.', counters.diskUsed),
    gauge('disk_budget_bytes', 'Disk space that may be used.', counters.diskBudget),
    counter('spans_sent', 'Spans sent to the collector.', counters.spansSent),
    counter('spans_dropped', 'Spans that could not be sent.', counters.spansDropped, 'reason'),
    counter('profiles_sent', 'Profiles sent to the collector.', counters.profilesSent),
    counter('profiles_dropped', 'Profiles that could not be sent.', counters.profilesDropped, 'reason'),
    counter('errors', 'Failures.', counters.errors, 'kind'),
    counter('scans', 'Searches for processes.', counters.scans),
    gauge('resident_memory_bytes', 'Memory of the agent.', memory),
    counter('cpu_seconds', 'CPU time of the agent.', (user + system) / 1e6),
  ].join('');
}

function samples(name: string, value: Value, label: string): string[] {
  if (typeof value === 'number') return [`${name} ${value}`];
  return Array.from(value.entries, ([key, one]) => `${name}{${label}="${escaped(key)}"} ${one}`);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\"]/g, '\\$&').replaceAll('\n', '\\n');
}
