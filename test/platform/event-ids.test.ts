/** The ids of events in one process: from the addon, for all threads, and without it. */
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { LAST_EVENT_ID, ThreadEventIds, theEventIds } from '../../lib/platform/event-ids.ts';

let providers = 0;

describe.each([
  ['of the process', theEventIds()],
  ['of a thread', new ThreadEventIds()],
])('the ids %s', (_, ids) => {
  const newKey = () => `event-ids-${++providers}`;

  it('have one layout each, as long as anybody uses them', () => {
    const keys = [newKey()];
    expect(ids.claim(keys, 'A', 1)).toBeUndefined();
    expect(ids.claim(keys, 'A', 1)).toBeUndefined();
    expect(ids.claim(keys, 'B', 1)).toBe('A');
    ids.release(keys, 1);
    expect(ids.claim(keys, 'B', 1)).toBe('A');
    ids.release(keys, 1);
    expect(ids.claim(keys, 'B', 1)).toBeUndefined();
  });

  it('are those that a layout already has, otherwise the requested one, otherwise the nearest free one', () => {
    const keys = [newKey()];
    expect(ids.take(keys, 'A', 1, 3, false)).toBe(1);
    expect(ids.take(keys, 'A', 2, 3, false)).toBe(1);
    expect(ids.take(keys, 'B', 1, 3, false)).toBe(3);
    expect(ids.take(keys, 'C', 1, 3, false)).toBe(4);
    expect(ids.take(keys, 'D', 2, 3, false)).toBe(2);
  });

  it('are also searched downwards, and from the other end on', () => {
    const keys = [newKey()];
    expect(ids.take(keys, 'A', LAST_EVENT_ID, LAST_EVENT_ID, true)).toBe(LAST_EVENT_ID);
    expect(ids.take(keys, 'B', LAST_EVENT_ID, LAST_EVENT_ID, true)).toBe(LAST_EVENT_ID - 1);
    expect(ids.take(keys, 'C', LAST_EVENT_ID, LAST_EVENT_ID, false)).toBe(1);
    expect(ids.take(keys, 'D', 1, 1, true)).toBe(LAST_EVENT_ID - 2);
  });

  it('of a provider with two keys have one layout under both', () => {
    const [one, other] = [newKey(), newKey()];
    expect(ids.claim([one], 'A', 1)).toBeUndefined();
    expect(ids.claim([other], 'B', 2)).toBeUndefined();
    expect(ids.claim([one, other], 'C', 1)).toBe('A');
    expect(ids.claim([one, other], 'C', 2)).toBe('B');
    expect(ids.take([one, other], 'C', 1, 1, false)).toBe(3);
    expect(ids.claim([one], 'D', 3)).toBe('C');
    expect(ids.claim([other], 'D', 3)).toBe('C');
    ids.release([one, other], 3);
    expect(ids.claim([one], 'D', 3)).toBeUndefined();
  });

  it('can run out: 0 means none', () => {
    const keys = [newKey()];
    for (let id = 1; id <= LAST_EVENT_ID; id++) ids.claim(keys, `layout ${id}`, id);
    expect(ids.take(keys, 'one more', 1, 1, false)).toBe(0);
    expect(ids.take(keys, 'layout 7', 1, 1, false)).toBe(7);
    ids.release(keys, 4711);
    expect(ids.take(keys, 'one more', 1, 1, false)).toBe(4711);
    for (let id = 1; id <= LAST_EVENT_ID; id++) ids.release(keys, id);
  });

  it('released by code that does not use them stay in use', () => {
    const keys = [newKey()];
    ids.release(keys, 1);
    ids.claim(keys, 'A', 1);
    ids.release(keys, 2);
    expect(ids.claim(keys, 'B', 1)).toBe('A');
  });
});

it('the ids of the process are shared by all threads, and free again when a thread has exited', async () => {
  const key = `event-ids-${++providers}`;
  const module = new URL('../../dist/platform/event-ids.js', import.meta.url).href;
  const program = `
    const { parentPort } = require('node:worker_threads');
    import(${JSON.stringify(module)}).then(({ theEventIds }) => {
      theEventIds().claim([${JSON.stringify(key)}], 'of the worker', 1);
      parentPort.postMessage('claimed');
      parentPort.on('message', () => process.exit());
    });`;
  const worker = new Worker(program, { eval: true });
  await new Promise((resolve) => worker.once('message', resolve));
  expect(theEventIds().claim([key], 'mine', 1)).toBe('of the worker');
  const exited = new Promise((resolve) => worker.once('exit', resolve));
  worker.postMessage('exit');
  await exited;
  expect(theEventIds().claim([key], 'mine', 1)).toBeUndefined();
});
