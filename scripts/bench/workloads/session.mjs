// Events and activities that a session of this process writes to a file, or several sessions to several files; events
// of many kinds, and with different payloads.
import { defineEventSource, event as eventOf, startSession } from 'tracewright';
import { defineBenchmarkSource, payload, threeFields } from '../source.mjs';
import { fileLoop } from './file.mjs';
import { BATCH_SIZE, byTurns } from './turns.mjs';

const work = () => 1;

/** @param {number} eventsEach the number of events per call of the work */
function sessionLoop(eventsEach, run) {
  const source = defineBenchmarkSource();
  return fileLoop((output) => {
    const session = startSession({ providers: source.name, output });
    let around = 0;
    return {
      run: async (loop) => {
        around = await run(source, loop);
      },
      close: async () => {
        const { events, problem } = await session.close();
        if (problem !== undefined) throw new Error(problem);
        return (events - around) / eventsEach;
      },
    };
  });
}

export const event = () =>
  sessionLoop(1, async (source, loop) => {
    await loop(() => source.CacheMiss(payload));
    return 0;
  });

/** All in one activity, whose Start and Stop are not counted. */
export const eventInActivity = () =>
  sessionLoop(1, async (source, loop) => {
    await source.activity('Request', payload, () => loop(() => source.CacheMiss(payload)));
    return 2;
  });

export const activity = () =>
  sessionLoop(2, async (source, loop) => {
    await loop(() => source.activity('Request', payload, work));
    return 0;
  });

/**
 * Sessions for all rounds: starting them and describing their kinds is not part of the figure, as it does not matter to
 * an application. They wait for room, so that a busy machine loses no events.
 */
function lastingSessions(outputs, providers, write) {
  const sessions = outputs.map((output) => startSession({ providers, output, mode: 'block' }));
  let written = 0;
  const loop = async (iterations) => {
    await byTurns(iterations, BATCH_SIZE, write);
    written += iterations;
    return iterations;
  };
  const finish = async () => {
    for (const { events, problem } of await Promise.all(sessions.map((session) => session.close()))) {
      if (problem !== undefined || events !== written) throw new Error(problem ?? `${events} of ${written}.`);
    }
  };
  return Object.assign(loop, { finish });
}

const lastingSession = (providers, write) => lastingSessions(['/dev/null'], providers, write);

/** Each event in this many sessions. */
export function inSessions(count) {
  const source = defineBenchmarkSource();
  const outputs = Array.from({ length: count }, () => '/dev/null');
  return lastingSessions(outputs, source.name, () => source.CacheMiss(payload));
}

const EVENTS_OF_A_SOURCE = 100;

/** Events of this many kinds, in scrambled order. */
export function kinds(count) {
  const functions = [];
  for (let of = 0; functions.length < count; of++) {
    const names = Array.from({ length: Math.min(EVENTS_OF_A_SOURCE, count) }, (_, i) => `Event${i}`);
    const events = Object.fromEntries(names.map((name) => [name, eventOf(threeFields)]));
    const source = defineEventSource(`Tracewright-Benchmark-${of}`, events);
    for (const name of names) functions.push(source[name]);
  }
  let next = 0;
  return lastingSession('*', () => {
    // Coprime to all counts, so that each kind occurs.
    next = (next + 7919) % count;
    functions[next](payload);
  });
}

const numbers = (length) => Array.from({ length }, (_, i) => i / 3);
const fields = (count) => {
  const names = Array.from({ length: count }, (_, i) => `field${i}`);
  const types = ['string', 'uint32', 'double'];
  const values = [payload.key, payload.size, payload.ratio];
  return {
    fields: Object.fromEntries(names.map((name, i) => [name, types[i % 3]])),
    payload: Object.fromEntries(names.map((name, i) => [name, values[i % 3]])),
  };
};

const payloads = {
  '3 fields': fields(3),
  '10 fields': fields(10),
  '30 fields': fields(30),
  'double[1000]': { fields: { values: 'double[]' }, payload: { values: numbers(1000) } },
  'double[1000], a Float64Array': {
    fields: { values: 'double[]' },
    payload: { values: Float64Array.from(numbers(1000)) },
  },
  '8000 bytes': { fields: { bytes: 'binary' }, payload: { bytes: new Uint8Array(8000).fill(7) } },
};

/** The values of its payload, by name. */
export function payloadOf(name) {
  const { fields, payload } = payloads[name];
  const source = defineEventSource('Tracewright-Benchmark', {
    Event: eventOf(fields),
    Other: eventOf(fields),
  });
  return lastingSession(source.name, () => source.Event(payload));
}
