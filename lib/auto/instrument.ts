/** Automatic activities of this thread: their event sources, and what is observed for these while they are wanted. */
import { everySecond } from '../runtime/every-second.ts';
import { Observations } from '../runtime/observation.ts';
import { FetchRequests } from './fetch.ts';
import { ClientRequests } from './http-client.ts';
import { defineHttpEvents } from './http-events.ts';
import { ServerRequests } from './http-server.ts';
import { type InstrumentOptions, Settings } from './settings.ts';

/** Raised when the shape of what all copies of this package in one thread share changes. */
const KEY = Symbol.for('tracewright.auto.v1');

interface Automatic {
  change(options: InstrumentOptions): void;
}

/**
 * Has what happens in this thread told as activities, as loading `tracewright/auto` does: requests that are served and
 * made, queries. Only by channels that Node.js and libraries publish, and only while somebody wants the events: until
 * then nothing is subscribed to. Each name that is set to false is off, and on again by true; what is not said stays
 * as it is. Each thread has its own.
 *
 * @throws TypeError for options that there are not
 */
export function instrument(options: InstrumentOptions = {}): void {
  const shared = globalThis as { [KEY]?: Automatic };
  shared[KEY] ??= automatic();
  shared[KEY].change(options);
}

function automatic(): Automatic {
  const settings = new Settings();
  const http = defineHttpEvents();
  const observations = new Observations([
    new ServerRequests(http, settings).observation,
    new ClientRequests(http, settings).observation,
    new FetchRequests(http, settings).observation,
  ]);
  const update = () => observations.update();
  http.onCommand(update);
  // Tracers on Linux come and go without a word; the question is a few loads.
  if (http.status.backend === 'user_events') everySecond(update);
  return {
    change: (options) => {
      settings.change(options);
      update();
    },
  };
}
