/** Connections, processes and worker threads: each is one activity nested in the one that starts it. */
import { beforeAll, expect, it } from 'vitest';
import { describeEachNode } from '../child/each-node.ts';
import { Recording } from './recording.ts';

const OK = { errorType: '', errorMessage: '', errorStack: '' };

describeEachNode('what Node.js itself does', (run, major) => {
  let recording: Recording;
  beforeAll(async () => {
    recording = new Recording(await run('auto/programs/platform.mjs'));
  });
  /** Of those in the activity Work: what they begin and end with. */
  const seen = (way: string, name: string) => {
    const [work] = recording.activities(way, 'Work');
    const own = recording.activities(way, name).filter((activity) => activity.in === work?.path);
    return own.map(({ start, stop }) => [start, stop]);
  };
  const payloadsOf = (way: string, name: string) =>
    recording
      .events(way)
      .filter((event) => event.name === name)
      .map(({ payload }) => payload);
  const target = { address: '127.0.0.1', port: expect.any(Number) };

  it.each([['connected'], ['resolved'], ['requested']])('a connection (%s) has exactly one Stop', (way) => {
    expect(seen(way, 'Connect')).toEqual([[target, [OK]]]);
    expect(payloadsOf(way, 'ConnectionAccepted')).toEqual([target]);
  });

  it('an established connection has no listeners but its own', () => {
    // The program has one for its end.
    expect(payloadsOf('established', 'Note')).toEqual([{ text: ' 1' }]);
  });

  it('a refused connection says so', () => {
    expect(seen('refused', 'Connect')).toEqual([
      [
        { address: '127.0.0.1', port: 1 },
        [
          {
            errorType: 'ECONNREFUSED',
            errorMessage: 'connect ECONNREFUSED 127.0.0.1:1',
            errorStack: expect.any(String),
          },
        ],
      ],
    ]);
  });

  it('a connection that is abandoned before the first attempt is not an activity', () => {
    expect(seen('destroyed', 'Connect')).toEqual([]);
  });

  it('a name is reported with its address, or why it has none', () => {
    const durationMSec = expect.any(Number);
    expect(payloadsOf('resolved', 'NameResolved')).toEqual([
      { host: 'localhost', address: '127.0.0.1', errorType: '', durationMSec },
    ]);
    expect(payloadsOf('unknown', 'NameResolved')).toEqual([
      { host: 'there-is-no.invalid', address: '', errorType: expect.stringMatching(/^E/), durationMSec },
    ]);
  });

  it('a secure connection is reported on Node.js 22 and later', () => {
    const expected = { protocol: 'TLSv1.3', serverName: 'localhost', durationMSec: expect.any(Number) };
    expect(payloadsOf('secure', 'TlsEstablished')).toEqual(major === '20' ? [] : [expected]);
  });

  it('a secure request has its scheme on both sides', () => {
    for (const name of ['Request', 'ClientRequest']) {
      const [request] = recording.activities('secure', name);
      expect(request?.start).toMatchObject({ scheme: 'https', host: 'localhost' });
      expect(request?.stop).toMatchObject([{ statusCode: 200, errorType: '' }]);
    }
  });

  it('a process has exactly one Stop, with its exit code or signal, and no arguments; one that fails to start is not an activity', () => {
    const started = { program: expect.stringMatching(/^node/), childProcessId: expect.any(Number) };
    expect(seen('children', 'Child')).toEqual([
      [started, [{ exitCode: 3, signal: '' }]],
      [started, [{ exitCode: -1, signal: 'SIGKILL' }]],
    ]);
  });

  it('a worker thread has exactly one Stop, with its exit code', () => {
    expect(seen('workers', 'Worker')).toEqual([
      [{ workerThreadId: 1 }, [{ exitCode: 0 }]],
      [{ workerThreadId: 2 }, [{ exitCode: 3 }]],
    ]);
  });

  it('is not an activity while the option is off', () => {
    expect(recording.events('off').map(({ name }) => name)).toEqual(
      Array.from({ length: 3 }, () => ['WorkStart', 'WorkStop']).flat(),
    );
  });
});
