/**
 * What is evaluated in a process that is being given a port. The text of each function runs there, so a function uses
 * nothing but its arguments and what every Node.js has.
 *
 * V8 evaluates by an interrupt, in the middle of whatever runs: of the writing of an event, or between a call of
 * `fs.statSync` and the reading of its result from a buffer of Node.js's. So what is evaluated only looks, and leaves what
 * changes something to a turn of the event loop. In a loop that is stuck it opens the port, and nothing else.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../../base/package-files.ts';

/** What a process says about itself. */
export interface TargetFacts {
  readonly processId: number;
  /** `v24.1.0`. */
  readonly version: string;
  /** Whether it may read a file of our package's name. */
  readonly canRead: boolean;
}

/** What came of opening the port. */
export interface TargetPort {
  readonly address: string | undefined;
  readonly problem: string | undefined;
}

export interface TargetOutcome {
  /** A worker thread has none. */
  readonly port: TargetPort | undefined;
}

/** What the target's code uses of the package's entries. */
interface Entries {
  openDiagnosticPort(options: { readonly ports: string }): TargetPort & {
    readonly hasClients: boolean;
    close(): Promise<void>;
  };
  enableDiagnostics(options: { readonly ports: string }): unknown;
}

type Builtin = typeof process.getBuiltinModule;

/** Code that has come as text takes this for the package folder. */
const NO_FOLDER = '/tracewright';
/** In `packageFolder()`, as scripts/compile.mjs writes them. */
const BUNDLES = 'dist/cjs';
const ENTRIES = ['auto.cjs', 'diagnostics.cjs', 'open-port.cjs'];

/**
 * The first expression: has the process close its inspector by itself when the visitor is gone, and asks what it is.
 *
 * @param visitorPort from which the visitor is connected to the inspector; undefined if that stays open
 */
export function guardExpression(visitorPort: number | undefined): string {
  return `(${guard})(${builtin}, ${closeInspector}, ${visitorPort ?? 0}, ${JSON.stringify(ownFile())})`;
}

/** Closes the inspector at once, also in the middle of a loop that never ends. */
export function closeExpression(): string {
  return `(${closeInspector})(${builtin})`;
}

/**
 * Has a thread load automatic activities and, if it is the main thread, open the port. Its value is a function, to be
 * called with whether the loop is stuck until it returns a `TargetOutcome`.
 *
 * @param processId by which we know the process
 */
export function prepareExpression(processId: number, { canRead }: TargetFacts, leavesPort: boolean): string {
  const folder = join(packageFolder(), BUNDLES);
  const isSeen = canRead && identityOf(`/proc/${processId}/root${ownFile()}`) === identityOf(ownFile());
  const args = [isSeen ? folder : `${NO_FOLDER}/${BUNDLES}`, isSeen ? null : bundleTexts(folder), leavesPort];
  return `(${postpone})(${builtin}, ${prepare}, ${args.map((arg) => JSON.stringify(arg)).join()})`;
}

function ownFile(): string {
  return join(packageFolder(), BUNDLES, 'auto.cjs');
}

/** Two files of the same device, number and size are one, whatever their paths are in namespaces. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino, size } = statSync(path);
    return `${dev} ${ino} ${size}`;
  } catch {
    return undefined;
  }
}

/** The entries with everything that they load, at once or later. */
function bundleTexts(folder: string): Record<string, string> {
  const texts: Record<string, string> = {};
  const pending = [...ENTRIES];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (texts[name] !== undefined) continue;
    const text = readFileSync(join(folder, name), 'utf8');
    texts[name] = text;
    for (const [, file = ''] of text.matchAll(/\brequire\("\.\/([\w.-]+\.cjs)"\)/g)) pending.push(file);
  }
  return texts;
}

/** `getBuiltinModule` is missing before Node.js 20.16. */
function builtin(name: string): unknown {
  if (typeof process.getBuiltinModule === 'function') return process.getBuiltinModule(name);
  return typeof require === 'function' ? require(name) : process.mainModule?.require(name);
}

function guard(
  module: Builtin,
  close: typeof closeInspector,
  visitorPort: number,
  file: string,
): TargetFacts {
  /** How often the process looks whether the visitor is still connected, and how long one may take. */
  const TICK_MS = 100;
  const MAX_TICKS = 100;
  const inspector = module('inspector');
  const { setImmediate, setInterval, clearInterval } = module('timers');
  const { accessSync, readFileSync, readdirSync, readlinkSync } = module('fs');
  const url = inspector.url();
  const linkOf = (path: string) => {
    try {
      return readlinkSync(path);
    } catch {
      return undefined;
    }
  };
  /** @returns whether the inspector's thread has let go of the visitor's connection */
  const connection = (): (() => boolean) => {
    const [, host = '', port] = /^ws:\/\/(.*):(\d+)\//.exec(url ?? '') ?? [];
    const hex = (number: unknown) => Number(number).toString(16).toUpperCase().padStart(4, '0');
    const folder = '/proc/self/fd';
    try {
      // Source: proc_pid_net(5). The inode is the sixth field after the state.
      const line = new RegExp(`:${hex(port)} \\w+:${hex(visitorPort)} \\w\\w(?: +\\S+){5} +(\\d+)`);
      const [, inode] =
        line.exec(readFileSync(`/proc/self/net/${host.includes(':') ? 'tcp6' : 'tcp'}`, 'latin1')) ?? [];
      const link = `socket:[${inode}]`;
      const path = readdirSync(folder)
        .map((name) => `${folder}/${name}`)
        .find((each) => linkOf(each) === link);
      return () => path === undefined || linkOf(path) !== link;
    } catch {
      // Without /proc, only the time counts.
      return () => false;
    }
  };
  const watch = () => {
    const isGone = connection();
    // Ticks, not the clock: a process that gets no time must not take it from its visitor.
    let ticks = 0;
    const timer = setInterval(() => {
      if (inspector.url() !== url) clearInterval(timer);
      // What is sent to a visitor that was killed, before the inspector's thread has noticed that, can end Node.js 20
      // (SIGSEGV). When the thread has closed its end of the connection, there is nobody to whom closing would send.
      else if (++ticks > MAX_TICKS || isGone()) close(module);
    }, TICK_MS);
    timer.unref();
  };
  if (visitorPort > 0) setImmediate(watch);
  let canRead = true;
  try {
    // Not `statSync`, whose result is in a buffer that the code around this may be about to read.
    accessSync(file, 4);
  } catch {
    canRead = false;
  }
  return { processId: process.pid, version: process.version, canRead };
}

function closeInspector(module: Builtin): void {
  const inspector = module('inspector');
  inspector.close();
  // Node.js answers SIGUSR1 twice: it interrupts JavaScript, and wakes the event loop, which opens the inspector again if
  // that is closed by then (`Agent::RequestIoThreadStart`; seen with Node.js 20 to 26).
  module('timers').setImmediate(() => inspector.close());
}

function postpone(
  module: Builtin,
  work: typeof prepare,
  ...args: readonly [string, Readonly<Record<string, string>> | null, boolean]
): (isStuck: boolean) => TargetOutcome | undefined {
  let outcome: TargetOutcome | { readonly error: unknown } | undefined;
  let hasBegun = false;
  const run = (isStuck: boolean) => {
    // This may interrupt the turn itself.
    if (hasBegun) return;
    hasBegun = true;
    try {
      outcome = { port: work(module, isStuck, ...args) };
    } catch (error) {
      outcome = { error };
    }
  };
  module('timers').setImmediate(run, false);
  return (isStuck) => {
    if (isStuck) run(true);
    if (outcome !== undefined && 'error' in outcome) throw outcome.error;
    return outcome;
  };
}

function prepare(
  module: Builtin,
  isStuck: boolean,
  folder: string,
  texts: Readonly<Record<string, string>> | null,
  leavesPort: boolean,
): TargetPort | undefined {
  /** How often the process looks whether a tool is still connected, and how long the first one may take. */
  const TICK_MS = 250;
  const FIRST_TICKS = 20;
  const LAST_TICKS = 2;
  const { createRequire } = module('module');
  const { compileFunction } = module('vm');
  const { isMainThread } = module('worker_threads');
  const { setImmediate, setInterval, clearInterval } = module('timers');
  const requireFile = createRequire(`${folder}/`);
  // What has come as text stays, as the module cache keeps files: connections that last keep the activities of their
  // requests, and with these the code. Loaded anew for each port, 4 MB more remained each time.
  const key = Symbol.for(`tracewright.modules.v1`);
  const shared = globalThis as { [key]?: Map<string, { exports: unknown }> };
  shared[key] ??= new Map();
  const modules = shared[key];
  const load = (name: string): unknown => {
    const text = texts?.[name];
    if (text === undefined) return requireFile(`./${name}`);
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    const loading = { exports: {} as unknown };
    modules.set(name, loading);
    const file = `${folder}/${name}`;
    const parameters = ['exports', 'require', 'module', '__filename', '__dirname'];
    const requireText = (id: string) => (id.startsWith('./') ? load(id.slice(2)) : requireFile(id));
    const run = compileFunction(text.replace(/^#!.*/, ''), parameters, { filename: file });
    run(loading.exports, requireText, loading, file, folder);
    return loading.exports;
  };
  // What loading listens to in the process goes with the port, and comes back with the next one.
  const listenersKey = Symbol.for('tracewright.listeners.v1');
  const loaded = globalThis as { [listenersKey]?: NodeJS.WorkerListener[] };
  loaded[listenersKey] ??= [];
  const listeners = loaded[listenersKey];
  const entry = (name: string): Entries => {
    const before = process.listeners('worker');
    const exported = load(name) as Entries;
    listeners.push(...process.listeners('worker').filter((each) => !before.includes(each)));
    return exported;
  };
  // The environment's further ports are for programs that wait for their tools from the start.
  const options = { ports: '' };
  const port = isMainThread ? entry('open-port.cjs').openDiagnosticPort(options) : undefined;
  // Sources announce themselves to the sessions of the application, which may be writing an event.
  const observe = () => {
    entry('auto.cjs');
    for (const each of listeners) process.off('worker', each).on('worker', each);
    if (port === undefined) return;
    entry('diagnostics.cjs').enableDiagnostics(options);
    if (leavesPort || port.address === undefined) return;
    let ticks = FIRST_TICKS;
    const timer = setInterval(() => {
      if (port.hasClients) ticks = LAST_TICKS;
      else if (--ticks < 0) {
        clearInterval(timer);
        port.close();
        for (const each of listeners) process.off('worker', each);
      }
    }, TICK_MS);
    timer.unref();
  };
  if (isStuck) setImmediate(observe);
  else observe();
  return port && { address: port.address, problem: port.problem };
}
