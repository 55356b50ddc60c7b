/**
 * The automatic activities of this thread: their event sources, and what is observed while somebody wants their events.
 */
import { isMainThread } from 'node:worker_threads';
import { thrownMessage } from '../base/value-text.ts';
import { everySecond } from '../runtime/every-second.ts';
import { isAnyWanted } from './channels.ts';
import type { MongoClientLike } from './mongodb.ts';
import { type Observed, observe } from './observed.ts';
import { publishPg } from './pg-channels.ts';
import { setRouteOfRunning } from './routes.ts';
import { type InstrumentOptions, type ProcessContext, Settings } from './settings.ts';
import { defineSources } from './sources.ts';

/** Incremented when the data shared by all copies of this package in one thread changes. */
const KEY = Symbol.for('tracewright.auto.v2');

interface Automatic {
  change(options: InstrumentOptions): void;
  addMongoClient(client: MongoClientLike): void;
  setRoute(route: string): void;
}

/**
 * Makes activities for what this thread does, such as HTTP requests and database queries, or changes the options.
 * Loading `tracewright/auto` calls it. It uses only channels that Node.js and libraries publish, and subscribes to them
 * only while somebody wants the events. Omitted options stay as they are. Each thread has its own.
 *
 * @throws TypeError for unknown options
 */
export function instrument(options: InstrumentOptions = {}): void {
  sharedAutomatic().change(options);
}

/**
 * Makes activities for the commands of a MongoClient, which publishes no channel. The client needs the option
 * `monitorCommands: true`.
 */
export function instrumentMongoClient(client: MongoClientLike): void {
  sharedAutomatic().addMongoClient(client);
}

/**
 * Sets the route of the request that the running code serves, such as `/users/:id`, for a router that does not publish
 * it. Without a route, or outside a recorded request, nothing happens.
 */
export function setRoute(route: string | undefined): void {
  if (typeof route === 'string') sharedAutomatic().setRoute(route);
}

function sharedAutomatic(): Automatic {
  const shared = globalThis as { [KEY]?: Automatic };
  shared[KEY] ??= automatic();
  return shared[KEY];
}

function automatic(): Automatic {
  const settings = new Settings();
  const sources = defineSources();
  const all = Object.values(sources);
  let observed: Observed | undefined;
  let hasFailed = false;
  // What observes is a tenth of the code, and is not loaded before somebody wants an event. Its file may be gone by then.
  const theObserved = (): Observed | undefined => {
    try {
      observed ??= observe(sources, settings);
    } catch (error) {
      if (hasFailed) return undefined;
      hasFailed = true;
      const problem = `Automatic activities cannot be observed: ${thrownMessage(error)}`;
      process.emitWarning(problem, 'TracewrightWarning');
    }
    return observed;
  };
  const update = () => {
    if (observed !== undefined || all.some(isAnyWanted)) theObserved()?.update();
  };
  for (const source of all) source.onCommand(update);
  // On Linux, tracers come and go without notice; checking takes a few loads.
  if (sources.http.status.backend === 'user_events') everySecond(update);
  let endPg: (() => void) | undefined;
  const context = new ProcessContextLoader();
  return {
    change: (options) => {
      settings.change(options);
      if (settings.isOn('pg')) endPg ??= publishPg();
      else {
        endPg?.();
        endPg = undefined;
      }
      context.publish(settings.processContext);
      update();
    },
    addMongoClient: (client) => theObserved()?.addMongoClient(client),
    setRoute: setRouteOfRunning,
  };
}

/** Publishes what profilers read, and loads what that takes only when it is asked for. */
class ProcessContextLoader {
  #published: ProcessContext = false;

  publish(context: ProcessContext): void {
    if (context === this.#published || process.platform !== 'linux' || !isMainThread) return;
    this.#published = context;
    import('./process-context.ts')
      .then(({ publishProcessContext }) => publishProcessContext(this.#published))
      .catch((error: unknown) => {
        process.emitWarning(
          `The process context is not published: ${thrownMessage(error)}`,
          'TracewrightWarning',
        );
      });
  }
}
