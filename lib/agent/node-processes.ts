/** The processes of this machine that have a diagnostic port, in any container, as they come. */
import { setMaxListeners } from 'node:events';
import { readFile } from 'node:fs/promises';
import { glob, globs } from '../base/glob.ts';
import { isAlive } from '../base/is-alive.ts';
import { thrownMessage } from '../base/value-text.ts';
import { checkedTarget } from '../diagnostics/client/checked-port.ts';
import { DiagnosticsClientError } from '../diagnostics/client/client-error.ts';
import { DiagnosticsClient } from '../diagnostics/client/diagnostics-client.ts';
import { listPorts } from '../diagnostics/client/find-port.ts';
import type { DiagnosticPort } from '../diagnostics/client/port-folder.ts';
import { processName } from '../wire/diagnostics-ipc/process-info.ts';
import type { AgentCounters } from './agent-counters.ts';
import type { Say } from './notices.ts';
import { PortWatch } from './port-watch.ts';
import { processResource, type Resource } from './process-resource.ts';
import type { RuleSettings } from './settings/agent-settings.ts';

export interface NodeProcess {
  readonly processId: number;
  readonly client: DiagnosticsClient;
  /** When it has started, in milliseconds since the system booted; NaN if the system does not say it. */
  readonly startMs: number;
  /** Whether it had been found before, and has lost its session. */
  readonly isKnown: boolean;
  /** The name of what the process runs: `server.js`. */
  readonly name: string;
  /** OpenTelemetry's name of the service, otherwise the process's name. */
  readonly service: string;
  readonly resource: Resource;
  readonly commandLine: string;
  readonly runtime: 'node' | 'dotnet';
  /** The environment and the control group are empty if this user may not read them. */
  readonly environment: Readonly<Record<string, string>>;
  /** The path of its control group, which names its container and pod. */
  readonly container: string;
}

/** How long a process may take to answer: one that is busy answers late, and nobody waits for it. */
const ANSWER_MS = 30_000;
/** How many may be waited for at the same time. */
const MAX_ASKED = 256;
/** The clock in /proc/PID/stat ticks this often: USER_HZ is 100 on all architectures that Node.js supports. */
const MS_PER_TICK = 10;
/** A process that cannot be asked is asked again after this many scans at most. */
const MAX_PAUSE = 64;
/** .NET's versions are far below those of Node.js that tracewright supports. */
const FIRST_NODE_VERSION = 20;
/** A larger environment is cut off. */
const MAX_TEXT = 1 << 20;

interface Seen {
  readonly key: string;
  failures: number | undefined;
  hasAnswered: boolean;
  /** The number of the scan from which on it is asked. */
  askAt: number;
}

export class NodeProcesses {
  readonly #counters: AgentCounters;
  readonly #say: Say;
  readonly #seen = new Map<number, Seen>();
  readonly #onFound: (process: NodeProcess) => void;
  readonly #onStart: () => void;
  readonly #ports: PortWatch;
  readonly #asked = new Set<Promise<void>>();
  readonly #stopped = new AbortController();
  #scans = 0;

  /**
   * @param onFound called with each process that answers
   * @param onStart called when a process has started: it is time for a scan
   */
  constructor(
    counters: AgentCounters,
    say: Say,
    onFound: (process: NodeProcess) => void,
    onStart: () => void,
  ) {
    this.#counters = counters;
    this.#say = say;
    this.#onFound = onFound;
    this.#onStart = onStart;
    setMaxListeners(MAX_ASKED, this.#stopped.signal);
    this.#ports = new PortWatch(onStart, () => counters.missed++);
  }

  /** Asks those that have come since the last scan, and those that could not be asked then; does not wait for answers. */
  async scan(): Promise<void> {
    this.#scans++;
    const present = new Map<number, string>();
    const ports = await listPorts((processId, key) => {
      present.set(processId, key);
      return processId !== process.pid && this.#isDue(processId, key);
    });
    for (const processId of this.#seen.keys()) {
      if (!present.has(processId)) this.#seen.delete(processId);
    }
    for (const port of ports) {
      if (this.#asked.size >= MAX_ASKED) await Promise.race(this.#asked);
      if (this.#stopped.signal.aborted) return;
      const asked = this.#ask(port, present.get(port.processId) ?? '');
      this.#asked.add(asked);
      asked.finally(() => this.#asked.delete(asked));
    }
    this.#ports.tick();
  }

  /** Asks no more processes, and waits for no answers. */
  stop(): void {
    this.#stopped.abort();
    this.#ports.close();
  }

  /** Its session has ended, though it may still run: the next scan finds it again, if it does. */
  forget(processId: number): void {
    const seen = this.#seen.get(processId);
    if (seen !== undefined) this.#postpone(processId, seen.key, seen.failures);
  }

  #isDue(processId: number, key: string): boolean {
    const seen = this.#seen.get(processId);
    if (seen === undefined || seen.key !== key) return true;
    return seen.askAt <= this.#scans;
  }

  #postpone(processId: number, key: string, before = 0): void {
    const failures = before + 1;
    const pause = Math.min(2 ** before, MAX_PAUSE);
    const hasAnswered = this.#hasAnswered(processId, key);
    this.#seen.set(processId, { key, failures, hasAnswered, askAt: this.#scans + pause });
  }

  #hasAnswered(processId: number, key: string): boolean {
    const seen = this.#seen.get(processId);
    return seen?.key === key && seen.hasAnswered;
  }

  async #ask(port: DiagnosticPort, key: string): Promise<void> {
    const { processId } = port;
    const failures = this.#seen.get(processId)?.failures;
    const isKnown = this.#hasAnswered(processId, key);
    const seen = { key, failures, hasAnswered: isKnown, askAt: Number.POSITIVE_INFINITY };
    this.#seen.set(processId, seen);
    this.#ports.found(port.address);
    try {
      const client = new DiagnosticsClient(checkedTarget(port, ANSWER_MS), ANSWER_MS);
      const info = await client.processInfo(this.#stopped.signal);
      seen.hasAnswered = true;
      const isNode = Number.parseInt(info.productVersion ?? '', 10) >= FIRST_NODE_VERSION;
      const [name, environment] = [processName(info), variables(await textOf(`/proc/${processId}/environ`))];
      const container = (await textOf(`/proc/${processId}/cgroup`)).trim();
      const resource = processResource(environment, container);
      this.#onFound({
        processId,
        client,
        isKnown,
        startMs: Number(key || Number.NaN) * MS_PER_TICK,
        name,
        service: resource['service.name'] ?? name,
        resource,
        commandLine: info.commandLine,
        runtime: isNode ? 'node' : 'dotnet',
        environment,
        container,
      });
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
      // Another process may have its number by now.
      if (this.#seen.get(processId)?.key === key) this.#postpone(processId, key, failures);
      const hasEnded = error instanceof DiagnosticsClientError && error.code === 'ended';
      if (hasEnded && !isAlive(processId)) this.#counters.missed++;
      // It may not listen yet.
      else if (hasEnded && failures === undefined) this.#onStart();
      else if (!hasEnded) {
        this.#counters.errors.add('process');
        this.#say(thrownMessage(error), 'process');
      }
    }
  }
}

/** Tests whether a rule applies to a process. */
export function matcher({ match }: RuleSettings): (process: NodeProcess) => boolean {
  const matches = globs({ name: match.name, commandLine: match.commandLine });
  const hasVariables = globs(match.environment);
  const isIn = glob(match.container === undefined ? '*' : `*${match.container}*`);
  return (process) =>
    matches({ name: process.name, commandLine: process.commandLine }) &&
    (match.runtime ?? process.runtime) === process.runtime &&
    hasVariables(process.environment) &&
    isIn(process.container);
}

async function textOf(path: string): Promise<string> {
  return (await readFile(path, 'utf8').catch(() => '')).slice(0, MAX_TEXT);
}

function variables(environ: string): Record<string, string> {
  const pairs = environ.split('\0').map((pair): [string, string] => {
    const equals = pair.indexOf('=');
    return [pair.slice(0, Math.max(equals, 0)), pair.slice(equals + 1)];
  });
  return Object.fromEntries(pairs.filter(([name]) => name !== ''));
}
