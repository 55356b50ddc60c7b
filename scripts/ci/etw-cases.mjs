// What only a real Windows can show of ETW sessions: for each mode, control and filter, what to ask for, and what must
// then be in the files. docs/windows.md lists them. etw-modes.mjs runs them on Windows, and a test runs them on a model.
//
// A case gets a harness:
//   start(options, enabled)   a session of tracewright/etw, with the provider enabled
//   path(name)                of a file in the case's folder
//   write(count, options)     events with consecutive numbers: { kind, from }, of the kinds below
//   enable(session, options)  the same provider once more
//   settle()                  waits for what cannot be seen
//   read(name)                { kind, number, hasStack } of events in a file, or all files of a name with %d or *
//   receive()                 the session's events in real time, like read; call the result to wait for its end
//   system(name)              the names of all events in a file, and of those that have stacks
//   sizes(name)               of the file or files, in bytes
//   list(...args)             the lines of JSON of a tracewright command
//   processId                 of the program, which writes a State when it is asked for it

/** The events of the provider: its id is the position, from 1 on. */
export const KINDS = {
  Number: { level: 4, keywords: 0n },
  Detail: { level: 5, keywords: 0x2n },
  Other: { level: 4, keywords: 0x4n },
  State: { level: 4, keywords: 0n },
};
export const PROVIDER = 'Tracewright-Ci';
export const SESSION = 'tracewright-ci';

const MIB = 1 << 20;
/** An event has 200 characters: far more than fit into a file of one MiB. */
const MANY = 30_000;
const FEW = 100;

const numbersOf = (events, kind) => events.filter((event) => event.kind === kind).map(({ number }) => number);
const isSequence = (numbers) =>
  numbers.every((number, index) => index === 0 || number === numbers[index - 1] + 1);

/** A problem, unless it is true. */
const expectThat = (isTrue, problem) => (isTrue ? [] : [problem]);
const shown = (numbers) => `${numbers.length} events, from ${numbers[0]} to ${numbers.at(-1)}`;

/** Nearly all in this half. A buffer is written when it is full: what one processor got last may be in a file early or late. */
function expectHalf(numbers, isNewest) {
  const found = numbers.filter((number) => number >= MANY / 2 === isNewest).length;
  const isSome = numbers.length > 0 && numbers.length < MANY && found >= 0.9 * numbers.length;
  return expectThat(
    isSome,
    `Of ${shown(numbers)}, ${found} are in the ${isNewest ? 'newer' : 'older'} half.`,
  );
}

function expectAll(numbers, count, from = 0) {
  const isAll = numbers.length === count && (count === 0 || numbers[0] === from) && isSequence(numbers);
  return expectThat(isAll, `Not all ${count} events from ${from} are there: ${shown(numbers)}.`);
}

/** Records one event of each kind with these options; the kinds that must be there, and no others. */
function filterCase(sees, enabled, kinds) {
  return {
    sees,
    async run(harness) {
      const session = await harness.start({ file: 'trace.etl' }, enabled);
      for (const kind of ['Number', 'Detail', 'Other']) await harness.write(FEW, { kind });
      session.close();
      const events = await harness.read('trace.etl');
      const found = [...new Set(events.map(({ kind }) => kind))];
      return [
        ...expectThat(`${found}` === `${kinds}`, `The kinds are "${found}", and not "${kinds}".`),
        ...kinds.flatMap((kind) => expectAll(numbersOf(events, kind), FEW)),
      ];
    },
  };
}

async function recordMany(harness, options, count = MANY) {
  const session = await harness.start(options, {});
  await harness.write(count, { kind: 'Number' });
  return session;
}

export const cases = {
  sequential: {
    sees: 'a session with its file: every event, none lost; the session is gone afterwards',
    async run(harness) {
      const session = await recordMany(harness, { file: 'trace.etl' });
      const last = session.close();
      return [
        ...expectAll(numbersOf(await harness.read('trace.etl'), 'Number'), MANY),
        ...expectThat(last?.eventsLost === 0, `ETW says that ${last?.eventsLost} events are lost.`),
        ...expectThat(session.query() === undefined, 'The session still runs.'),
      ];
    },
  },
  'max-size': {
    sees: 'a file that ends at its maximum of 1 MiB, with the oldest events; the session has ended by itself',
    async run(harness) {
      const session = await recordMany(harness, { file: 'trace.etl', maxFileBytes: 2 ** 20 });
      await harness.settle();
      const hasEnded = session.query() === undefined;
      const numbers = numbersOf(await harness.read('trace.etl'), 'Number');
      const [size = 0] = harness.sizes('trace.etl');
      return [
        ...expectThat(hasEnded, 'The session still runs.'),
        ...expectThat(size > 0 && size <= MIB, `The file has ${size} bytes.`),
        ...expectHalf(numbers, false),
      ];
    },
  },
  circular: {
    sees: 'a file of 1 MiB with the newest events',
    async run(harness) {
      const session = await recordMany(harness, {
        file: 'trace.etl',
        mode: 'circular',
        maxFileBytes: 2 ** 20,
      });
      session.close();
      const numbers = numbersOf(await harness.read('trace.etl'), 'Number');
      const [size = 0] = harness.sizes('trace.etl');
      return [
        ...expectThat(size > 0 && size <= MIB, `The file has ${size} bytes.`),
        ...expectHalf(numbers, true),
        ...expectThat(numbers.at(-1) === MANY - 1, `The last event is missing: there are ${shown(numbers)}.`),
      ];
    },
  },
  'new-file': {
    sees: 'several files of at most 1 MiB, in which each event is once, and another one after nextFile()',
    async run(harness) {
      const file = 'trace_%d.etl';
      const session = await recordMany(harness, { file, mode: 'newFile', maxFileBytes: 2 ** 20 });
      const before = harness.sizes(file).length;
      session.nextFile();
      await harness.write(FEW, { kind: 'Number', from: MANY });
      session.close();
      const sizes = harness.sizes(file);
      return [
        ...expectThat(before >= 3, `There are ${before} files.`),
        ...expectThat(sizes.length > before, 'nextFile() has begun no file.'),
        ...expectThat(Math.max(...sizes) <= MIB, `The largest file has ${Math.max(...sizes)} bytes.`),
        ...expectAll(numbersOf(await harness.read(file), 'Number'), MANY + FEW),
      ];
    },
  },
  memory: {
    sees: 'no file until flush() writes the newest events, twice',
    async run(harness) {
      const session = await recordMany(harness, { mode: 'memory', buffers: 16 });
      const before = harness.sizes('first.etl');
      session.flush(harness.path('first.etl'));
      await harness.write(FEW, { kind: 'Number', from: MANY });
      session.flush(harness.path('second.etl'));
      session.close();
      const first = numbersOf(await harness.read('first.etl'), 'Number');
      const second = numbersOf(await harness.read('second.etl'), 'Number');
      return [
        ...expectThat(before.length === 0, 'There is a file before the first flush.'),
        ...expectHalf(first, true),
        ...expectThat(second.at(-1) === MANY + FEW - 1, `The second file has ${shown(second)}.`),
      ];
    },
  },
  compressed: {
    sees: 'a compressed file, which tracewright reads: every event',
    async run(harness) {
      const session = await recordMany(harness, { file: 'trace.etl', compressed: true });
      session.close();
      const [size = 0] = harness.sizes('trace.etl');
      return [
        ...expectAll(numbersOf(await harness.read('trace.etl'), 'Number'), MANY),
        ...expectThat(size < MANY * 100, `The file has ${size} bytes: it is not compressed.`),
      ];
    },
  },
  private: {
    sees: 'a session of this process only, with a file of its own: every event',
    async run(harness) {
      const session = await recordMany(harness, { file: 'trace.etl', private: PROVIDER }, FEW);
      session.close();
      return expectAll(numbersOf(await harness.read('*'), 'Number'), FEW);
    },
  },
  independent: {
    sees: 'two sessions at once, each with every event',
    async run(harness) {
      const first = await harness.start({ file: 'first.etl', independent: true }, {});
      const second = await harness.start({ file: 'second.etl', name: `${SESSION}-2` }, {});
      await harness.write(FEW, { kind: 'Number' });
      first.close();
      await harness.write(FEW, { kind: 'Number', from: FEW });
      second.close();
      return [
        ...expectAll(numbersOf(await harness.read('first.etl'), 'Number'), FEW),
        ...expectAll(numbersOf(await harness.read('second.etl'), 'Number'), 2 * FEW),
      ];
    },
  },
  update: {
    sees: 'the new flush timer and number of buffers, and the later events in the second file',
    async run(harness) {
      const session = await harness.start({ file: 'first.etl' }, {});
      await harness.write(FEW, { kind: 'Number' });
      const { maxBuffers } = session.query();
      session.update({ flushIntervalMs: 7000, maxBuffers: maxBuffers + 8, file: harness.path('second.etl') });
      await harness.write(FEW, { kind: 'Number', from: FEW });
      const status = session.query();
      session.close();
      const isUpdated = status?.flushIntervalMs === 7000 && status.maxBuffers === maxBuffers + 8;
      const second = numbersOf(await harness.read('second.etl'), 'Number');
      return [
        ...expectThat(isUpdated, `The session is now ${JSON.stringify(status)}.`),
        ...expectThat(second.at(-1) === 2 * FEW - 1, `The second file has ${shown(second)}.`),
      ];
    },
  },
  levels: {
    sees: 'what each of two requests of one session lets through, one after the other',
    async run(harness) {
      const session = await harness.start({ file: 'trace.etl' }, { level: 4, keywords: 0x4n });
      for (const kind of ['Detail', 'Other']) await harness.write(FEW, { kind });
      await harness.enable(session, { level: 5, keywords: 0x2n });
      for (const kind of ['Detail', 'Other']) await harness.write(FEW, { kind, from: FEW });
      session.close();
      const events = await harness.read('trace.etl');
      return [
        ...expectAll(numbersOf(events, 'Other'), FEW),
        ...expectAll(numbersOf(events, 'Detail'), FEW, FEW),
      ];
    },
  },
  'event-ids': filterCase('only events with these ids', { eventIds: [1, 3] }, ['Number', 'Other']),
  'except-event-ids': filterCase('only events with other ids', { exceptEventIds: [1] }, ['Detail', 'Other']),
  'event-names': {
    ...filterCase('only TraceLogging events with these names', { eventNames: ['Detail'] }, ['Detail']),
    format: 'tracelogging',
  },
  'ignore-keyword-0': filterCase('no events without keywords', { ignoresKeyword0: true }, [
    'Detail',
    'Other',
  ]),
  executables: filterCase('the events of node.exe', { executables: ['node.exe'] }, [
    'Number',
    'Detail',
    'Other',
  ]),
  'other-executables': filterCase('no events of node.exe', { executables: ['notepad.exe'] }, []),
  'other-process-ids': filterCase('no events of other processes than 4', { processIds: [4] }, []),
  'process-ids': {
    sees: 'the events of this process',
    run: (harness) =>
      filterCase('', { processIds: [harness.processId] }, ['Number', 'Detail', 'Other']).run(harness),
  },
  'stacks-by-id': {
    sees: 'stacks of the events with these ids, and of no others',
    async run(harness) {
      const session = await harness.start({ file: 'trace.etl' }, { stacks: [3] });
      for (const kind of ['Number', 'Other']) await harness.write(FEW, { kind });
      session.close();
      const stacked = (await harness.read('trace.etl')).filter(({ hasStack }) => hasStack);
      return [...expectAll(numbersOf(stacked, 'Other'), FEW), ...expectAll(numbersOf(stacked, 'Number'), 0)];
    },
  },
  'capture-state': {
    sees: 'the events that the application writes in answer to captureState()',
    async run(harness) {
      const session = await harness.start({ file: 'trace.etl' }, {});
      session.captureState(PROVIDER);
      await harness.settle();
      session.close();
      return expectAll(numbersOf(await harness.read('trace.etl'), 'State'), 1);
    },
  },
  system: {
    sees: "the kernel's events: processes, images and CPU samples with stacks",
    async run(harness) {
      const events = ['process', 'imageLoad', 'profile'];
      const session = await harness.start({ file: 'trace.etl', system: { events } }, {});
      await harness.write(MANY, { kind: 'Number' });
      session.close();
      const { names, stacked } = await harness.system('trace.etl');
      return ['Process/', 'Image/', 'PerfInfo/Sample']
        .flatMap((name) =>
          expectThat(
            names.some((one) => one.includes(name)),
            `There is no event ${name}.`,
          ),
        )
        .concat(
          expectThat(
            stacked.some((one) => one.includes('Sample')),
            'No CPU sample has a stack.',
          ),
        );
    },
  },
  'real-time': {
    sees: 'every event, in order and none lost, without a file, while they are written',
    async run(harness) {
      const session = await harness.start({ realTime: true, flushIntervalMs: 1000 }, {});
      const received = harness.receive();
      await harness.write(10 * FEW, { kind: 'Number' });
      session.close();
      return expectAll(numbersOf(await received(), 'Number'), 10 * FEW);
    },
  },
  lists: {
    sees: 'the session with its mode, file and provider; the provider with its process; and a registered provider',
    async run(harness) {
      const session = await harness.start({ file: 'trace.etl' }, { level: 4, keywords: 0x4n });
      const [found] = harness.list('sessions', SESSION);
      const [ours] = harness.list('providers', PROVIDER);
      const [registered] = harness.list('providers', 'Microsoft-Windows-Kernel-Process');
      session.close();
      const enabling = { session: SESSION, level: 4, keywords: '0x4' };
      const isEnabling = (one) => Object.entries(enabling).every(([name, value]) => one[name] === value);
      const isOurs = ({ processId, name }) => processId === harness.processId && name === 'node.exe';
      return [
        ...expectThat(found?.mode?.includes('sequential file'), `The session is ${JSON.stringify(found)}.`),
        ...expectThat(found?.file === harness.path('trace.etl'), `The session's file is ${found?.file}.`),
        ...expectThat(found?.providers?.length === 1, 'The session has not exactly one provider.'),
        ...expectThat(ours?.enabledBy?.some(isEnabling), `The provider is ${JSON.stringify(ours)}.`),
        ...expectThat(ours?.processes?.some(isOurs), 'The provider does not run in this process.'),
        ...expectThat(registered?.source === 'manifest', 'Kernel-Process is not registered with a manifest.'),
        ...expectThat(
          harness.list('sessions', SESSION).length === 0,
          'The session is still listed at its end.',
        ),
      ];
    },
  },
};
