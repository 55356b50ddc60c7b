/**
 * The rules of Chrome's Trace Event JSON, based on the format's own document ("Trace Event Format") and on Perfetto's:
 * fields of every event, nesting of durations, flows bound at both ends.
 */

export interface ChromeEvent {
  readonly ph: string;
  readonly name: string;
  readonly cat?: string;
  readonly pid: number;
  readonly tid?: number;
  readonly ts: number;
  readonly s?: string;
  readonly bp?: string;
  readonly id?: number;
  readonly args?: Readonly<Record<string, unknown>>;
}

export interface Slice {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly start: number;
  readonly end: number;
  readonly depth: number;
  readonly parent: Slice | undefined;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface ChromeTrace {
  readonly events: readonly ChromeEvent[];
  readonly slices: readonly Slice[];
  readonly instants: readonly ChromeEvent[];
  /** By the names of the slices that an arrow leads from and to. */
  readonly arrows: readonly (readonly [from: string, to: string])[];
  readonly processNames: ReadonlyMap<number, string>;
  readonly threadNames: ReadonlyMap<number, string>;
}

type OpenSlice = { -readonly [Key in keyof Slice]: Slice[Key] };

/** @throws Error that names the broken rule */
export function checkChromeTrace(text: string): ChromeTrace {
  const file = JSON.parse(text) as { displayTimeUnit: string; traceEvents: ChromeEvent[] };
  demand(
    Object.keys(file).join() === 'displayTimeUnit,otherData,traceEvents',
    'The file has known keys',
    file,
  );
  demand(file.displayTimeUnit === 'ms' || file.displayTimeUnit === 'ns', 'Times are shown in ms or ns', file);
  const events = file.traceEvents;
  for (const event of events) checkFields(event);
  const slices = slicesOf(events);
  return {
    events,
    slices,
    instants: events.filter(({ ph }) => ph === 'i'),
    arrows: arrowsOf(events, slices),
    processNames: namesOf(events, 'process_name', ({ pid }) => pid),
    threadNames: namesOf(events, 'thread_name', ({ tid }) => tid as number),
  };
}

function demand(condition: boolean, rule: string, where: unknown): void {
  if (!condition) throw new Error(`${rule}: ${JSON.stringify(where).slice(0, 300)}`);
}

const isId = (id: unknown): boolean =>
  Number.isInteger(id) && (id as number) >= 0 && (id as number) < 2 ** 32;

function checkFields(event: ChromeEvent): void {
  const { ph, name, cat, pid, tid, ts, s, bp, id, args } = event;
  demand(['B', 'E', 'i', 's', 'f', 'M'].includes(ph), 'There is no such phase', event);
  demand(typeof name === 'string' && name !== '', 'An event has a name', event);
  demand(isId(pid), 'A process id has 32 bits', event);
  demand(Number.isFinite(ts), 'A time is a number of microseconds', event);
  demand(args === undefined || (typeof args === 'object' && args !== null), 'Arguments are an object', event);
  if (ph === 'M') {
    const argument = name.endsWith('_name') ? args?.name : args?.sort_index;
    demand(/^(process|thread)_(name|sort_index)$/.test(name), 'There is no such metadata', event);
    demand(argument !== undefined, 'Metadata has its argument', event);
    demand(name.startsWith('process') || isId(tid), 'Metadata of a thread tells which', event);
    return;
  }
  demand(isId(tid), 'A thread id has 32 bits', event);
  demand(typeof cat === 'string', 'An event has a category', event);
  if (ph === 'i') demand(['g', 'p', 't'].includes(s ?? ''), 'An instant has a scope', event);
  if (ph === 's' || ph === 'f') demand(id !== undefined, 'A flow has an id', event);
  if (ph === 'f') demand(bp === 'e', 'A flow ends in the slice around it', event);
}

/** Begins and ends of each thread nest and balance, and come in the order of time. */
function slicesOf(events: readonly ChromeEvent[]): Slice[] {
  const slices: Slice[] = [];
  const stacks = new Map<string, OpenSlice[]>();
  const times = new Map<string, number>();
  for (const event of events) {
    if (event.ph !== 'B' && event.ph !== 'E') continue;
    const { name, pid, ts, args = {} } = event;
    const tid = event.tid as number;
    const key = `${pid} ${tid}`;
    demand(ts >= (times.get(key) ?? ts), 'Begins and ends of a thread come in the order of time', event);
    times.set(key, ts);
    const stack = stacks.get(key) ?? [];
    stacks.set(key, stack);
    if (event.ph === 'B') {
      const parent = stack.at(-1);
      const slice = { name, pid, tid, start: ts, end: Number.NaN, depth: stack.length, parent, args };
      stack.push(slice);
      slices.push(slice);
      continue;
    }
    const slice = stack.pop();
    demand(slice?.name === name, 'An end ends the slice that was begun last', event);
    if (slice === undefined) continue;
    slice.end = ts;
    slice.args = { ...slice.args, ...args };
  }
  for (const stack of stacks.values()) demand(stack.length === 0, 'Every slice ends', stack.at(-1)?.name);
  return slices;
}

/** Both ends of a flow are bound to the innermost slice that is open on their thread then. */
function arrowsOf(events: readonly ChromeEvent[], slices: readonly Slice[]): (readonly [string, string])[] {
  const from = new Map<number, Slice>();
  const arrows: (readonly [string, string])[] = [];
  for (const event of events) {
    if (event.ph !== 's' && event.ph !== 'f') continue;
    const id = event.id as number;
    const around = slices.filter(
      ({ pid, tid, start, end }) =>
        pid === event.pid && tid === event.tid && start <= event.ts && event.ts <= end,
    );
    const slice = around.sort((a, b) => b.depth - a.depth)[0] as Slice;
    demand(slice !== undefined, 'A flow starts and ends in a slice', event);
    if (event.ph === 's') from.set(id, slice);
    else {
      demand(from.has(id), 'A flow starts before it ends', event);
      arrows.push([from.get(id)?.name as string, slice.name]);
    }
  }
  demand(from.size === arrows.length, 'Every flow ends', from.size);
  return arrows;
}

function namesOf(events: readonly ChromeEvent[], metadata: string, idOf: (event: ChromeEvent) => number) {
  const named = events.filter(({ ph, name }) => ph === 'M' && name === metadata);
  return new Map(named.map((event) => [idOf(event), String(event.args?.name)]));
}
