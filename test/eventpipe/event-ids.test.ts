/** Definitions of one provider in several threads: a reader that identifies events by id decodes them all correctly. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, it } from 'vitest';
import {
  DefinitionError,
  defineEventSource,
  type EventOptions,
  event,
  type FieldDefinitions,
  listen,
  startSession,
} from '../../lib/index.ts';
import { layoutsById, readSession } from './session-trace.ts';

const folder = mkdtempSync(join(tmpdir(), 'tracewright-event-ids-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Defined {
  readonly ids?: Record<string, number>;
  readonly problems?: readonly string[];
  readonly error?: string;
  readonly message?: string;
}
type Events = Record<string, { readonly fields?: FieldDefinitions; readonly options?: EventOptions }>;

class DefiningWorker {
  readonly #worker = new Worker(join(import.meta.dirname, 'programs/definitions.mjs'));

  define(name: string, events: Events): Promise<Defined> {
    return this.#tell({ name, events }) as Promise<Defined>;
  }

  async write(name: string, write: string, payload: object): Promise<void> {
    await this.#tell({ name, write, payload });
  }

  async exit(): Promise<void> {
    const exited = new Promise((resolve) => this.#worker.once('exit', resolve));
    this.#worker.postMessage({ exit: true });
    await exited;
  }

  #tell(order: object): Promise<unknown> {
    const answer = new Promise((resolve) => this.#worker.once('message', resolve));
    this.#worker.postMessage(order);
    return answer;
  }
}

let names = 0;
const newName = () => `Ids-${++names}`;

describe.each([6, 4] as const)('a session that writes version %i', (nettraceVersion) => {
  it('has one layout per id, whichever threads define the provider', async () => {
    const name = newName();
    const file = join(folder, `${name}-${nettraceVersion}.nettrace`);
    const session = startSession({ providers: name, output: file, nettraceVersion });
    // Created after the session: they know of it before they define anything.
    const workers = [new DefiningWorker(), new DefiningWorker()] as const;
    const shop = defineEventSource(name, { Paid: event({ amount: 'double', currency: 'string' }) });
    const job = { JobDone: { fields: { name: 'string', steps: 'int32' } } } as const;
    const defined = await Promise.all(workers.map((worker) => worker.define(name, job)));
    expect(defined.map(({ ids }) => ids)).toEqual([{ JobDone: 2 }, { JobDone: 2 }]);
    expect(defined[0]?.problems).toEqual([
      `${name}: JobDone has the id 2, because Paid has 1 in another definition of the provider in this process.`,
    ]);
    shop.Paid({ amount: 9.5, currency: 'EUR' });
    for (const worker of workers) await worker.write(name, 'JobDone', { name: 'mail', steps: 3 });
    await session.close();
    await Promise.all(workers.map((worker) => worker.exit()));

    const bytes = readFileSync(file);
    expect(layoutsById(bytes)).toEqual(
      new Map([
        [`${name} 1`, 'Paid amount currency'],
        [`${name} 2`, 'JobDone name steps'],
      ]),
    );
    const { events } = await readSession(bytes);
    expect(events.map(({ id, payload }) => [id, { ...payload }])).toEqual([
      [1, { amount: 9.5, currency: 'EUR' }],
      [2, { name: 'mail', steps: 3 }],
      [2, { name: 'mail', steps: 3 }],
    ]);
  });

  it('keeps the ids of self-describing events separate from those of definitions', async () => {
    const name = newName();
    const file = join(folder, `${name}-${nettraceVersion}.nettrace`);
    const source = defineEventSource(name, { Last: event({ n: 'int32' }, { id: 0xfffd }) });
    const session = startSession({ providers: name, output: file, nettraceVersion });
    source.Last({ n: 1 });
    source.write('Own', { text: 'a' });
    source.write('Other', { text: 'b' });
    await session.close();
    expect([...layoutsById(readFileSync(file))].map(([id, layout]) => [id, layout.split(' ')[0]])).toEqual([
      [`${name} 65533`, 'Last'],
      [`${name} 65532`, 'Own'],
      [`${name} 65531`, 'Other'],
    ]);
  });
});

describe('definitions of one provider', () => {
  it('give the same events the same ids, in any order', () => {
    const name = newName();
    const one = defineEventSource(name, { A: event({ n: 'int32' }), B: event() });
    const other = defineEventSource(name, { B: event(), A: event({ n: 'int32' }), C: event() });
    expect([one.A.identity.id, one.B.identity.id]).toEqual([1, 2]);
    expect([other.B.identity.id, other.A.identity.id, other.C.identity.id]).toEqual([2, 1, 3]);
  });

  it.each([
    ['fields', { fields: { n: 'int64' } }],
    ['an order of fields', { fields: { m: 'int32', n: 'int32' } }],
    ['a level', { fields: { n: 'int32', m: 'int32' }, options: { level: 2 } }],
    ['keywords', { fields: { n: 'int32', m: 'int32' }, options: { keywords: 1n } }],
    ['a version', { fields: { n: 'int32', m: 'int32' }, options: { version: 1 } }],
    ['a message', { fields: { n: 'int32', m: 'int32' }, options: { message: 'n is {0}' } }],
  ] as const)('give an event with other %s another id', (_, { fields, ...rest }) => {
    const name = newName();
    const options = 'options' in rest ? rest.options : {};
    const one = defineEventSource(name, { A: event({ n: 'int32', m: 'int32' }) });
    const other = defineEventSource(name, { A: event(fields, options) });
    expect(one.A.identity.id).toBe(1);
    expect(other.A.identity.id).toBe(2);
    expect(one.status.problems).toEqual([]);
    expect(other.status.problems).toEqual([
      `${name}: A has the id 2, because A has 1 in another definition of the provider in this process.`,
    ]);
  });

  it('give listeners the same ids as traces, and a Stop the task of its Start', () => {
    const name = newName();
    defineEventSource(name, { A: event() });
    const source = defineEventSource(name, { WorkStart: event(), WorkStop: event(), B: event() });
    const heard: unknown[] = [];
    using _ = listen(source, ({ name, id, task }) => heard.push([name, id, task]));
    source.activity('Work', {}, { stop: () => ({}) }, () => source.B());
    expect(heard).toEqual([
      ['WorkStart', 4, 65530],
      ['B', 3, 65531],
      ['WorkStop', 2, 65530],
    ]);
  });

  it('reject an explicit id that belongs to another event, in every thread', async () => {
    const name = newName();
    const worker = new DefiningWorker();
    const job = { JobDone: { options: { id: 7 } }, Other: {} };
    expect(await worker.define(name, job)).toMatchObject({ ids: { JobDone: 7, Other: 8 } });
    const define = (events: Parameters<typeof defineEventSource>[1]) => () => defineEventSource(name, events);
    const message =
      `${name}.Paid: the id 7 belongs to JobDone in another definition in this process; readers of a trace distinguish a ` +
      "provider's events by id. Give one of the two another id, or close the source that uses it.";
    expect(define({ First: event(), Paid: event({}, { id: 7 }) })).toThrow(
      new DefinitionError(name, '').constructor,
    );
    expect(define({ First: event(), Paid: event({}, { id: 7 }) })).toThrow(message);
    // Nothing is left of the refused definition.
    const { ids } = await worker.define(`${name}`, { Second: {}, ...job });
    expect(ids).toEqual({ Second: 1, JobDone: 7, Other: 8 });
    expect(
      await worker.define(name, { JobDone: { fields: { n: 'int32' }, options: { id: 7 } } }),
    ).toMatchObject({
      error: 'DefinitionError',
      message: expect.stringContaining('with other fields or options'),
    });
    await worker.exit();
    expect(define({ Paid: event({}, { id: 7 }) })).not.toThrow();
  });

  it('with another name and the same GUID share the ids, too', () => {
    const [name, other] = [newName(), newName()];
    const one = defineEventSource(name, { A: event() });
    const two = defineEventSource(other, { B: event() }, { guid: one.guid });
    const lower = defineEventSource(name.toLowerCase(), { C: event() });
    expect([one.A.identity.id, two.B.identity.id, lower.C.identity.id]).toEqual([1, 2, 3]);
  });
});
