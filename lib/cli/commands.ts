/** The commands by name: a one-line summary, and the module. */
import type { CommandLine } from './command-line.ts';

/** Resolves with the exit status if it is not 0: that of a command which it has run. */
export type Run = (args: readonly string[]) => Promise<unknown>;

interface Command {
  /** The arguments other than options; empty if none has a name. */
  readonly takes: string;
  readonly summary: string;
  /** Loaded when the command runs, so that no command waits for what only another one needs. */
  load(): Promise<{ readonly run: Run; readonly commandLine: Pick<CommandLine, 'help' | 'rows'> }>;
}

export const COMMANDS: Readonly<Record<string, Command>> = {
  agent: {
    takes: '',
    summary: "collects the events of a machine's processes by rules",
    load: () => import('./agent.ts'),
  },
  check: {
    takes: 'FILE',
    summary: 'fails if a trace breaks a rule, for continuous integration',
    load: () => import('./check/check.ts'),
  },
  collect: {
    takes: '',
    summary: 'records the events of a .NET or Node.js process',
    load: () => import('./collect/collect.ts'),
  },
  counters: {
    takes: '',
    summary: 'shows the counters of a .NET or Node.js process',
    load: () => import('./counters/counters.ts'),
  },
  diff: {
    takes: 'FILE FILE',
    summary: 'says what differs between two traces by more than noise',
    load: () => import('./diff.ts'),
  },
  dump: {
    takes: 'FILE',
    summary: 'prints the events of a trace',
    load: () => import('./dump/dump.ts'),
  },
  explain: {
    takes: 'FILE',
    summary: 'says why activities of a trace were slow',
    load: () => import('./explain.ts'),
  },
  export: {
    takes: 'FILE',
    summary: 'exports a trace for Perfetto, speedscope, pprof, spreadsheets or as nettrace',
    load: () => import('./export/export.ts'),
  },
  live: {
    takes: '',
    summary: "shows the system's events as they are written",
    load: () => import('./live/live.ts'),
  },
  manifest: {
    takes: 'FILE',
    summary: 'prints the ETW manifests of the event sources that a module defines',
    load: () => import('./manifest/manifest.ts'),
  },
  now: {
    takes: '',
    summary: 'shows what is open in a Node.js process, and what it waits for',
    load: () => import('./now.ts'),
  },
  pattern: {
    takes: 'PATH',
    summary: 'prints a regular expression for the ids of an activity',
    load: () => import('./pattern.ts'),
  },
  providers: {
    takes: '',
    summary: 'lists the providers of events and who records them (Linux, Windows)',
    load: () => import('./lists/providers.ts'),
  },
  ps: {
    takes: '',
    summary: 'lists the processes whose events and counters can be read',
    load: () => import('./lists/ps.ts'),
  },
  query: {
    takes: 'FILE',
    summary: 'answers SQL about traces and folders of Parquet files',
    load: () => import('./query/query.ts'),
  },
  record: {
    takes: '',
    summary: "records the system's events (Linux, Windows)",
    load: () => import('./record/record.ts'),
  },
  report: {
    takes: 'FILE',
    summary: 'writes a trace as one HTML file for a browser',
    load: () => import('./report.ts'),
  },
  sessions: {
    takes: '',
    summary: 'lists the recordings of this machine (Linux, Windows)',
    load: () => import('./lists/sessions.ts'),
  },
  stats: {
    takes: 'FILE',
    summary: 'counts the events of a trace',
    load: () => import('./stats.ts'),
  },
  view: {
    takes: 'FILE',
    summary: 'shows the activities of a trace as a tree, a table or statistics',
    load: () => import('./view/view.ts'),
  },
};

/** @returns undefined if there is no such command */
export function commandOf(name: string): Command | undefined {
  return Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
}
