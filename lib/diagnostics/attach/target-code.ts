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
/** What the process itself waits for before it shuts an inspector that nobody uses any more. */
const GUARD_MS = 1000;
/** Has the process wait that long once more. */
export const KEEP_OPEN = "void globalThis[Symbol.for('tracewright.inspector-guard')]?.refresh()";

/** The first expression: has the process close its inspector by itself, and asks what it is. */
export function guardExpression(closesItself: boolean): string {
  const file = join(packageFolder(), BUNDLES, 'auto.cjs');
  return `(${guard})(${closeInspector}, ${closesItself ? GUARD_MS : 0}, ${JSON.stringify(file)})`;
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

function guard(close: () => void, milliseconds: number, file: string): TargetFacts {
  const builtin = (name: string) => {
    if (typeof process.getBuiltinModule === 'function') return process.getBuiltinModule(name);
    return typeof require === 'function' ? require(name) : process.mainModule?.require(name);
  };
  if (milliseconds > 0) {
    const timer = setTimeout(close, milliseconds);
    timer.unref();
    Object.defineProperty(globalThis, Symbol.for('tracewright.inspector-guard'), {
      value: timer,
      configurable: true,
    });
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
  clearTimeout(Reflect.get(globalThis, key));
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
  // All this may have taken longer than the guard waits.
  Reflect.get(globalThis, Symbol.for('tracewright.inspector-guard'))?.refresh();
  return { address: port.address, problem: port.problem };
}
