/** pino's lines with activity ids, and as events: with the oldest and the newest supported version. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { activityPath } from '../../lib/index.ts';
import transport, { activityMixin, eventStream } from '../../lib/integrations/pino.ts';
import { installedTools, reasonOf } from '../consumers/application.ts';
import { named } from '../platforms.ts';
import { inRequest, listenToLines } from './line-events.ts';

type Log = (...args: unknown[]) => void;
interface Logger extends Record<'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'audit', Log> {
  child(bindings: object): Logger;
}
interface Pino {
  (options: object, stream?: object): Logger;
  multistream(streams: readonly object[], options?: object): object;
}

const tools = installedTools({ pino: '^10.4.0', 'pino-lowest': 'npm:pino@8.0.0' });
const reason = reasonOf(tools);
const ALL = { level: 'trace', base: {}, timestamp: false };

describe.skipIf(reason !== undefined).each(['pino-lowest', 'pino'])(named('%s', reason), (name) => {
  let pino: Pino;
  let output: string[];
  const destination = { write: (line: string) => void output.push(line) };
  /** A logger as an application has it, and its lines as events beside. */
  const logger = (options: object = {}) =>
    pino(
      { ...ALL, ...options },
      pino.multistream([
        { level: 'trace', stream: destination },
        { level: 'trace', stream: eventStream() },
      ]),
    );

  beforeEach(() => {
    const folder = 'folder' in tools ? tools.folder : '';
    pino = createRequire(join(folder, 'package.json'))(name) as Pino;
    output = [];
  });

  it("has the activity's ids in its lines, with the mixin", () => {
    const log = pino({ ...ALL, mixin: activityMixin() }, destination);
    const { activityId = '', traceId, spanId } = inRequest(() => log.info({ size: 1 }, 'in'));
    expect(output.map((line) => JSON.parse(line))).toEqual([
      {
        level: 30,
        activityId,
        activityPath: activityPath(activityId),
        trace_id: traceId,
        span_id: spanId,
        trace_flags: '03',
        size: 1,
        msg: 'in',
      },
    ]);
  });

  it('has the same lines as without the mixin outside activities', () => {
    const values = [
      ['text'],
      [{ a: 1 }, 'text'],
      [new Error('wrong')],
      [{ err: new RangeError('far') }, 'text %s', 'with'],
    ];
    const linesOf = (options: object) => {
      output = [];
      const log = pino({ ...ALL, ...options }, destination);
      for (const value of values) log.child({ of: 'child' }).error(...value);
      return output;
    };
    expect(linesOf({ mixin: activityMixin() })).toEqual(linesOf({}));
  });

  it("keeps the members of the application's own mixin", () => {
    const own = () => ({ tenant: 'tea' });
    const log = pino({ ...ALL, mixin: activityMixin(own) }, destination);
    inRequest(() => log.info('in'));
    expect(JSON.parse(output[0] as string)).toMatchObject({ tenant: 'tea', activityId: expect.any(String) });
  });

  it('writes its lines as events in the activity, each at its level', () => {
    const listener = listenToLines();
    const log = logger();
    const { activityId } = inRequest(() => {
      for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const) log[level]('a line');
    });
    expect(listener.lines).toEqual([
      'Verbose 10 a line',
      'Verbose 20 a line',
      'Informational 30 a line',
      'Warning 40 a line',
      'Error 50 a line',
      'Critical 60 a line',
    ]);
    expect(new Set(listener.events.map((event) => event.activityId))).toEqual(new Set([activityId]));
    expect(output).toHaveLength(6);
  });

  it('is requested by level', () => {
    const { events } = listenToLines(3);
    const log = logger();
    log.info('not wanted');
    log.warn('wanted');
    expect(events.map(({ payload }) => payload.message)).toEqual(['wanted']);
  });

  it("includes objects, bindings of child loggers and the logger's name", () => {
    const { events } = listenToLines();
    logger({ name: 'shop' })
      .child({ order: 7 })
      .info({ user: { id: 1 }, list: [1, 'b'] }, 'placed');
    expect(events[0]?.payload).toEqual({
      message: 'placed',
      logger: 'shop',
      levelName: '30',
      error: '',
      fields: { order: 7, user: { id: 1 }, list: [1, 'b'] },
    });
  });

  it('includes the stack of an error, and its other members', () => {
    const { events } = listenToLines();
    const error = Object.assign(new Error('no tea'), { code: 'ETEA' });
    logger().error(error);
    expect(events[0]?.payload).toMatchObject({
      message: 'no tea',
      error: error.stack,
      fields: { err: { type: 'Error', code: 'ETEA' } },
    });
  });

  it('supports custom levels, and labels instead of numbers', () => {
    const { events } = listenToLines();
    logger({ customLevels: { audit: 55 } }).audit('who');
    logger({ formatters: { level: (label: string) => ({ level: label }) } }).warn('what');
    expect(events.map(({ name, payload }) => `${name} ${payload.levelName}`)).toEqual([
      'Error 55',
      'Warning warn',
    ]);
  });

  it('may log cycles and oversized values: the line is unchanged, the event has what fits', () => {
    const { events } = listenToLines();
    const circle: Record<string, unknown> = { text: 'x'.repeat(100_000) };
    circle.self = circle;
    logger().info(
      { circle, many: Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, i])) },
      'é'.repeat(5000),
    );
    expect(output[0]?.length).toBeGreaterThan(100_000);
    const { message, fields } = events[0]?.payload ?? {};
    expect(Buffer.byteLength(message as string)).toBeLessThanOrEqual(2500);
    expect(message).toMatch(/^é+…$/);
    expect(Buffer.byteLength(JSON.stringify(fields))).toBeLessThan(2500);
  });
});

describe('a stream for lines', () => {
  it('treats anything that is not a line of JSON as a message', () => {
    const { events } = listenToLines();
    const stream = eventStream();
    for (const line of ['plain text\n', '[1]\n', 'null\n', '"text"\n', '{"msg":{"a":1},"level":{}}\n', ''])
      stream.write(line);
    expect(events.map(({ payload }) => payload.message)).toEqual([
      'plain text',
      '',
      'null',
      '"text"',
      '{"a":1}',
      '',
    ]);
  });

  it('finds message and error under the given keys', () => {
    const { events } = listenToLines();
    eventStream({ messageKey: 'message', errorKey: 'error' }).write(
      '{"level":50,"message":"m","error":{"stack":"s"},"msg":"other"}\n',
    );
    expect(events[0]?.payload).toMatchObject({ message: 'm', error: 's', fields: { msg: 'other' } });
  });

  it('omits a line that a listener logs while handling a line', () => {
    const stream = eventStream();
    const messages: unknown[] = [];
    const { events } = listenToLines();
    events.push = (...added) => {
      messages.push(...added.map(({ payload }) => payload.message));
      stream.write('{"level":30,"msg":"again"}');
      return 0;
    };
    stream.write('{"level":30,"msg":"first"}');
    expect(messages).toEqual(['first']);
  });

  it('rejects unknown options', () => {
    expect(() => eventStream({ providr: 'x' } as object)).toThrow('providr');
  });
});

describe('the transport', () => {
  const ID = '00000011-0000-0000-0000-0000be999d59';

  it('joins lines that arrive in pieces, and takes their activity from them', async () => {
    const { events } = listenToLines();
    const stream = transport();
    stream.write(`{"level":30,"time":5,"msg":"one","activityId":"${ID}"}\n{"level":40,`);
    stream.write(Buffer.from('"time":6,"msg":"two"}\n'));
    stream.end();
    await finished(stream);
    expect(
      events.map(({ name, payload, activityId }) => [name, payload.message, payload.fields, activityId]),
    ).toEqual([
      ['Informational', 'one', { time: 5 }, ID],
      ['Warning', 'two', { time: 6 }, undefined],
    ]);
  });
});
