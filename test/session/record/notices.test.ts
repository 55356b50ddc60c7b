/** What programs tell of their tracepoints, as the addon tells it. */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadAddon } from '../../../lib/platform/addon.ts';
import { Notices } from '../../../lib/session/record/notices.ts';

const addon = loadAddon();
const isHere = process.platform === 'linux' && !('reason' in addon);
const TIMED_OUT = 110;
const REFUSED = 111;

describe.skipIf(!isHere)('a notice of a tracepoint', () => {
  let notices: Notices;
  let heard: string[];
  beforeEach(async () => {
    heard = [];
    notices = await Notices.listen((name) => heard.push(name));
  });
  afterEach(() => notices.close());

  /** In a thread, because the call waits for an answer of this one. */
  async function announce(address: string, milliseconds: number): Promise<{ error: number; took: number }> {
    const worker = new Worker(
      `const { parentPort, workerData } = require('node:worker_threads');
       const addon = require('node-gyp-build')(process.cwd());
       const start = performance.now();
       const error = addon.awaitRecorder(workerData.address, 'P_L4K0', workerData.milliseconds);
       parentPort.postMessage({ error, took: performance.now() - start });`,
      { eval: true, workerData: { address, milliseconds } },
    );
    const [message] = await once(worker, 'message');
    return message;
  }

  it('is answered when it has been seen to', async () => {
    expect(await announce(notices.address, 5000)).toMatchObject({ error: 0 });
    expect(heard).toEqual(['P_L4K0']);
  });

  it('to nobody fails at once', async () => {
    notices.close();
    const { error, took } = await announce(notices.address, 5000);
    expect(error).toBe(REFUSED);
    expect(took).toBeLessThan(1000);
  });

  it('to one who does not answer waits no longer than it may', async () => {
    const silent = createServer(() => {});
    const address = `silent-${process.pid}`;
    silent.listen(`\0${address}`);
    const { error, took } = await announce(address, 50);
    silent.close();
    expect(error).toBe(TIMED_OUT);
    expect(took).toBeGreaterThan(40);
    expect(took).toBeLessThan(1000);
  });

  it('too long to be one is not heard', async () => {
    const socket = connect(`\0${notices.address}`);
    socket.on('error', () => {});
    socket.write('x'.repeat(10_000));
    await once(socket, 'close');
    expect(heard).toEqual([]);
  });
});
