/**
 * The automatic activities of this thread: their event sources, and what is observed while somebody wants their events.
 */
import { isMainThread } from 'node:worker_threads';
import { thrownMessage } from '../base/value-text.ts';
import { everySecond } from '../runtime/every-second.ts';
import { type Observation, Observations } from '../runtime/observation.ts';
import { type ChannelHandlers, type Events, isAnyWanted, subscribed } from './channels.ts';
import { connections, defineConnectionEvents } from './connections.ts';
import { defineDatabaseEvents } from './database-events.ts';
import { expressHandlers, expressRoutes } from './express.ts';
import { fastifyHandlers, fastifyRoutes } from './fastify.ts';
import { FetchRequests } from './fetch.ts';
import { ClientRequests } from './http-client.ts';
import { defineHttpEvents } from './http-events.ts';
import { ServerRequests } from './http-server.ts';
import { Http2Requests } from './http2.ts';
import { defineMiddlewareEvents } from './middleware-events.ts';
import { defineModuleEvents, moduleLoads } from './module-loads.ts';
import { type MongoClientLike, MongoCommands } from './mongodb.ts';
import { mysql2Handlers } from './mysql2.ts';
import { pgHandlers, publishPg } from './pg.ts';
import { childProcesses, defineProcessEvents, workerThreads } from './processes.ts';
import { ioredisHandlers, redisHandlers } from './redis.ts';
import { H3_ROUTES, setRouteOfRunning } from './routes.ts';
import {
  type InstrumentationName,
  type InstrumentOptions,
  type ProcessContext,
  Settings,
} from './settings.ts';

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
  const http = defineHttpEvents();
  const middleware = defineMiddlewareEvents();
  const database = defineDatabaseEvents();
  const net = defineConnectionEvents();
  const processes = defineProcessEvents();
  const modules = defineModuleEvents();
  const requests = new ServerRequests(http, settings);
  const mongo = new MongoCommands(database, settings);
  /** Subscribed while the instrumentation is on and somebody wants an event or an activity of the source. */
  const observed = (name: InstrumentationName, events: Events, handlers: ChannelHandlers): Observation => ({
    isWanted: () => settings.isOn(name) && isAnyWanted(events),
    start: () => subscribed(handlers),
  });
  const observations = new Observations([
    requests.observation,
    new ClientRequests(http, settings).observation,
    new FetchRequests(http, settings).observation,
    new Http2Requests(http, settings).observation,
    observed('httpServer', http, H3_ROUTES),
    observed('express', http, expressRoutes(requests)),
    observed('fastify', http, fastifyRoutes(requests)),
    observed('express', middleware, expressHandlers(middleware, requests)),
    observed('fastify', middleware, fastifyHandlers(middleware, requests)),
    observed('mysql2', database, mysql2Handlers(database, settings)),
    observed('redis', database, redisHandlers(database)),
    observed('ioredis', database, ioredisHandlers(database)),
    observed('pg', database, pgHandlers(database, settings)),
    mongo.observation,
    connections(net, settings),
    childProcesses(processes, settings),
    workerThreads(processes, settings),
    moduleLoads(modules, settings),
  ]);
  const update = () => observations.update();
  for (const source of [http, middleware, database, net, processes, modules]) source.onCommand(update);
  // On Linux, tracers come and go without notice; checking takes a few loads.
  if (http.status.backend === 'user_events') everySecond(update);
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
    addMongoClient: (client) => mongo.add(client),
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
