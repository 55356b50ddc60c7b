// ETW sessions of every kind, each with the events that the recorder's model of ETW has it record: prints
// { scenario: [file or session, labels]... } as JSON, with the results of the scenario's own calls. A mark precedes the
// calls of each.
import { basename } from 'node:path';
import { defineEventSource, event } from 'tracewright';
import { EtwSession, RecorderError } from 'tracewright/etw';
import { elsewhere, failNext, kernel, mark, setLosses, settle, tracedFiles } from '../recorder/recorder.mjs';

const P = 'b3864c38-4273-58c5-545b-8b3608343471';
const Q = '11223344-5566-7788-99aa-bbccddeeff00';
const KIB = 1024;
const results = {};

/** What a recorder writes into files, without their folders. */
function files(prefix) {
  const ours = Object.entries(tracedFiles()).map(([path, labels]) => [
    basename(path.replaceAll('\\', '/')),
    labels,
  ]);
  return ours.filter(([name]) => name.startsWith(prefix));
}

/** Starts a session, which the scenario has record something, and stops it. */
function scenario(name, options, run) {
  mark(name.replaceAll('-', ' '));
  const session = EtwSession.start({ name, ...options });
  const returned = run?.(session);
  session.close();
  results[name] = { files: files(name), ...(returned !== undefined && { returned }) };
}

/** Events of another process, numbered. */
function many(count, { size = KIB, from = 1, provider = P } = {}) {
  for (let id = from; id < from + count; id++) elsewhere(provider, { id, size });
}

const all = (run) => (session) => {
  session.enable(P);
  return run(session);
};

// Modes
scenario(
  'sequential',
  { file: 'sequential.etl', maxFileBytes: KIB * KIB },
  all((session) => {
    many(3, { size: 400 * KIB });
    return session.query() === undefined;
  }),
);
scenario(
  'circular',
  { mode: 'circular', file: 'circular.etl', maxFileBytes: 4 * KIB, bufferBytes: 64 * KIB },
  all(() => many(6)),
);
scenario(
  'new-file',
  { mode: 'newFile', file: 'new-file%d.etl', maxFileBytes: 2 * KIB, preallocate: true },
  all((session) => {
    many(3);
    session.nextFile();
    many(1, { from: 9 });
  }),
);
scenario(
  'memory',
  { mode: 'memory', bufferBytes: 4 * KIB, buffers: 2 },
  all((session) => {
    many(10);
    const before = files('memory');
    session.flush('memory.etl');
    return before;
  }),
);
scenario(
  'real-time',
  { realTime: true, flushIntervalMs: 1000 },
  all(() => many(2)),
);
scenario(
  'both',
  { realTime: true, file: 'both.etl', independent: true, compressed: true },
  all(() => many(1)),
);
scenario('private', { private: 'MyCompany-MyService', file: 'private.etl' }, (session) => {
  const log = defineEventSource('MyCompany-MyService', { Own: event({}) });
  session.enable('MyCompany-MyService');
  settle();
  log.Own({});
  elsewhere('c32b511d-c5d7-56bf-48d9-c96bbd9ed1e8', { name: 'Foreign' });
  return session.query()?.name;
});

// Controls
setLosses(3, 2, 1);
scenario(
  'query',
  { file: 'query.etl', bufferBytes: 64 * KIB, buffers: 6, maxBuffers: 9, maxFileBytes: 7 * KIB * KIB },
  (session) => {
    session.enable(P);
    many(4);
    const opened = EtwSession.open('query');
    const status = opened.query();
    return {
      ...status,
      file: basename(status.file.replaceAll('\\', '/')),
      none: EtwSession.open('nobody') ?? null,
    };
  },
);
setLosses(0, 0, 0);
scenario('update', { file: 'update.etl', realTime: true, buffers: 4, flushIntervalMs: 5000 }, (session) => {
  session.enable(P);
  many(1);
  const timed = session.update({ flushIntervalMs: 2000, maxBuffers: 11 });
  const silent = session.update({ realTime: false });
  session.update({ file: 'update-2.etl' });
  many(1, { from: 2 });
  return [timed, silent].map(({ flushIntervalMs, maxBuffers, isRealTime }) => ({
    flushIntervalMs,
    maxBuffers,
    isRealTime,
  }));
});

// Filters
const filtered = (name, options, write) =>
  scenario(name, { file: `${name}.etl` }, (session) => {
    session.enable(P, options);
    write(session);
  });
const numbered = () => many(4);
const named = () => {
  for (const name of ['Start', 'Stop', 'Ω']) elsewhere(P, { name });
};
filtered('id-in', { eventIds: [2, 3] }, numbered);
filtered('id-out', { exceptEventIds: [2, 3] }, numbered);
filtered('name-in', { eventNames: ['Start', 'Ω'], level: 5, keywords: 0x3n, allKeywords: 0x1n }, named);
filtered('name-out', { exceptEventNames: ['Start'] }, named);
filtered('process', { processIds: [12, 13] }, () => {
  for (const process of [11, 12, 13, 14]) elsewhere(P, { id: process, process });
});
filtered('executable', { executables: ['node.exe', 'Ω.exe'] }, () => {
  for (const [id, executable] of ['a.exe', 'NODE.EXE', 'Ω.exe', 'de.exe'].entries())
    elsewhere(P, { id, executable });
});
const levels = () => {
  for (const [level, keyword] of [
    [2, 0n],
    [2, 2n],
    [2, 6n],
    [4, 2n],
    [4, 4n],
  ]) {
    elsewhere(P, { id: level * 10 + Number(keyword), level, keyword });
  }
};
filtered('level', { level: 3 }, levels);
filtered('any-keyword', { keywords: 4n }, levels);
filtered('all-keywords', { allKeywords: 6n }, levels);
filtered('no-keyword-0', { ignoresKeyword0: true }, levels);
filtered('stacks', { stacks: true }, numbered);
filtered('stack-ids', { stacks: [4, 2] }, numbered);
filtered('stack-level', { stacks: { level: 3, keywords: 4n } }, levels);
filtered(
  'items',
  { withUser: true, withTerminalSession: true, withProcessStartKey: true, withEventKey: true },
  () => many(1),
);
scenario('group', { file: 'group.etl' }, (session) => {
  session.enable(Q, { isGroup: true });
  elsewhere(P, { id: 1, group: Q });
  elsewhere(Q, { id: 2 });
});
scenario('change', { file: 'change.etl' }, (session) => {
  session.enable(P, { level: 3 });
  levels();
  session.enable(P, { level: 4, keywords: 4n });
  levels();
  session.disable(P);
  many(1);
});

// What providers are told
const log = defineEventSource('Tracewright-Told', { Own: event({}, { level: 4, keywords: 2n }) });
scenario('state', { file: 'state.etl' }, (session) => {
  session.enable('Tracewright-Told', {
    level: 4,
    keywords: 2n,
    eventNames: ['Own'],
    processIds: [process.pid],
  });
  settle();
  log.Own({});
  session.captureState('Tracewright-Told', { level: 3 });
  session.disable('Tracewright-Told');
  settle();
  log.Own({});
});

// The kernel
const PROFILE = 'ce1dbfb4-137e-4da6-87b0-3f59aa102cbc';
const THREAD = '3d6fa8d1-fe05-11d0-9dda-00c04fd7ba7c';
const ofKernel = () => {
  kernel(0x100_0000, PROFILE, 46);
  kernel(0x10, THREAD, 36);
  kernel(0x2, THREAD, 1);
  kernel(0x100, PROFILE, 10);
};
const cpu = ['process', 'thread', 'imageLoad', 'profile', 'contextSwitch'];
const refused = (run) => {
  try {
    run();
    return 'not refused';
  } catch (error) {
    return `${error instanceof RecorderError ? '' : 'another error: '}${error.message}`;
  }
};
mark('no privilege');
failNext('privilege', 1300);
results['no-privilege'] = refused(() =>
  EtwSession.start({ name: 'k', file: 'k.etl', system: { events: cpu } }),
);
scenario('system', { file: 'system.etl', system: { events: cpu, sampleIntervalMs: 0.25 } }, (session) => {
  session.enable(P);
  ofKernel();
  many(1);
  session.update({ kernelEvents: ['thread'] });
  ofKernel();
});
mark('kernel logger');
const logger = EtwSession.start({
  name: 'NT Kernel Logger',
  file: 'logger.etl',
  system: { events: ['profile'], stacks: false },
});
ofKernel();
logger.close();
results.logger = files('logger');
mark('no stacks');
failNext('traceInformation', 87);
results['no-stacks'] = refused(() => EtwSession.start({ name: 'k', file: 'k.etl', system: { events: cpu } }));

// Refusals
mark('refusals');
results.refusals = [
  ['startTrace', 5, () => EtwSession.start({ name: 'r', realTime: true })],
  ['startTrace', 183, () => EtwSession.start({ name: 'r', realTime: true })],
].map(([operation, status, run]) => {
  failNext(operation, status);
  return refused(run);
});
const refusing = EtwSession.start({ name: 'r', file: 'r%d.etl', mode: 'newFile', maxFileBytes: KIB * KIB });
for (const [operation, status, run] of [
  ['controlTrace', 5, () => refusing.query()],
  ['controlTrace', 87, () => refusing.nextFile()],
  ['controlTrace', 5, () => refusing.close()],
  ['enableTrace', 1450, () => refusing.enable(P)],
]) {
  failNext(operation, status);
  results.refusals.push(refused(run));
}
refusing[Symbol.dispose]();
results.disposed = EtwSession.open('r') === undefined;
const memory = EtwSession.start({ name: 'm', mode: 'memory' });
results.refusals.push(refused(() => memory.flush()));
failNext('controlTrace', 3);
results.refusals.push(refused(() => memory.flush('C:\\none\\x.etl')));
memory.close();
results.stoppedTwice = memory.close() === undefined;
console.log(JSON.stringify(results));
