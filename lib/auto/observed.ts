/** What is observed of Node.js and of libraries, while somebody wants its events. */
import { type Observation, Observations } from '../runtime/observation.ts';
import { type ChannelHandlers, type Events, isAnyWanted, subscribed } from './channels.ts';
import { connections } from './connections.ts';
import { expressHandlers, expressRoutes } from './express.ts';
import { fastifyHandlers, fastifyRoutes } from './fastify.ts';
import { FetchRequests } from './fetch.ts';
import { ClientRequests } from './http-client.ts';
import { ServerRequests } from './http-server.ts';
import { Http2Requests } from './http2.ts';
import { moduleLoads } from './module-loads.ts';
import { type MongoClientLike, MongoCommands } from './mongodb.ts';
import { mysql2Handlers } from './mysql2.ts';
import { pgHandlers } from './pg.ts';
import { childProcesses, workerThreads } from './processes.ts';
import { ioredisHandlers, redisHandlers } from './redis.ts';
import { H3_ROUTES } from './routes.ts';
import type { InstrumentationName, Settings } from './settings.ts';
import type { Sources } from './sources.ts';

export interface Observed {
  /** Begins and ends to observe, as it is wanted now. */
  update(): void;
  addMongoClient(client: MongoClientLike): void;
}

/** The settings may change: `update` follows. */
export function observe(sources: Sources, settings: Settings): Observed {
  const { http, middleware, database, net, processes, modules } = sources;
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
  return {
    update: () => observations.update(),
    addMongoClient: (client) => mongo.add(client),
  };
}
