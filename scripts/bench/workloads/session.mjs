// Events and activities that a session of this process writes into a file.
import { startSession } from '../../../dist/cjs/index.mjs';
import { defineBenchmarkSource, payload } from '../source.mjs';
import { fileLoop } from './file.mjs';

const work = () => 1;

/** @param {number} eventsEach that a call of the work writes */
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
        const { events, problem } = await session.stop();
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
