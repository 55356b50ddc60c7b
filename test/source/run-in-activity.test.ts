/** Work inside an activity from elsewhere: a handle's, one whose id came with a message, or one bound to a callback. */
import { EventEmitter } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ActivityParent,
  bindActivity,
  currentActivityId,
  defineEventSource,
  event,
  runInActivity,
} from '../../lib/index.ts';
import { Heard } from './heard.ts';

const log = defineEventSource('Adopted-Test', {
  QueueStart: event(),
  QueueStop: event(),
  TaskStart: event(),
  TaskStop: event({ success: 'bool', errorMessage: 'string' }),
  SumStart: event(),
  SumStop: event({ rows: 'int32' }),
  Note: event(),
});
const G1 = '11111111-2222-3333-4444-555555555555';

let heard: Heard;
beforeEach(() => {
  heard = new Heard(log);
});
afterEach(() => {
  heard.close();
});

describe('activity() with a parent', () => {
  it('begins inside the activity of a handle', async () => {
    const queue = log.QueueStart();
    queue.stop();
    const handle = log.TaskStart();
    await new Promise((resolve) => setImmediate(resolve));
    await log.activity(
      'Sum',
      {},
      { parent: handle, stop: ({ success }) => ({ rows: success ? 1 : 0 }) },
      async () => {
        await null;
        log.Note();
      },
    );
    handle.stop({ success: true, errorMessage: '' });
    expect(heard.lines.slice(2)).toEqual([
      'TaskStart 2',
      'SumStart 2/1 in 2',
      'Note 2/1',
      'SumStop 2/1',
      'TaskStop 2',
    ]);
  });

  it('begins an activity related to an id received with a message', async () => {
    const { port1, port2 } = new MessageChannel();
    const done = new Promise<void>((resolve) => {
      port2.on('message', (parent: string) => {
        log.activity('Task', {}, { parent }, () => log.Note());
        log.Note();
        port2.close();
        resolve();
      });
    });
    port1.postMessage(G1);
    await done;
    expect(heard.lines).toEqual([`TaskStart 1 in ${G1}`, 'Note 1', 'TaskStop 1', 'Note -']);
  });

  it('does not move its caller', () => {
    log.activity('Task', {}, () => {
      log.activity('Sum', {}, { parent: G1, stop: () => ({ rows: 0 }) }, () => log.Note());
      log.Note();
    });
    expect(heard.lines).toEqual([
      'TaskStart 1',
      `SumStart 2 in ${G1}`,
      'Note 2',
      'SumStop 2',
      'Note 1',
      'TaskStop 1',
    ]);
  });

  it.each([[undefined], [log.QueueStart()]])('that is not traced has no effect: %o', (parent) => {
    log.activity('Task', {}, () => log.activity('Sum', {}, { parent, stop: () => ({ rows: 0 }) }, () => {}));
    expect(heard.lines.slice(0, 2)).toEqual(['TaskStart 1', 'SumStart 1/1 in 1']);
  });

  it('counts a text that is not a GUID, and runs the work', () => {
    const before = log.stats().badValues;
    expect(log.activity('Task', {}, { parent: 'no id' }, () => 7)).toBe(7);
    expect(heard.lines).toEqual(['TaskStart 1', 'TaskStop 1']);
    expect(log.stats().badValues).toBe(before + 1);
    expect(log.status.problems).toContain(
      "Adopted-Test: 'no id' is not an activity to run inside: neither a GUID nor a traceparent.",
    );
  });
});

describe('runInActivity', () => {
  it('runs the function inside, and returns its result', async () => {
    const ids = await runInActivity(G1, async () => {
      log.Note();
      await null;
      log.Note();
      return currentActivityId();
    });
    expect(ids).toBe(G1);
    log.Note();
    expect(heard.lines).toEqual([`Note ${G1}`, `Note ${G1}`, 'Note -']);
  });

  it.each([[undefined], ['no id']])('of %o just runs it', (parent) => {
    expect(runInActivity(parent as ActivityParent, () => currentActivityId())).toBeUndefined();
  });
});

describe('a bound function', () => {
  it('runs in the activity in which it was bound, with its arguments and receiver', () => {
    const emitter = new EventEmitter();
    log.activity('Task', {}, () => {
      emitter.on(
        'go',
        bindActivity(function (this: EventEmitter, text: string) {
          log.Note();
          expect([this, text]).toEqual([emitter, 'text']);
        }),
      );
    });
    log.activity('Sum', {}, { stop: () => ({ rows: 0 }) }, () => emitter.emit('go', 'text'));
    // The activity has ended: what it has caused belongs to the one around it, here none.
    expect(heard.lines).toEqual(['TaskStart 1', 'TaskStop 1', 'SumStart 2', 'Note -', 'SumStop 2']);
  });

  it('runs in that activity as long as it lasts', () => {
    const task = log.TaskStart();
    const bound = task.run(() => bindActivity(() => log.Note()));
    log.activity('Sum', {}, { parent: G1, stop: () => ({ rows: 0 }) }, bound);
    task.stop({ success: true, errorMessage: '' });
    expect(heard.lines).toEqual(['TaskStart 1', `SumStart 2 in ${G1}`, 'Note 1', 'SumStop 2', 'TaskStop 1']);
  });
});
