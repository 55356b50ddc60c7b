/**
 * Who traces what on this machine: the system's sessions, its providers, and which session has enabled which. Of Linux
 * and Windows in one form, in which a member that a system does not know is undefined.
 */

export interface OverviewProcess {
  readonly processId: number;
  readonly name: string | undefined;
}

export interface OverviewSession {
  readonly name: string;
  /** ETW's own. */
  readonly number?: number;
  /** Who has started it, on Linux. */
  readonly process?: OverviewProcess;
  /** The modes in words. */
  readonly mode: readonly string[];
  /** ETW's LogFileMode. */
  readonly modeBits?: number;
  readonly file?: string;
  /** Their count, unless there is one per processor, and the size of each. */
  readonly buffers?: number;
  readonly bufferKiB?: number;
  readonly lostEvents?: number;
  readonly lostBuffers?: number;
}

/** That a session has enabled a provider, or one tracepoint of it. */
export interface OverviewEnabling {
  /** Its name. */
  readonly session: string;
  readonly tracepoint?: string;
  /** 0 and 255 are all levels. */
  readonly level?: number;
  /** Any of these bits; 0 is all keywords. */
  readonly keywords?: bigint;
  /** An event must also have all of these. */
  readonly allKeywords?: bigint;
  readonly hasStacks?: boolean;
}

export interface OverviewProvider {
  readonly name: string;
  /** The GUID is in lower case. */
  readonly guid?: string;
  /**
   * Says where it is described: `manifest`, `MOF`, `user_events` or `kernel`; undefined for one that describes itself.
   */
  readonly source?: string;
  /** The tracepoints of which it consists on Linux. */
  readonly tracepoints?: readonly string[];
  /** Linux does not tell the processes, so this is undefined there. */
  readonly processes?: readonly OverviewProcess[];
  readonly enabledBy: readonly OverviewEnabling[];
}

export interface TraceOverview {
  readonly sessions: readonly OverviewSession[];
  readonly providers: readonly OverviewProvider[];
  /** What is missing here, as sentences. */
  readonly sessionNotes: readonly string[];
  readonly providerNotes: readonly string[];
}

const ORDER = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Sorts by name, in the same order on every machine. */
export function byName<Named extends { readonly name: string }>(all: Iterable<Named>): Named[] {
  return [...all].sort((a, b) => ORDER.compare(a.name, b.name));
}
