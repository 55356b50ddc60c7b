/** The commands by name: a one-line summary, and the module. */

/** Resolves with the exit status if it is not 0: that of a command which it has run. */
export type Run = (args: readonly string[]) => Promise<unknown>;

export interface Command {
  /** The arguments other than options; empty if none has a name. */
  readonly takes: string;
  readonly summary: string;
  /** Loaded when the command runs, so that no command waits for what only another one needs. */
  load(): Promise<{ readonly run: Run; readonly usage: string }>;
}

export const COMMANDS: Readonly<Record<string, Command>> = {
  agent: {
    takes: '',
    summary: "collects the events of a machine's processes by rules",
    load: async () => {
      const { agentCommand: run, AGENT_USAGE: usage } = await import('./agent.ts');
      return { run, usage };
    },
  },
  check: {
    takes: 'FILE',
    summary: 'fails if a trace breaks a rule, for continuous integration',
    load: async () => {
      const { checkCommand: run, CHECK_USAGE: usage } = await import('./check/check.ts');
      return { run, usage };
    },
  },
  collect: {
    takes: '',
    summary: 'records the events of a .NET or Node.js process',
    load: async () => {
      const { collectCommand: run, COLLECT_USAGE: usage } = await import('./collect/collect.ts');
      return { run, usage };
    },
  },
  counters: {
    takes: '',
    summary: 'shows the counters of a .NET or Node.js process',
    load: async () => {
      const { countersCommand: run, COUNTERS_USAGE: usage } = await import('./counters/counters.ts');
      return { run, usage };
    },
  },
  diff: {
    takes: 'FILE FILE',
    summary: 'says what differs between two traces by more than noise',
    load: async () => {
      const { diffCommand: run, DIFF_USAGE: usage } = await import('./diff.ts');
      return { run, usage };
    },
  },
  dump: {
    takes: 'FILE',
    summary: 'prints the events of a trace',
    load: async () => {
      const { dumpCommand: run, DUMP_USAGE: usage } = await import('./dump/dump.ts');
      return { run, usage };
    },
  },
  explain: {
    takes: 'FILE',
    summary: 'says why activities of a trace were slow',
    load: async () => {
      const { explainCommand: run, EXPLAIN_USAGE: usage } = await import('./explain.ts');
      return { run, usage };
    },
  },
  export: {
    takes: 'FILE',
    summary: 'exports a trace for Perfetto, speedscope, pprof, spreadsheets or as nettrace',
    load: async () => {
      const { exportCommand: run, EXPORT_USAGE: usage } = await import('./export/export.ts');
      return { run, usage };
    },
  },
  live: {
    takes: '',
    summary: "shows the system's events as they are written",
    load: async () => {
      const [{ liveCommand: run }, { LIVE_USAGE: usage }] = await Promise.all([
        import('./live/live.ts'),
        import('./live/live-arguments.ts'),
      ]);
      return { run, usage };
    },
  },
  manifest: {
    takes: 'FILE',
    summary: 'prints the ETW manifests of the event sources that a module defines',
    load: async () => {
      const { manifestCommand: run, MANIFEST_COMMAND_USAGE: usage } = await import('./manifest/manifest.ts');
      return { run, usage };
    },
  },
  pattern: {
    takes: 'PATH',
    summary: 'prints a regular expression for the ids of an activity',
    load: async () => {
      const { patternCommand: run, PATTERN_USAGE: usage } = await import('./pattern.ts');
      return { run, usage };
    },
  },
  providers: {
    takes: '',
    summary: 'lists the providers of events and who records them (Linux, Windows)',
    load: async () => {
      const { providersCommand: run, PROVIDERS_USAGE: usage } = await import('./lists/providers.ts');
      return { run, usage };
    },
  },
  ps: {
    takes: '',
    summary: 'lists the processes whose events and counters can be read',
    load: async () => {
      const { psCommand: run, PS_USAGE: usage } = await import('./lists/ps.ts');
      return { run, usage };
    },
  },
  query: {
    takes: 'FILE',
    summary: 'answers SQL about traces and folders of Parquet files',
    load: async () => {
      const { queryCommand: run, QUERY_USAGE: usage } = await import('./query/query.ts');
      return { run, usage };
    },
  },
  record: {
    takes: '',
    summary: "records the system's events (Linux, Windows)",
    load: async () => {
      const [{ recordCommand: run }, { RECORD_USAGE: usage }] = await Promise.all([
        import('./record/record.ts'),
        import('./record/record-arguments.ts'),
      ]);
      return { run, usage };
    },
  },
  report: {
    takes: 'FILE',
    summary: 'writes a trace as one HTML file for a browser',
    load: async () => {
      const { reportCommand: run, REPORT_USAGE: usage } = await import('./report.ts');
      return { run, usage };
    },
  },
  sessions: {
    takes: '',
    summary: 'lists the recordings of this machine (Linux, Windows)',
    load: async () => {
      const { sessionsCommand: run, SESSIONS_USAGE: usage } = await import('./lists/sessions.ts');
      return { run, usage };
    },
  },
  stats: {
    takes: 'FILE',
    summary: 'counts the events of a trace',
    load: async () => {
      const { statsCommand: run, STATS_USAGE: usage } = await import('./stats.ts');
      return { run, usage };
    },
  },
  view: {
    takes: 'FILE',
    summary: 'shows the activities of a trace as a tree, a table or statistics',
    load: async () => {
      const { viewCommand: run, VIEW_USAGE: usage } = await import('./view/view.ts');
      return { run, usage };
    },
  },
};

/** @returns undefined if there is no such command */
export function commandOf(name: string): Command | undefined {
  return Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
}
