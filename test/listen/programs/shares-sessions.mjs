/** Shares sessions between threads, and prints what each thread notices. Argument: which case. */
import { isMainThread, parentPort, threadId, Worker, workerData } from 'node:worker_threads';
import { onSharedSession, shareSession } from '../../../dist/listen/shared-sessions.js';

const say = (text) => (isMainThread ? console.log(text) : parentPort.postMessage({ said: text }));

/** A thread that reports what it hears; `late`: it loads the module only when it is told to. */
function worker(options = {}) {
  const created = new Worker(new URL(import.meta.url), { workerData: options });
  const waiting = [];
  const said = [];
  created.on('message', ({ said: text }) => {
    said.push(text);
    waiting.shift()?.();
  });
  created.tell = (text) => created.postMessage(text);
  created.hears = async () => {
    if (said.length === 0) await new Promise((resolve) => waiting.push(resolve));
    return said.shift();
  };
  return created;
}

function listen(name, onStart = () => {}) {
  onSharedSession('test', (data, id) => {
    say(`${name} starts ${id} ${Atomics.load(data.words, 0)} ${data.big}`);
    onStart();
    return { end: () => say(`${name} ends ${id}`) };
  });
}

const newData = (value) => ({ words: new Int32Array(new SharedArrayBuffer(4)).fill(value), big: 2n ** 63n });

const cases = {
  async before() {
    const there = worker({ name: 'there' });
    console.log(await there.hears());
    const session = shareSession('test', 'a', newData(7));
    console.log(await there.hears());
    session.end();
    session.end();
    console.log(await there.hears());
    there.tell('exit');
  },
  async later() {
    shareSession('other', 'x', newData(1));
    const session = shareSession('test', 'a', newData(7));
    const later = worker({ name: 'later', nested: true });
    // Heard of before the first line of the module that listens has ended.
    for (let i = 0; i < 4; i++) console.log(await later.hears());
    session.end();
    console.log([await later.hears(), await later.hears()].sort().join('\n'));
    later.tell('exit');
  },
  async missed() {
    const late = worker({ name: 'late', late: true });
    const session = shareSession('test', 'a', newData(7));
    late.tell('load');
    console.log(await late.hears());
    console.log(await late.hears());
    session.end();
    console.log(await late.hears());
    late.tell('exit');
  },
  async over() {
    const session = shareSession('test', 'a', newData(7));
    const created = worker({ name: 'created', late: true });
    session.end();
    created.tell('load');
    console.log(await created.hears());
    shareSession('test', 'b', newData(8));
    console.log(await created.hears());
    created.tell('exit');
  },
  async sharer() {
    const sharer = worker({ name: 'sharer', shares: true });
    listen('main', () => sharer.tell('exit'));
    await new Promise((resolve) => sharer.once('exit', resolve));
    await new Promise((resolve) => setTimeout(resolve, 20));
  },
  async fails() {
    const sharer = worker({ name: 'sharer', shares: true });
    process.on('warning', ({ name, message }) => {
      console.log(`${name}: ${message.split('\n')[0]}`);
      sharer.tell('exit');
    });
    onSharedSession('test', () => {
      throw new Error('broken');
    });
    await new Promise((resolve) => sharer.once('exit', resolve));
  },
  own() {
    listen('main');
    shareSession('test', 'a', newData(7));
  },
};

if (isMainThread) await cases[process.argv[2]]();
else {
  const load = () => {
    listen(workerData.name);
    say(`${workerData.name} listens`);
    if (workerData.nested) {
      const nested = worker({ name: 'nested' });
      nested.on('message', ({ said }) => say(said));
      nested.unref();
    }
    if (workerData.shares) shareSession('test', `of ${threadId}`, newData(9));
  };
  if (!workerData.late) load();
  parentPort.on('message', (text) => {
    if (text === 'load') load();
    else process.exit();
  });
}
