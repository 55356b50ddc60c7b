/**
 * The cases that Windows runners run, on a model of ETW: each accepts sessions that do what they are asked for, and
 * notices those that do something else; and the guide lists each with its command.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type {
  EtwProviderOptions,
  EtwSessionOptions,
  EtwSessionUpdate,
} from '../../lib/record/etw-session.ts';
import * as etwCases from '../../scripts/ci/etw-cases.mjs';

const { KINDS, PROVIDER } = etwCases;

type Kind = keyof typeof KINDS;

interface CaseEvent {
  readonly kind: Kind;
  readonly number: number;
  readonly hasStack: boolean;
}

interface EtwCase {
  /** What must be seen. */
  readonly sees: string;
  /** @returns what is wrong, in sentences */
  run(harness: Model): Promise<readonly string[]>;
}

const cases: Readonly<Record<string, EtwCase>> = etwCases.cases;

const EVENT_SIZE = 500;
const PROCESS = 812;
const IDS = Object.keys(KINDS);

/** What a session is asked for, or nothing of it. */
type Obedience = 'asked' | 'ignores everything';

class ModelSession {
  readonly options: Partial<EtwSessionOptions>;
  enabled: EtwProviderOptions = {};
  isRunning = true;
  readonly #model: Model;
  #status = { flushIntervalMs: 0, maxBuffers: 64, eventsLost: 0 };
  #file: string;
  #number = 1;
  #ring: CaseEvent[] = [];

  constructor(model: Model, options: Partial<EtwSessionOptions>) {
    this.#model = model;
    this.options = options;
    this.#file = options.file ?? '';
    if (options.mode !== 'memory') this.#events();
  }

  #events(): CaseEvent[] {
    const name = this.#file.replace('%d', String(this.#number));
    const events = this.#model.files.get(name) ?? [];
    this.#model.files.set(name, events);
    return events;
  }

  take(event: CaseEvent): void {
    const { mode, maxFileBytes, buffers = 0 } = this.options;
    const room = (maxFileBytes ?? Number.POSITIVE_INFINITY) / EVENT_SIZE;
    if (mode === 'memory') {
      this.#ring.push(event);
      if (this.#ring.length > (buffers * 65_536) / EVENT_SIZE) this.#ring.shift();
      return;
    }
    const events = this.#events();
    if (events.length + 1 <= room) events.push(event);
    else if (mode === 'circular') {
      events.shift();
      events.push(event);
    } else if (mode === 'newFile') {
      this.nextFile();
      this.#events().push(event);
    } else this.isRunning = false;
  }

  query() {
    return this.isRunning ? this.#status : undefined;
  }

  update({ file, flushIntervalMs = 0, maxBuffers = 0 }: EtwSessionUpdate): void {
    this.#status = { ...this.#status, flushIntervalMs, maxBuffers };
    this.#file = file ?? this.#file;
  }

  flush(file: string): void {
    this.#model.files.set(file, [...this.#ring]);
  }

  nextFile(): void {
    this.#number++;
    this.#events();
  }

  captureState(): void {
    this.take({ kind: 'State', number: 0, hasStack: false });
  }

  close() {
    const status = this.query();
    this.isRunning = false;
    return status;
  }
}

/** The events that a session lets through, and whether with a stack. */
function passes(kind: Kind, enabled: EtwProviderOptions): boolean {
  const { level, keywords } = KINDS[kind];
  const id = IDS.indexOf(kind) + 1;
  const { eventIds = [id], exceptEventIds = [], eventNames = [kind], executables, processIds } = enabled;
  return (
    level <= (enabled.level ?? 255) &&
    (keywords === 0n ? enabled.ignoresKeyword0 !== true : (keywords & (enabled.keywords ?? -1n)) !== 0n) &&
    eventIds.includes(id) &&
    !exceptEventIds.includes(id) &&
    eventNames.includes(kind) &&
    executables?.includes('node.exe') !== false &&
    processIds?.includes(PROCESS) !== false
  );
}

class Model {
  readonly processId = PROCESS;
  readonly files = new Map<string, CaseEvent[]>();
  readonly #sessions: ModelSession[] = [];
  readonly #obedience: Obedience;

  constructor(obedience: Obedience) {
    this.#obedience = obedience;
  }

  get #obeys(): boolean {
    return this.#obedience === 'asked';
  }

  async start(options: Partial<EtwSessionOptions>, enabled: EtwProviderOptions) {
    const { file = 'trace.etl' } = options;
    const session = new ModelSession(this, this.#obeys ? options : { file });
    this.#sessions.push(session);
    await this.enable(session, enabled);
    return session;
  }

  async enable(session: ModelSession, options: EtwProviderOptions): Promise<void> {
    session.enabled = options;
  }

  async settle(): Promise<void> {}

  path(name: string): string {
    return name;
  }

  async write(count: number, { kind, from = 0 }: { readonly kind: Kind; readonly from?: number }) {
    for (const session of this.#sessions) {
      const { stacks } = session.enabled;
      const hasStack = Array.isArray(stacks) && stacks.includes(IDS.indexOf(kind) + 1);
      const isWanted = this.#obeys ? passes(kind, session.enabled) : true;
      for (let number = from; number < from + count; number++) {
        if (session.isRunning && isWanted) session.take({ kind, number, hasStack: hasStack && this.#obeys });
      }
    }
  }

  #names(name: string): string[] {
    const pattern = new RegExp(`^${name.replace('.', '\\.').replace('%d', '\\d+').replace('*', '.*')}$`);
    return [...this.files.keys()].filter((file) => pattern.test(file));
  }

  async read(name: string) {
    return this.#names(name).flatMap((file) => this.files.get(file) ?? []);
  }

  receive() {
    // Without a file.
    return async () => this.files.get('') ?? [];
  }

  async system() {
    const names = [
      'Windows Kernel/Process/DCStart',
      'Windows Kernel/Image/Load',
      'Windows Kernel/PerfInfo/Sample',
    ];
    return this.#obeys ? { names, stacked: names.slice(2) } : { names: [], stacked: [] };
  }

  sizes(name: string): number[] {
    const size = this.#sessions[0]?.options.compressed === true ? EVENT_SIZE / 10 : EVENT_SIZE;
    return this.#names(name).map((file) => (this.files.get(file)?.length ?? 0) * size);
  }

  list(command: string, name: string): object[] {
    const [session] = this.#sessions;
    if (!this.#obeys) return [];
    if (command === 'sessions') {
      const found = { mode: ['sequential file'], file: 'trace.etl', providers: [{}] };
      return session?.isRunning ? [found] : [];
    }
    if (name !== PROVIDER) return [{ source: 'manifest' }];
    const enabledBy = [{ session: 'tracewright-ci', level: 4, keywords: '0x4' }];
    return [{ processes: [{ processId: PROCESS, name: 'node.exe' }], enabledBy }];
  }
}

/** What a session without any of its options does, too. */
const PLAIN = [
  'sequential',
  'private',
  'independent',
  'executables',
  'process-ids',
  'capture-state',
  'update',
];

describe('each case of ETW sessions', () => {
  it.each(Object.keys(cases))('accepts what it asks for: %s', async (name) => {
    expect(await cases[name]?.run(new Model('asked'))).toEqual([]);
  });

  it.each(Object.keys(cases).filter((name) => !PLAIN.includes(name)))(
    'notices a session that ignores it: %s',
    async (name) => {
      const problems = await cases[name]?.run(new Model('ignores everything'));
      expect(problems).not.toEqual([]);
      for (const problem of problems ?? []) expect(problem).toMatch(/^[A-Z].*\.$/);
    },
  );

  it('is in the guide, with its command and what must be seen', () => {
    const guide = readFileSync(join(import.meta.dirname, '../../docs/windows.md'), 'utf8');
    const rows = Array.from(
      guide.matchAll(/^\| `node scripts\/ci\/etw-modes\.mjs ([\w-]+)` \| (.*) \|$/gm),
      ([, name = '', sees = '']) => [name, sees],
    );
    expect(rows).toEqual(Object.entries(cases).map(([name, { sees }]) => [name, sees]));
  });
});
