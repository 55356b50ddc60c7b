// `node etw-modes.mjs [CASE]...`: runs the cases of etw-cases.mjs, all by default, with sessions of ETW, and checks what is
// in their files. As administrator, on Windows; the checkout set up (npm run setup). The files stay in build/etw/modes.
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineEventSource, event } from 'tracewright';
import { EtwSession, etwEventsOf } from 'tracewright/etw';
import { openTrace } from '../../dist/trace/open-trace.js';
import { report, run, ToolError } from '../lib/run.mjs';
import { cases, KINDS, PROVIDER, SESSION } from './etw-cases.mjs';

const root = join(import.meta.dirname, '../..');
const TEXT = 'x'.repeat(200);
/** What the buffers of a session have room for. */
const BURST = 200;
const WAIT_MILLISECONDS = 10_000;
/** For what cannot be waited for: that something does not happen, and the callbacks of other threads. */
const SETTLE_MILLISECONDS = 500;

/** The ids of a manifest are those of the cases; TraceLogging events have names. */
function defineSource(etwFormat) {
  /** @type {import('tracewright').FieldDefinitions} */
  const fields = { number: 'uint32', kind: 'string', text: 'string' };
  const events = Object.entries(KINDS).map(([kind, options]) => [kind, event(fields, options)]);
  const log = defineEventSource(PROVIDER, Object.fromEntries(events), { etwFormat });
  log.onStateRequest(() => log.State({ number: 0, kind: 'State', text: '' }));
  return log;
}

async function eventsIn(input) {
  const events = [];
  for await (const { provider, payload, stack } of await openTrace(input)) {
    if (provider !== PROVIDER || payload.kind === undefined) continue;
    events.push({ kind: payload.kind, number: payload.number, hasStack: (stack?.length ?? 0) > 0 });
  }
  return events;
}

class Harness {
  processId = process.pid;
  #folder;
  #log;
  #sessions = [];

  constructor(name, { format = 'manifest' }) {
    this.#folder = join(root, 'build/etw/modes', name);
    rmSync(this.#folder, { recursive: true, force: true });
    mkdirSync(this.#folder, { recursive: true });
    this.#log = defineSource(format);
  }

  path(name) {
    return join(this.#folder, name);
  }

  async start({ file, ...options }, enabled) {
    const session = EtwSession.start({
      ...{ name: SESSION, bufferBytes: 64 << 10, buffers: 64 },
      ...(file && { file: this.path(file) }),
      ...options,
    });
    this.#sessions.push(session);
    await this.enable(session, enabled);
    return session;
  }

  /** Waits for the session's request to arrive, unless a filter keeps it away. */
  async enable(session, options) {
    session.enable(PROVIDER, options);
    const isAny = () => Object.keys(KINDS).some((kind) => this.#log[kind].enabled);
    const end = Date.now() + WAIT_MILLISECONDS;
    const mayStayOff = options.executables !== undefined || options.processIds !== undefined;
    while (!mayStayOff && !isAny() && Date.now() < end) await sleep(10);
    await this.settle();
  }

  settle() {
    return sleep(SETTLE_MILLISECONDS);
  }

  async write(count, { kind, from = 0 }) {
    for (let number = from; number < from + count; number++) {
      this.#log[kind]({ number, kind, text: TEXT });
      if (number % BURST === BURST - 1) await sleep(1);
    }
  }

  #files(name) {
    const parts = name.split(/%d|\*/).map((part) => part.replaceAll('.', '\\.'));
    const names = readdirSync(this.#folder).filter((entry) =>
      new RegExp(`^${parts.join('.*')}$`).test(entry),
    );
    return names.sort(new Intl.Collator('en', { numeric: true }).compare).map((entry) => this.path(entry));
  }

  sizes(name) {
    return this.#files(name).map((file) => statSync(file).size);
  }

  async read(name) {
    const events = [];
    for (const file of this.#files(name)) events.push(...(await eventsIn(file)));
    return events;
  }

  receive() {
    const events = eventsIn(etwEventsOf(SESSION));
    return () => events;
  }

  async system(name) {
    const [names, stacked] = [new Set(), new Set()];
    for await (const { provider, name: event, stack } of await openTrace(this.path(name))) {
      const whole = `${provider}/${event}`;
      names.add(whole);
      if ((stack?.length ?? 0) > 0) stacked.add(whole);
    }
    return { names: [...names], stacked: [...stacked] };
  }

  list(...args) {
    const cli = join(root, 'dist/cjs/cli.cjs');
    const lines = run(process.execPath, [cli, ...args, '--json'], { timeout: 60_000 })
      .trim()
      .split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  }

  end() {
    for (const session of this.#sessions) session.close();
    this.#log.close();
  }
}

async function problemsOf(name, one) {
  for (const session of [SESSION, `${SESSION}-2`]) EtwSession.open(session)?.close();
  const harness = new Harness(name, one);
  try {
    return await one.run(harness);
  } catch (error) {
    return [error.stack];
  } finally {
    harness.end();
  }
}

try {
  if (process.platform !== 'win32') throw new ToolError('ETW is part of Windows only.', '');
  const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(cases);
  for (const name of names) {
    if (!Object.hasOwn(cases, name)) {
      throw new ToolError(`"${name}" is none of ${Object.keys(cases).join(', ')}.`, '');
    }
    const problems = await problemsOf(name, cases[name]);
    console.log(problems.length === 0 ? `${name}: ${cases[name].sees}` : `${name} FAILED`);
    for (const problem of problems) console.error(`${name}: ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
  }
} catch (error) {
  report(error);
}
