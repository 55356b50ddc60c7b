/** Live programs with events, and the agent that collects them, on the built package; and what is in its files. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, vi } from 'vitest';
import { openTrace } from '../../lib/trace/index.ts';
import { RunningCommand } from '../cli/run-tracewright.ts';
import { isSoak } from '../soak.ts';

const PROGRAM = fileURLToPath(new URL('fleet-program.mjs', import.meta.url));
const HOSTILE = fileURLToPath(new URL('hostile-process.mjs', import.meta.url));
const NOBODY = 65534;
const REGISTER = fileURLToPath(new URL('../../dist/diagnostics/register.js', import.meta.url));
export const PROVIDER = 'Tracewright-Fleet';
/** Hundreds of programs that start at once take minutes. */
const WAIT = { timeout: isSoak ? 300_000 : 20_000, interval: 50 };

class Program {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #stdout = '';

  /** @param rate events in a second */
  constructor(rate: number, env: NodeJS.ProcessEnv) {
    this.#child = spawn(process.execPath, ['--import', REGISTER, PROGRAM, String(rate)], {
      env: { ...process.env, DOTNET_DiagnosticPorts: '', TRACEWRIGHT_DIAGNOSTICS: '', ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text;
    });
    this.#ended = once(this.#child, 'close');
  }

  /** Its lines. */
  get #said(): string[] {
    return this.#stdout.split('\n').slice(0, -1);
  }

  async ready(): Promise<void> {
    await vi.waitFor(() => expect(this.#said).toEqual(['ready']), WAIT);
  }

  /** @returns how many events it has written since it was asked last, while somebody listened */
  async report(signal: 'SIGHUP' | 'SIGTERM'): Promise<number> {
    const said = this.#said.length;
    this.#child.kill(signal);
    await vi.waitFor(() => expect(this.#said.length).toBeGreaterThan(said), WAIT);
    if (signal === 'SIGTERM') await this.#ended;
    return JSON.parse(this.#said.at(-1) ?? '').written;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** As a process that the system gives no time. */
  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }
}

/** What a rule of the agent has beside its name and providers. */
export type FleetRule = { readonly match?: { readonly environment?: object } } & Record<string, unknown>;

export class Fleet {
  readonly root = mkdtempSync(join(tmpdir(), 'tracewright-fleet-'));
  /** Of the agent; each test has one. */
  folder = join(this.root, 'agent');
  programs: Program[] = [];
  agent: RunningCommand | undefined;
  /** Where the programs have their sockets. */
  readonly ports = join(this.root, 'ports');
  readonly #env = { TMPDIR: this.ports };

  constructor() {
    mkdirSync(this.#env.TMPDIR);
  }

  async start(count: number, rate: number, env: NodeJS.ProcessEnv = {}): Promise<void> {
    const started = Array.from({ length: count }, () => new Program(rate, { ...this.#env, ...env }));
    this.programs.push(...started);
    await Promise.all(started.map((program) => program.ready()));
  }

  /** Starts a program in a container: it has its own ids of processes, and its own folder for its socket. */
  startInContainer(rate: number, env: NodeJS.ProcessEnv): ChildProcess {
    const separate = ['--pid', '--fork', '--kill-child', '--mount', '--mount-proc'];
    const script = 'mount -t tmpfs tmpfs "$TMPDIR" && exec "$0" "$@"';
    const program = [process.execPath, '--import', REGISTER, PROGRAM, String(rate)];
    return spawn('unshare', [...separate, 'sh', '-c', script, ...program], {
      env: { ...process.env, ...this.#env, DOTNET_DiagnosticPorts: '', ...env },
      stdio: 'ignore',
    });
  }

  /**
   * Starts hostile-process.mjs, of another user if there can be one. It gets the program's text, for its file may be in a
   * folder that others may not read.
   */
  async startHostile(kind: 'silent' | 'endless' | 'wordy', env: NodeJS.ProcessEnv): Promise<ChildProcess> {
    const isRoot = process.getuid?.() === 0;
    if (isRoot) {
      chmodSync(this.root, 0o755);
      chmodSync(this.ports, 0o1777);
    }
    const child = spawn(process.execPath, ['--input-type=module', '-'], {
      ...(isRoot && { uid: NOBODY, gid: NOBODY }),
      cwd: '/',
      // Of a huge environment, the agent reads the beginning.
      env: { ...this.#env, HOSTILE: kind, ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdin.end(readFileSync(HOSTILE));
    await once(child.stdout, 'data');
    return child;
  }

  /** The agent. */
  command(settings: object = {}, { match = {}, ...rule }: FleetRule = {}): RunningCommand {
    const config = join(this.root, 'agent.json');
    // Only of this fleet: tests run side by side.
    const environment = { ...this.#env, ...match.environment };
    const rules = [{ name: 'fleet', providers: PROVIDER, ...rule, match: { ...match, environment } }];
    const metrics = { port: 0 };
    writeFileSync(
      config,
      JSON.stringify({ folder: this.folder, scanIntervalMs: 200, metrics, rules, ...settings }),
    );
    return new RunningCommand(['agent', '--config', config], {
      env: { ...this.#env, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
    });
  }

  /** Starts it, and waits until it runs. */
  async collect(settings: object = {}, rule: FleetRule = {}): Promise<RunningCommand> {
    const agent = this.command(settings, rule);
    this.agent = agent;
    await vi.waitFor(() => expect(agent.stderr).toContain('/metrics'), WAIT);
    return agent;
  }

  /** Ends the agent as the system does. @returns the numbers that it says, and how many events the programs wrote */
  async endAgent() {
    this.agent?.terminate();
    const { status, stderr } = (await this.agent?.end()) ?? {};
    this.agent = undefined;
    return { status, ...summary(stderr ?? ''), sent: await this.report() };
  }

  /** How many events the programs have written since they were asked last. */
  async report(signal: 'SIGHUP' | 'SIGTERM' = 'SIGHUP', programs = this.programs): Promise<number> {
    const counts = await Promise.all(programs.map((program) => program.report(signal)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  get metricsUrl(): string {
    return /http:\S+/.exec(this.agent?.stderr ?? '')?.[0] ?? '';
  }

  /** The agent's counters by name and label. */
  async metrics(): Promise<Record<string, number>> {
    const text = await (await fetch(this.metricsUrl)).text();
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return Object.fromEntries(
      lines.map((line) => {
        const [, name = '', value] = /^(\S+) (\S+)$/.exec(line) ?? [];
        return [name.replace('tracewright_agent_', ''), Number(value)];
      }),
    );
  }

  /** Waits until the agent has counted so much. */
  async until(name: string, least: number): Promise<void> {
    await vi.waitFor(async () => expect((await this.metrics())[name]).toBeGreaterThanOrEqual(least), WAIT);
  }

  /** Whole ones. */
  get traces(): string[] {
    return this.#files((name) => name.endsWith('.nettrace'));
  }

  /** The folder of the Parquet files. */
  get tables(): string {
    return join(this.folder, 'parquet');
  }

  get partial(): string[] {
    return this.#files((name) => name.endsWith('.partial'));
  }

  async killAgent(): Promise<void> {
    this.agent?.kill();
    await this.agent?.end();
    this.agent = undefined;
  }

  /** Kills the agent, and forgets its folder and what the programs have written. */
  async reset(): Promise<void> {
    await this.killAgent();
    rmSync(this.folder, { recursive: true, force: true });
    await this.report();
  }

  async end(): Promise<void> {
    await this.reset();
    for (const program of this.programs) program.kill();
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }

  #files(isWanted: (name: string) => boolean): string[] {
    const folder = join(this.folder, 'traces');
    return readdirSync(folder)
      .filter(isWanted)
      .map((name) => join(folder, name));
  }
}

/** The events of the programs in a file, which must be whole. */
export async function eventsIn(path: string): Promise<{ events: number; lost: number }> {
  let events = 0;
  const trace = await openTrace(path);
  for await (const { provider } of trace) if (provider === PROVIDER) events++;
  return { events, lost: trace.lostEvents };
}

export async function eventsInAll(paths: readonly string[]): Promise<{ events: number; lost: number }> {
  const all = await Promise.all(paths.map(eventsIn));
  return {
    events: all.reduce((sum, { events }) => sum + events, 0),
    lost: all.reduce((sum, { lost }) => sum + lost, 0),
  };
}

/** What the agent says at its end. */
function summary(stderr: string): { received: number; written: number; dropped: number } {
  const [, ...numbers] =
    /Received ([\d,]+) events?: ([\d,]+) written, [\d,]+ unused, ([\d,]+) dropped/.exec(stderr) ?? [];
  const [received = 0, written = 0, dropped = 0] = numbers.map((text) => Number(text.replaceAll(',', '')));
  return { received, written, dropped };
}
