// Sessions of user_events in a process that may not open the tracer: `passed-descriptor.mjs SCENARIO [ROUNDS]`, run by
// privileged-tool.mjs. Prints the results as JSON.
import { accessSync, fstatSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { currentActivityId, defineEventSource, event, Level } from 'tracewright';
import { UserEventsSession } from '../../../dist/eventpipe/user-events/user-events-session.js';
import { OwnedDescriptor } from '../../../dist/platform/owned-descriptor.js';
import { TRACEFS, until } from './tracefs.mjs';

const log = defineEventSource('Demo', {
  Req: event({ url: 'string', ms: 'int32' }, { keywords: 3n }),
  Detail: event({ number: 'uint32' }, { level: Level.Verbose }),
  Other: event({ number: 'uint32' }, { keywords: 4n }),
  Large: event({ text: 'string' }),
  WorkStart: event({ number: 'uint32' }),
  WorkStop: event({ success: 'bool' }),
});
const WORKED_ACTIVITY = '03020100-0504-0706-0809-0a0b0c0d0e0f';

const DEFAULTS = {
  name: 'Demo',
  keywords: 0xffff_ffff_ffff_ffffn,
  level: 5,
  arguments: undefined,
  filter: { isAllowList: false, ids: [] },
};

function start(descriptor, ...providers) {
  const all = providers.map(({ defaultName, sets = [], ...rest }) => ({
    ...DEFAULTS,
    ...rest,
    tracepoints: { defaultName, sets },
  }));
  return UserEventsSession.start(
    { sessionType: 'user_events', rundownKeyword: 0n, providers: all },
    new OwnedDescriptor(descriptor),
  );
}

/** Has the privileged tool do something. */
async function tool(name, ...args) {
  const answer = new Promise((resolve) => process.once('message', resolve));
  process.send({ name, args });
  const { result, error } = await answer;
  if (error !== undefined) throw new Error(error);
  return result;
}

function isOpen(descriptor) {
  try {
    fstatSync(descriptor);
    return true;
  } catch {
    return false;
  }
}

function problemOf(work) {
  try {
    work();
    return 'none';
  } catch (error) {
    return `${error.replyCode?.toString(16) ?? error.code}: ${error.message}`;
  }
}

const scenarios = {
  /** One event, and the ring buffer's bytes. */
  async worked() {
    const rights = problemOf(() => accessSync(`${TRACEFS}/user_events_data`));
    const sets = [{ name: 'Demo_Req', ids: [1] }];
    const session = start(3, { keywords: 3n, level: 4, defaultName: 'Demo_All', sets });
    log.Req({ url: '/early', ms: 0 });
    await tool('setRecorded', 'Demo_Req', true);
    for (const _ of [1, 2]) log.Req({ url: '/a', ms: 7 }, { activityId: WORKED_ACTIVITY });
    log.Req({ url: '/a', ms: 7 });
    const pages = await tool('pages');
    await tool('setRecorded', 'Demo_Req', false);
    log.Req({ url: '/late', ms: 0 });
    const { counts } = session;
    session.stop();
    session.stop();
    log.Req({ url: '/later', ms: 0 });
    await tool('gone', 'Demo_Req');
    await tool('gone', 'Demo_All');
    return { rights, backend: log.status.backend, pages, counts, stats: log.stats(), isOpen: isOpen(3) };
  },

  /** Which event reaches which tracepoint: perf records them. */
  async routed() {
    const sessions = [
      start(3, {
        defaultName: 'Demo_All',
        sets: [{ name: 'Demo_Req', ids: [1] }],
        filter: { isAllowList: true, ids: [1, 2] },
      }),
      // Side by side with the first, with a tracepoint of the same name.
      start(
        4,
        { defaultName: 'Demo_All', filter: { isAllowList: false, ids: [1, 2] } },
        { sets: [{ name: 'Demo_Set', ids: [2] }], keywords: 0n },
        { sets: [{ name: 'Demo_Set', ids: [1, 3] }], keywords: 4n, level: 4 },
        { name: 'Others', defaultName: 'Demo_All' },
      ),
    ];
    await tool('untilEnabled', ['Demo_All', 'Demo_Req', 'Demo_Set']);
    const activityId = await log.activity('Work', { number: 1 }, () => {
      log.Req({ url: '/1', ms: -1 });
      return currentActivityId();
    });
    for (const number of [1, 2]) {
      log.Detail({ number });
      log.Other({ number });
    }
    log.write('Own', { number: 1, names: ['a', 'b'] });
    log.write('Other own', { text: 'x' });
    log.write('Own', { number: 2, names: [] });
    log.Large({ text: 'x'.repeat(5000) });
    log.Large({ text: 'fits' });
    // An event that the making of another one's payload writes.
    log.Detail({
      get number() {
        log.Other({ number: 4 });
        return 3;
      },
    });
    defineEventSource('Others', { Late: event() }).Late();
    const counts = sessions.map((session) => session.counts);
    for (const session of sessions) session.stop();
    log.Req({ url: '/late', ms: 1 });
    return { pid: process.pid, activityId, counts };
  },

  /** What the source hears of a session, and who wants its events. */
  async commands() {
    const heard = [];
    log.onCommand(({ kind, level, anyKeyword, arguments: args }) =>
      heard.push([kind, level, String(anyKeyword), args]),
    );
    const wanted = () => [log.Req.enabled, log.Detail.enabled, log.Other.enabled];
    const session = start(3, {
      defaultName: 'Demo_All',
      keywords: 4n,
      level: 4,
      arguments: 'interval=5;name="a;b"',
    });
    const during = wanted();
    session.stop();
    return { heard, during, after: wanted() };
  },

  /** Why a session cannot be started; its descriptor is closed each time. */
  async refused() {
    const all = { defaultName: 'Demo_All' };
    const problems = [
      problemOf(() => start(3, all, { defaultName: 'Other_Fields' })),
      problemOf(() => start(4, { sets: [] })),
      problemOf(() => start(77, all)),
      problemOf(() => start(openSync('/dev/null', 'r+'), all)),
      problemOf(() => start(openSync('/dev/null', 'r'), all)),
    ];
    await tool('gone', 'Demo_All');
    return { problems, open: [3, 4, 5].map(isOpen), enabled: log.Req.enabled };
  },

  /** Threads that are there, and threads that come. */
  async workers() {
    await tool('setBufferKiB', 1024);
    const here = await newWorker();
    const session = start(3, { defaultName: 'Demo_All' });
    await tool('setRecorded', 'Demo_All', true);
    for (const number of [1, 2]) log.Detail({ number });
    log.write('Own of main', { main: true });
    const later = await newWorker();
    const wantedAtOnce = later.wanted;
    for (const [index, worker] of [here, later].entries()) await worker.ask('write', 10 * (index + 1));
    const pages = await tool('pages');
    const { counts } = session;
    session.stop();
    for (const worker of [here, later]) await worker.ask('untilUnwanted');
    for (const worker of [here, later]) await worker.terminate();
    return { wantedAtOnce, pages, counts };
  },

  /** Threads that end, and a session that ends, in the middle of writing. */
  async ends() {
    let written = 0;
    for (let round = 0; round < Number(process.argv[3]); round++) {
      const workers = [await newWorker(), await newWorker()];
      const session = start(3 + round, { defaultName: 'Demo_All' });
      await tool('setRecorded', 'Demo_All', true);
      for (const worker of workers) await worker.ask('writeOn');
      await sleep(50);
      await workers[0].terminate();
      await sleep(50);
      const { counts } = session;
      session.stop();
      const atEnd = session.counts;
      await sleep(50);
      if (atEnd.written <= counts.written - 1) throw new Error('Nobody wrote on.');
      if (session.counts.written !== atEnd.written) throw new Error('An event was written after the end.');
      if (atEnd.dropped > 0) throw new Error('An event was dropped.');
      written += atEnd.written;
      await workers[1].terminate();
      await tool('setRecorded', 'Demo_All', false);
      await tool('gone', 'Demo_All');
    }
    return { written };
  },
};

/** A worker of this program, which has defined its source. */
async function newWorker() {
  const worker = new Worker(new URL(import.meta.url));
  const answer = () =>
    new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  const wanted = await answer();
  return {
    wanted,
    ask: (name, number) => {
      const answered = answer();
      worker.postMessage({ name, number });
      return answered;
    },
    terminate: () => worker.terminate(),
  };
}

const tasks = {
  async write(number) {
    await until(() => log.Detail.enabled, 'the session to reach the worker');
    log.Detail({ number });
    log.write(`Own of ${number}`, { number });
    log.Detail({ number: number + 1 });
  },
  untilUnwanted: () => until(() => !log.Detail.enabled, 'the end to reach the worker'),
  async writeOn() {
    await until(() => log.Detail.enabled, 'the session to reach the worker');
    setInterval(() => {
      for (let number = 0; number < 1000; number++) log.Detail({ number });
    });
  },
};

if (isMainThread) {
  const result = await scenarios[process.argv[2]]();
  console.log(JSON.stringify(result));
  process.disconnect();
} else {
  parentPort.on('message', async ({ name, number }) => {
    await tasks[name](number);
    parentPort.postMessage('done');
  });
  parentPort.postMessage(log.Detail.enabled);
}
