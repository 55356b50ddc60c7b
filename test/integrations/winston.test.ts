/** winston's lines with activity ids, and as events: with the oldest and the newest supported version. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { activityPath, type WrittenEvent } from '../../lib/index.ts';
import { activityMeta, EventTransport } from '../../lib/integrations/winston.ts';
import { installedTools, reasonOf } from '../consumers/application.ts';
import { named } from '../platforms.ts';
import { inRequest, listenToLines } from './line-events.ts';

type Log = (...args: unknown[]) => void;
interface Logger extends Record<'debug' | 'info' | 'warn' | 'error' | 'crit', Log> {
  child(meta: object): Logger;
  end(): void;
}
interface Winston {
  createLogger(options: object): Logger;
  readonly format: Record<
    'combine' | 'json' | 'errors' | 'label' | 'colorize',
    (...args: unknown[]) => object
  >;
  readonly transports: { readonly Stream: new (options: object) => object };
  readonly config: { readonly syslog: { readonly levels: object } };
}

const tools = installedTools({ winston: '^3.19.0', 'winston-lowest': 'npm:winston@3.3.0' });
const reason = reasonOf(tools);

describe.skipIf(reason !== undefined).each(['winston-lowest', 'winston'])(named('%s', reason), (name) => {
  let winston: Winston;
  let output: string[];
  const destination = () =>
    new winston.transports.Stream({
      stream: new Writable({
        write(chunk, _, done) {
          output.push(String(chunk).trimEnd());
          done();
        },
      }),
    });

  beforeEach(() => {
    const folder = 'folder' in tools ? tools.folder : '';
    winston = createRequire(join(folder, 'package.json'))(name) as Winston;
    output = [];
  });

  const logger = (options: object = {}, transport: object = {}) =>
    winston.createLogger({
      level: 'silly',
      transports: [destination(), new EventTransport(transport)],
      ...options,
    });

  it("has the activity's ids in its lines, and the application's own members, with the meta", () => {
    const log = logger({ defaultMeta: activityMeta({ service: 'shop' }) });
    const {
      activityId = '',
      traceId,
      spanId,
    } = inRequest(() => {
      log.info('in', { size: 1 });
      log.child({ of: 'child' }).info('in');
      log.info({ message: 'in' });
    });
    const ids = {
      activityId,
      activityPath: activityPath(activityId),
      trace_id: traceId,
      span_id: spanId,
      trace_flags: '03',
    };
    const common = { level: 'info', message: 'in', service: 'shop', ...ids };
    expect(output.map((line) => JSON.parse(line))).toEqual([
      { ...common, size: 1 },
      { ...common, of: 'child' },
      common,
    ]);
  });

  it('has the same lines as without the meta outside activities', () => {
    const error = new Error('wrong');
    const linesOf = (options: object) => {
      output = [];
      const log = logger(options);
      log.info('text', { a: 1 });
      log.child({ of: 'child' }).error(error);
      log.warn({ message: 'object', deep: { b: 2 } });
      return output;
    };
    const own = Object.freeze({ service: 'shop' });
    expect(linesOf({ defaultMeta: activityMeta(own) })).toEqual(linesOf({ defaultMeta: own }));
  });

  it('knows the activity of lines even if a slow transport delays them', async () => {
    const { events } = listenToLines();
    const waiting: (() => void)[] = [];
    const slow = new winston.transports.Stream({
      stream: new Writable({ write: (_chunk, _encoding, done) => void waiting.push(done) }),
    });
    const held = new Writable({
      objectMode: true,
      highWaterMark: 1,
      write: (_info, _encoding, done) => void waiting.push(done),
    });
    Object.assign(held, { log: () => {} });
    const log = winston.createLogger({
      level: 'silly',
      defaultMeta: activityMeta(),
      transports: [slow, held, new EventTransport()],
    });
    const { activityId } = inRequest(() => {
      for (let i = 0; i < 100; i++) log.info(`line ${i}`);
    });
    while (events.length < 100) {
      for (const done of waiting.splice(0)) done();
      await new Promise(setImmediate);
    }
    expect(new Set(events.map((event) => event.activityId))).toEqual(new Set([activityId]));
  });

  it('writes its lines as events in the activity, each at its level', () => {
    const listener = listenToLines();
    const log = logger({ format: winston.format.combine(winston.format.colorize(), winston.format.json()) });
    const { activityId } = inRequest(() => {
      for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level]('a line');
    });
    expect(listener.lines).toEqual([
      'Verbose debug a line',
      'Informational info a line',
      'Warning warn a line',
      'Error error a line',
    ]);
    expect(new Set(listener.events.map((event) => event.activityId))).toEqual(new Set([activityId]));
    expect(output).toHaveLength(4);
  });

  it("applies the logger's level or its own, as transports do", () => {
    const { events } = listenToLines();
    const some = (log: Logger) => {
      events.length = 0;
      for (const level of ['debug', 'info', 'warn'] as const) log[level](level);
      return events.map(({ payload }) => payload.message);
    };
    expect(some(logger({ level: 'info' }))).toEqual(['info', 'warn']);
    expect(some(logger({ level: 'warn' }, { level: 'debug' }))).toEqual(['debug', 'info', 'warn']);
    expect(some(logger({ silent: true }))).toEqual([]);
  });

  it("supports syslog's levels", () => {
    const { events } = listenToLines();
    logger({ level: 'debug', levels: winston.config.syslog.levels }).crit('help');
    expect(events[0]).toMatchObject({ name: 'Critical', payload: { levelName: 'crit' } });
  });

  it('includes label, stack and all other members of a line', () => {
    const { events } = listenToLines();
    const { combine, label, errors, json } = winston.format;
    const format = combine(label({ label: 'orders' }), errors({ stack: true }), json());
    const error = new Error('no tea');
    logger({ format }).child({ order: 7 }).error(error);
    expect(events[0]?.payload).toMatchObject({ logger: 'orders', error: error.stack, fields: { order: 7 } });
  });

  it('may log cycles, bigints, getters that throw and oversized values', () => {
    const { events } = listenToLines();
    const hostile = {
      big: 5n,
      get broken() {
        throw new Error('broken');
      },
      json: {
        toJSON() {
          throw new Error('no JSON');
        },
      },
      bytes: new Uint8Array(5),
      none: undefined,
      work() {},
      when: new Date(0),
      self: {} as object,
      text: 'x'.repeat(10_000),
    };
    hostile.self = hostile;
    const format = { transform: (info: object) => info };
    winston.createLogger({ format, transports: [new EventTransport()] }).info('hostile', { deep: hostile });
    const { deep } = (events[0] as WrittenEvent).payload.fields as { deep: object };
    expect(deep).toEqual({
      big: '5',
      bytes: '5 bytes',
      when: '1970-01-01T00:00:00.000Z',
      self: '[Circular]',
      text: expect.stringMatching(/^x{1400,1500}…$/),
    });
  });
});
