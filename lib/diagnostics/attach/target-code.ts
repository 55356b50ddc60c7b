/**
 * What is evaluated in a process that is being given a port. The text of each function runs there, so a function uses
 * nothing but its arguments and what every Node.js has. `getBuiltinModule` is missing before Node.js 20.16.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../../base/package-files.ts';

/** What a process says about itself. */
export interface TargetFacts {
  readonly processId: number;
  /** `v24.1.0`. */
  readonly version: string;
  /** The file of our package as the process sees it; see `identityOf`. */
  readonly identity: string;
}

/** What came of opening the port. */
export interface TargetPort {
  readonly address: string | undefined;
  readonly problem: string | undefined;
}

/** What the target's code uses of the package's entries. */
interface Entries {
  enableDiagnostics(options: { readonly ports: string }): TargetPort & {
    readonly hasClients: boolean;
    close(): Promise<void>;
  };
}

/** Code that has come as text takes this for the package folder. */
const NO_FOLDER = '/tracewright';
/** In `packageFolder()`, as scripts/compile.mjs writes them. */
const BUNDLES = 'dist/cjs';
const ENTRIES = ['auto.cjs', 'diagnostics.cjs'];

/**
 * The first expression: has the process close its inspector by itself when the visitor is gone, and asks what it is.
 *
 * @param visitorPort from which the visitor is connected to the inspector; undefined if that stays open
 */
export function guardExpression(visitorPort: number | undefined): string {
  const file = join(packageFolder(), BUNDLES, 'auto.cjs');
  return `(${guard})(${closeInspector}, ${visitorPort ?? 0}, ${JSON.stringify(file)})`;
}

/** Closes the inspector at once, also in the middle of a loop that never ends. */
export function closeExpression(): string {
  return call(closeInspector);
}

/** Loads automatic activities into a thread and, if it is the main thread, opens the port. */
export function prepareExpression(facts: TargetFacts, leavesPort: boolean): string {
  const folder = join(packageFolder(), BUNDLES);
  const isSeen = facts.identity === identityOf(join(folder, 'auto.cjs'));
  const texts = isSeen ? undefined : bundleTexts(folder);
  return call(prepare, isSeen ? folder : `${NO_FOLDER}/${BUNDLES}`, texts, leavesPort);
}

/** Two files of the same device, number and size are one, whatever their paths are in namespaces. */
function identityOf(path: string): string {
  const { dev, ino, size } = statSync(path);
  return `${dev} ${ino} ${size}`;
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

function call<A extends unknown[]>(work: (...args: A) => unknown, ...args: A): string {
  return `(${work})(${args.map((arg) => JSON.stringify(arg) ?? 'undefined').join()})`;
}

function guard(close: () => void, visitorPort: number, file: string): TargetFacts {
  /** How often the process looks whether the visitor is still connected, and how long one may take. */
  const TICK_MS = 100;
  const MAX_TICKS = 100;
  /** Node.js 20 may die (SIGSEGV in the inspector's own thread) if it has not yet noticed that the visitor is gone. */
  const GONE_TICKS = 10;
  const builtin = (name: string) => {
    if (typeof process.getBuiltinModule === 'function') return process.getBuiltinModule(name);
    return typeof require === 'function' ? require(name) : process.mainModule?.require(name);
  };
  if (visitorPort > 0) {
    const { readFileSync } = builtin('fs');
    const [, host = '', port] = /^ws:\/\/(.*):(\d+)\//.exec(builtin('inspector').url()) ?? [];
    const hex = (number: unknown) => Number(number).toString(16).toUpperCase().padStart(4, '0');
    // The kernel knows at once that a visitor was killed, and that a slow one was not. An established connection has
    // state 01. Source: proc_pid_net(5).
    const connection = new RegExp(`:${hex(port)} \\w+:${hex(visitorPort)} 01 `);
    const table = `/proc/self/net/${host.includes(':') ? 'tcp6' : 'tcp'}`;
    const isVisited = () => {
      try {
        return connection.test(readFileSync(table, 'latin1'));
      } catch {
        // Without /proc, only the time counts.
        return true;
      }
    };
    // Ticks, not the clock: a process that gets no time must not take it from its visitor.
    let ticks = 0;
    let gone = 0;
    const timer = setInterval(() => {
      gone = isVisited() ? 0 : gone + 1;
      if (++ticks > MAX_TICKS || gone === GONE_TICKS) close();
    }, TICK_MS);
    timer.unref();
    const key = Symbol.for('tracewright.inspector-guard');
    Object.defineProperty(globalThis, key, { value: timer, configurable: true });
  }
  let identity = '';
  try {
    const { dev, ino, size } = builtin('fs').statSync(file);
    identity = `${dev} ${ino} ${size}`;
  } catch {
    // The process does not see the file.
  }
  return { processId: process.pid, version: process.version, identity };
}

function closeInspector(): void {
  const key = Symbol.for('tracewright.inspector-guard');
  clearInterval(Reflect.get(globalThis, key));
  Reflect.deleteProperty(globalThis, key);
  const name = 'inspector';
  const builtin =
    typeof process.getBuiltinModule === 'function'
      ? process.getBuiltinModule(name)
      : typeof require === 'function'
        ? require(name)
        : process.mainModule?.require(name);
  builtin.close();
  // Node.js answers SIGUSR1 twice: it interrupts JavaScript, and wakes the event loop, which opens the inspector again if
  // that is closed by then (`Agent::RequestIoThreadStart`; seen with Node.js 20 to 26).
  setImmediate(() => builtin.close());
}

function prepare(
  folder: string,
  texts: Readonly<Record<string, string>> | undefined,
  leavesPort: boolean,
): TargetPort | undefined {
  /** How often the process looks whether a tool is still connected, and how long the first one may take. */
  const TICK_MS = 250;
  const FIRST_TICKS = 20;
  const LAST_TICKS = 2;
  const { createRequire } = process.getBuiltinModule('node:module');
  const { compileFunction } = process.getBuiltinModule('node:vm');
  const { isMainThread } = process.getBuiltinModule('node:worker_threads');
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
    const module = { exports: {} as unknown };
    modules.set(name, module);
    const file = `${folder}/${name}`;
    const parameters = ['exports', 'require', 'module', '__filename', '__dirname'];
    const requireText = (id: string) => (id.startsWith('./') ? load(id.slice(2)) : requireFile(id));
    const run = compileFunction(text.replace(/^#!.*/, ''), parameters, { filename: file });
    run(module.exports, requireText, module, file, folder);
    return module.exports;
  };
  // What loading listens to in the process goes with the port, and comes back with the next one.
  const listenersKey = Symbol.for('tracewright.listeners.v1');
  const loaded = globalThis as { [listenersKey]?: NodeJS.WorkerListener[] };
  const before = process.listeners('worker');
  load('auto.cjs');
  loaded[listenersKey] ??= process.listeners('worker').filter((listener) => !before.includes(listener));
  const listeners = loaded[listenersKey];
  for (const each of listeners) process.off('worker', each).on('worker', each);
  if (!isMainThread) return undefined;
  const { enableDiagnostics } = load('diagnostics.cjs') as Entries;
  // The environment's further ports are for programs that wait for their tools from the start.
  const port = enableDiagnostics({ ports: '' });
  if (!leavesPort && port.address !== undefined) {
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
  }
  return { address: port.address, problem: port.problem };
}
