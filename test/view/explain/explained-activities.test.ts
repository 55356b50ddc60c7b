import { describe, expect, it } from 'vitest';
import { activityKey } from '../../../lib/view/activity-key.ts';
import { CpuProfile } from '../../../lib/view/cpu/cpu-profile.ts';
import { FrameNames } from '../../../lib/view/cpu/frame-names.ts';
import type { ActivityTime } from '../../../lib/view/explain/activity-time.ts';
import { ExplainedActivities } from '../../../lib/view/explain/explained-activities.ts';
import { type Finding, Findings } from '../../../lib/view/explain/findings.ts';
import { ITSELF } from '../../../lib/view/explain/hot-code.ts';
import { sentenceOf } from '../../../lib/view/explain/sentences.ts';
import { STATES, type State, UNKNOWN } from '../../../lib/view/explain/states.ts';
import { type WrittenEvent, written } from '../written-events.ts';
import { random, SimulatedLoop, type Truth } from './simulated-loop.ts';

function explained(events: readonly WrittenEvent[]): ActivityTime[] {
  const times: ActivityTime[] = [];
  const activities = new ExplainedActivities({ take: (time) => times.push(time) });
  for (const event of events) activities.add(written(event));
  activities.end();
  return times;
}

/** What an account says for certain, and what may be. */
function boundsOf({ account }: ActivityTime, state: State, what?: string): [atLeast: number, atMost: number] {
  let [atLeast, atMost] = [0, 0];
  for (const entry of account.entries) {
    if (entry.state !== state || (what !== undefined && entry.what !== what)) continue;
    atLeast += entry.atLeastNs;
    atMost += entry.atMostNs;
  }
  return [atLeast, atMost];
}

const SEEDS = Array.from({ length: 150 }, (_, index) => index + 1);
/** Each time of an event is rounded to whole nanoseconds. */
const ROUNDED_NS = 2000;

describe('The account of a simulated activity', () => {
  it('adds up to its duration, and its bounds contain the truth', () => {
    for (const seed of SEEDS) {
      const { events, truths } = new SimulatedLoop(seed).simulate(12);
      const times = explained(events);
      const seen = new Set<string>();
      for (const time of times) {
        const { activity, account } = time;
        expect(account.totalNs).toBe((activity.endNs as number) - activity.startNs);
        const truth = truthOf(time, truths);
        if (truth === undefined) continue;
        seen.add(activity.id);
        for (const state of STATES) {
          const [atLeast, atMost] = boundsOf(time, state);
          const true_ = truth.get(state) ?? 0;
          const about = `seed ${seed}, ${activity.task} at ${activity.startNs}, ${state}`;
          expect(atLeast, about).toBeLessThanOrEqual(true_ + ROUNDED_NS);
          expect(atMost, about).toBeGreaterThanOrEqual(true_ - ROUNDED_NS);
        }
        expect(boundsOf(time, 'unknown')[1], `seed ${seed}`).toBeLessThanOrEqual(ROUNDED_NS);
      }
      expect(seen.size).toBe(truths.size);
    }
  });

  it('says nothing wrong when events are missing', () => {
    for (const seed of SEEDS) {
      const { events, truths } = new SimulatedLoop(seed).simulate(12);
      const next = random(seed + 1000);
      const kept = events.filter(() => next(6) !== 0);
      for (const time of explained(kept)) {
        const { activity, account } = time;
        expect(account.totalNs).toBe((activity.endNs as number) - activity.startNs);
        const truth = truthOf(time, truths);
        if (truth === undefined) continue;
        const about = `seed ${seed}, ${activity.task} at ${activity.startNs}`;
        for (const state of ['running', 'timer', 'threadPool'] as const) {
          expect(boundsOf(time, state)[0], `${about}, ${state}`).toBeLessThanOrEqual(
            (truth.get(state) ?? 0) + ROUNDED_NS,
          );
        }
        for (const { state, what } of account.entries) {
          if (state !== 'held') continue;
          const isNamed = truth.has(`held ${what}`) || /^Work|^code/.test(what);
          expect(boundsOf(time, 'held', what)[0], `${about}, held by ${what}`).toBeLessThanOrEqual(
            (truth.get(isNamed ? `held ${what}` : 'held') ?? 0) + ROUNDED_NS,
          );
        }
        // Without its start, a call is the socket that it used.
        const outside = boundsOf(time, 'child')[0] + boundsOf(time, 'otherSide')[0];
        const true_ = (truth.get('child') ?? 0) + (truth.get('otherSide') ?? 0);
        expect(outside, `${about}, outside`).toBeLessThanOrEqual(true_ + ROUNDED_NS);
      }
    }
  });
});

const NS_PER_MS = 1e6;
const EXPLAINED_ID = '//1/1';

/** A run of the thread, which is reported a tenth of a millisecond after its end. */
function ran(
  number: number,
  at: number,
  until: number,
  parts: { id?: string; wokenBy?: string; late?: number },
) {
  const { id, wokenBy = 'http.server', late = 0 } = parts;
  return {
    name: 'Node.Runtime/ActivityRun',
    at: until + 0.1,
    ...(id !== undefined && { id }),
    payload: {
      number,
      startedAgoMSec: until + 0.1 - at,
      durationMSec: until - at,
      cpuMSec: -1,
      processorWaitMSec: -1,
      wokenBy,
      isOwnCallback: true,
      lateMSec: late,
      lateAtMostMSec: late,
    },
  };
}

const requested = (method: string): WrittenEvent[] => [
  {
    name: 'Node.Http/RequestStart',
    at: 10,
    id: EXPLAINED_ID,
    opcode: 1,
    payload: { method, pathAndQuery: '/cart' },
  },
];
const answered = (at: number): WrittenEvent => ({
  name: 'Node.Http/RequestStop',
  at,
  id: EXPLAINED_ID,
  opcode: 2,
});

describe('A request that its client wakes', () => {
  const waited = (method: string) =>
    explained([
      ran(1, 0, 0.5, {}),
      ...requested(method),
      ran(2, 10, 11, { id: EXPLAINED_ID }),
      answered(51),
      ran(3, 50, 51, { id: EXPLAINED_ID }),
    ])
      .flatMap(({ account }) => account.entries)
      .filter(({ state }) => state === 'otherSide')
      .map(({ what, ns }) => [what, Math.round(ns / NS_PER_MS)]);

  it('waited for its body, if its method has one', () => {
    for (const method of ['POST', 'PUT', 'PATCH']) expect(waited(method)).toEqual([['the request body', 39]]);
  });

  it('has waited for what nobody knows, if its client leaves', () => {
    const events = [
      ran(1, 0, 0.5, {}),
      ...requested('GET'),
      ran(2, 10, 11, { id: EXPLAINED_ID }),
      { ...answered(50.5), payload: { errorType: 'aborted' } },
      ran(3, 50, 51, { id: EXPLAINED_ID, wokenBy: 'socket' }),
    ];
    const [longest] = explained(events)[0]?.account.entries ?? [];
    expect(longest).toMatchObject({ state: 'unknown', what: UNKNOWN.aborted });
  });

  it('waited for its client otherwise, about which nothing else is known', () => {
    for (const method of ['GET', 'HEAD', 'DELETE', '']) expect(waited(method)).toEqual([['its client', 39]]);
  });
});

describe('An activity of the application inside another', () => {
  it('is explained itself', () => {
    const times = explained([
      ran(1, 0, 0.5, {}),
      ...requested('GET'),
      ran(2, 10, 11, { id: EXPLAINED_ID }),
      { name: 'Shop/RenderStart', at: 11, id: '//1/1/1', opcode: 1 },
      ran(3, 11, 71, { id: '//1/1/1' }),
      { name: 'Shop/RenderStop', at: 71, id: '//1/1/1', opcode: 2 },
      answered(72),
      ran(4, 71, 73, { id: EXPLAINED_ID }),
    ]);
    const findings = new Findings({ slowest: 1, isChosen: false });
    for (const time of times) findings.add(time);
    const [found] = findings.findings();
    expect(sentenceOf(found as Finding, () => [])).toBe(
      'GET /cart took 62.0 ms. It waited 59.9 ms for Render. There, for 59.9 ms its own code ran.',
    );
  });
});

const call = (id: string, at: number, until: number, path: string): WrittenEvent[] => [
  {
    name: 'Node.Http/ClientRequestStart',
    at,
    id,
    payload: { method: 'GET', pathAndQuery: path, host: 'db', port: 80 },
  },
  { name: 'Node.Http/ClientRequestStop', at: until, id, payload: {} },
];
const inOrder = (...events: readonly (WrittenEvent | readonly WrittenEvent[])[]) =>
  events.flat().sort((a, b) => a.at - b.at);
const ofTop = (times: readonly ActivityTime[]) =>
  times.find(({ activity }) => activity.parent === undefined) as ActivityTime;
const entriesOf = (time: ActivityTime) =>
  time.account.entries.map(({ state, what, ns }) => [state, what, Math.round(ns / NS_PER_MS)]);

describe('A request that makes calls at the same time', () => {
  const last = { id: EXPLAINED_ID, wokenBy: 'http.client' };

  it('waited for the one that let it go on in the end, whatever ended before', () => {
    const times = explained(
      inOrder(
        ran(1, 0, 0.5, {}),
        requested('GET'),
        ran(2, 10, 11, { id: EXPLAINED_ID }),
        call('//1/1/1', 11, 110, '/short'),
        call('//1/1/2', 11, 160, '/middle'),
        call('//1/1/3', 11, 210, '/long'),
        ran(3, 50, 50.2, { id: EXPLAINED_ID, wokenBy: 'timer' }),
        ran(4, 110, 110.2, last),
        ran(5, 160, 160.2, last),
        ran(6, 210, 211, last),
        answered(210.9),
      ),
    );
    expect(entriesOf(ofTop(times))[0]).toEqual(['child', 'GET db:80/long', 198]);
    expect(entriesOf(ofTop(times)).filter(([state]) => state === 'timer')).toEqual([]);
  });

  it('waited for each of them if it makes one after the other', () => {
    const times = explained(
      inOrder(
        ran(1, 0, 0.5, {}),
        requested('GET'),
        ran(2, 10, 11, { id: EXPLAINED_ID }),
        call('//1/1/1', 11, 110, '/first'),
        ran(3, 110, 111, last),
        call('//1/1/2', 110.9, 210, '/second'),
        ran(4, 210, 211, last),
        answered(210.9),
      ),
    );
    expect(entriesOf(ofTop(times)).slice(0, 2)).toEqual([
      ['child', 'GET db:80/first', 99],
      ['child', 'GET db:80/second', 99],
    ]);
  });
});

describe('A handler of a framework', () => {
  const HANDLER_ID = '//1/1/1';
  const QUERY_ID = '//1/1/1/1';
  const events = [
    ran(1, 0, 0.5, {}),
    ...requested('GET'),
    { name: 'Node.Middleware/HandlerStart', at: 11, id: HANDLER_ID, opcode: 1, payload: { name: 'getCart' } },
    ran(2, 10, 20, { id: HANDLER_ID }),
    { name: 'Node.Database/CommandStart', at: 20, id: QUERY_ID, opcode: 1, payload: { text: 'SELECT 1' } },
    { name: 'Node.Database/CommandStop', at: 50, id: QUERY_ID, opcode: 2 },
    ran(3, 50, 90, { id: HANDLER_ID, wokenBy: 'socket' }),
    ran(4, 100, 105, { id: HANDLER_ID, wokenBy: 'timer' }),
    { name: 'Node.Middleware/HandlerStop', at: 105, id: HANDLER_ID, opcode: 2 },
    answered(106),
    ran(5, 105, 107, { id: EXPLAINED_ID }),
  ];
  const times = explained(events);
  const timeOf = (name: string) => times.find(({ activity }) => activity.name === name) as ActivityTime;
  const statesOf = ({ account }: ActivityTime) =>
    account.entries
      .filter(({ ns }) => ns >= NS_PER_MS)
      .map(({ state, what, ns }) => [state, what, Math.round(ns / NS_PER_MS)]);

  it('is a part of its request', () => {
    const request = timeOf('Node.Http/Request');
    expect(statesOf(request)).toEqual([
      ['running', '', 56],
      ['child', 'SELECT ?', 30],
      ['timer', 'timer', 10],
    ]);
    expect(request.calls).toMatchObject([{ label: 'SELECT ?', count: 1 }]);
  });

  it('has an account of its own', () => {
    expect(statesOf(timeOf('Node.Middleware/Handler'))).toEqual([
      ['running', '', 54],
      ['child', 'SELECT ?', 30],
      ['timer', 'timer', 10],
    ]);
  });

  const handler = '//1/1/1';
  const handled = (...events: readonly (WrittenEvent | readonly WrittenEvent[])[]) =>
    explained(
      inOrder(
        ran(1, 0, 0.5, {}),
        requested('GET'),
        ran(2, 10, 11, { id: EXPLAINED_ID }),
        { name: 'Node.Middleware/HandlerStart', at: 11, id: handler, payload: { name: 'GET /cart' } },
        ...events,
        { name: 'Node.Middleware/HandlerStop', at: 210.8, id: handler, payload: {} },
        answered(210.9),
        ran(90, 210.85, 211, { id: EXPLAINED_ID, wokenBy: 'http.client' }),
      ),
    );

  it('made the calls that it makes', () => {
    const times = handled(
      ran(3, 11, 12, { id: handler }),
      [1, 2, 3, 4, 5].flatMap((n) => [
        ...call(`${handler}/${n}`, 12 + 30 * (n - 1), 11.9 + 30 * n, `/item/${n}`),
        ran(3 + n, 11.9 + 30 * n, 12 + 30 * n, { id: handler, wokenBy: 'http.client' }),
      ]),
      ran(9, 210, 210.8, { id: handler, wokenBy: 'timer' }),
    );
    const request = ofTop(times);
    expect(request.calls).toMatchObject([{ label: 'GET db:80/item/:id', count: 5, inTurn: 5 }]);
    expect(entriesOf(request)[0]?.slice(0, 2)).toEqual(['child', 'GET db:80/item/:id']);
  });

  it('is what holds others, by its own name', () => {
    const other = '//1/2';
    const times = handled(
      {
        ...requested('GET')[0],
        at: 12,
        id: other,
        payload: { method: 'GET', pathAndQuery: '/other' },
      } as WrittenEvent,
      ran(3, 12, 13, { id: other }),
      ran(4, 13, 113, { id: handler }),
      ran(5, 113, 114, { id: other, wokenBy: 'timer', late: 100 }),
      { name: 'Node.Http/RequestStop', at: 113.5, id: other, payload: {} },
      ran(6, 210, 210.8, { id: handler, wokenBy: 'timer' }),
    );
    const held = times.find(({ label }) => label === 'GET /other') as ActivityTime;
    expect(entriesOf(held)[0]).toEqual(['held', 'GET /cart', 100]);
  });
});

describe('A request that another one wakes', () => {
  const woken = (wokenBy: string) => {
    const run = ran(3, 50, 51, { id: EXPLAINED_ID, wokenBy });
    const events = [
      ran(1, 0, 0.5, {}),
      ...requested('GET'),
      ran(2, 10, 11, { id: EXPLAINED_ID }),
      answered(50.9),
      { ...run, payload: { ...run.payload, isOwnCallback: false } },
    ];
    return entriesOf(ofTop(explained(events)))[0];
  };

  it('waited for a socket that it shares, such as one of a pool', () => {
    expect(woken('socket')).toEqual(['otherSide', 'a socket that it shares with others', 39]);
  });

  it('waited for what nobody knows, if a timer of others wakes it, which is said', () => {
    expect(woken('timer')).toEqual(['unknown', UNKNOWN.outside, 39]);
  });
});

describe('The queue of the thread pool', () => {
  it('is named after what filled it, even if that has ended when the trace tells', () => {
    const WAITING_ID = '//1/2';
    const woken = ran(5, 3000, 3001, { id: WAITING_ID, wokenBy: 'fs' });
    const node = (name: string, id: string | undefined, payload: object): WrittenEvent => ({
      name: `Node.Runtime/${name}`,
      at: 2999,
      ...(id !== undefined && { id }),
      payload: { number: 1, ...payload },
    });
    const times = explained([
      ran(1, 0, 0.5, {}),
      ...requested('GET'),
      ran(2, 10, 11, { id: EXPLAINED_ID }),
      { name: 'Shop/ReadStart', at: 20, id: WAITING_ID, opcode: 1 },
      ran(3, 20, 21, { id: WAITING_ID }),
      answered(51),
      ran(4, 50, 51, { id: EXPLAINED_ID }),
      // Meanwhile, the request is explained.
      ran(5, 2000, 2001, {}),
      node('ThreadPoolDelay', undefined, { submittedAgoMSec: 2979, delayMSec: 2979 }),
      node('ThreadPoolUse', EXPLAINED_ID, { kind: 'fs', jobs: 9, running: 4 }),
      { ...woken, payload: { ...woken.payload, number: 6, jobAtMostMSec: 1 } },
      { name: 'Shop/ReadStop', at: 3002, id: WAITING_ID, opcode: 2 },
    ]);
    expect(times.map(({ label }) => label)).toEqual(['GET /cart', 'Read']);
    expect(entriesOf(times[1] as ActivityTime)[0]).toEqual([
      'threadPool',
      'its queue, filled by fs of GET /cart',
      2978,
    ]);
  });
});

describe('What an activity waited for is named', () => {
  it('by what there is to name', () => {
    const labels = explained(
      inOrder(
        requested('GET'),
        {
          name: 'Node.Process/ChildStart',
          at: 20,
          id: '//1/1/1',
          payload: { program: 'convert', childProcessId: 7 },
        },
        { name: 'Node.Process/ChildStop', at: 50, id: '//1/1/1', payload: {} },
        {
          name: 'Node.Net/TlsEstablished',
          at: 70,
          id: EXPLAINED_ID,
          payload: { serverName: '', durationMSec: 5 },
        },
        {
          name: 'Node.Net/TlsEstablished',
          at: 80,
          id: EXPLAINED_ID,
          payload: { serverName: 'db', durationMSec: 5 },
        },
        answered(90),
      ),
    ).flatMap((time) => time.calls.map(({ label }) => label));
    expect(labels).toEqual(['Child convert', 'TLS', 'TLS with db']);
  });
});

describe('A sentence about time that may have been in another state', () => {
  const sentence = (late: number, until: number) => {
    const found = new Findings({ slowest: 1, isChosen: false });
    const times = explained(
      inOrder(
        ran(1, 0, 0.5, {}),
        requested('GET'),
        ran(2, 10, 11, { id: EXPLAINED_ID }),
        call('//1/1/1', 11, until - 0.5, '/item'),
        {
          ...requested('GET')[0],
          at: until - late - 1,
          id: '//1/2',
          payload: { method: 'GET', pathAndQuery: '/export' },
        } as WrittenEvent,
        ran(3, until - late, until - 1, { id: '//1/2' }),
        { name: 'Node.Http/RequestStop', at: until - 1, id: '//1/2', payload: {} },
        withBounds(ran(4, until - 0.6, until, { id: EXPLAINED_ID, wokenBy: 'http.client' }), late),
        answered(until - 0.1),
      ),
    );
    for (const time of times) found.add(time);
    const [finding] = found.findings().filter(({ time }) => time.label === 'GET /cart');
    return finding && sentenceOf(finding, () => []);
  };
  const withBounds = (run: ReturnType<typeof ran>, lateAtMostMSec: number) => ({
    ...run,
    payload: { ...run.payload, lateMSec: 0, lateAtMostMSec },
  });

  it('tells both, whichever seems longer', () => {
    expect(sentence(190, 211)).toMatch(
      /^GET \/cart took .* For up to 189 ms the loop ran GET \/export; it was ready, or it still waited for GET db:80\/item\.$/,
    );
  });

  it('tells only what is certain otherwise', () => {
    expect(sentence(20, 211)).toMatch(/It waited 1\d\d(?: to \d+)? ms for GET db:80\/item\.$/);
  });
});

describe('A thread that runs code of this package outside of activities', () => {
  const SAMPLE = 'Microsoft-DotNETCore-SampleProfiler/Thread/Sample';
  const held = (file: string) => {
    const profile = new CpuProfile(new FrameNames());
    const found: string[] = [];
    const activities = new ExplainedActivities({
      profile,
      take: ({ account }) => {
        for (const { state, what } of account.entries) if (state === 'held') found.push(what);
      },
    });
    const payload = {
      ...{ MethodStartAddress: 0x1000n, MethodSize: 0x100, MethodSignature: '' },
      ...{ MethodNamespace: file, MethodName: 'nameOf$1' },
    };
    const samples = Array.from({ length: 70 }, (_, index) => ({
      ...{ name: SAMPLE, at: 21 + index, stack: [0x1010n], payload: { Type: 2 } },
    }));
    const events: WrittenEvent[] = [
      { name: 'Microsoft-Windows-DotNETRuntimeRundown/MethodDCEndVerbose', at: 0, payload },
      ran(1, 0, 0.5, {}),
      ...requested('GET'),
      ran(2, 10, 11, { id: EXPLAINED_ID }),
      ...samples,
      ran(3, 20, 94, { wokenBy: 'socket' }),
      answered(95),
      ran(4, 94, 95, { id: EXPLAINED_ID, wokenBy: 'socket', late: 74 }),
    ];
    for (const event of events) activities.add(written(event));
    activities.end();
    return found;
  };

  it('is held by tracewright itself', () => {
    expect(held('tracewright/dist/cjs/write-ab12.cjs')).toEqual([ITSELF]);
    expect(held('app/write-ab12.cjs')).toEqual(['code outside of activities']);
  });
});

/** Of activities at the top. */
function truthOf({ activity }: ActivityTime, truths: ReadonlyMap<string, Truth>): Truth | undefined {
  return activity.depth > 0 ? undefined : truths.get(activityKey(activity.id, 4321)?.text ?? '');
}
