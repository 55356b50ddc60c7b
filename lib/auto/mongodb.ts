/** Commands of the package mongodb, from the events of clients that the application registers. */

import type { Activity } from '../activity/activity.ts';
import { sharedActivities } from '../activity/shared.ts';
import { type FailureFields, failureFields, NO_FAILURE } from '../base/thrown-fields.ts';
import type { Observation } from '../runtime/observation.ts';
import { type ActivityEvents, activityEventsOf } from '../source/activity-events.ts';
import { hostAndPort } from './request-fields.ts';
import type { Settings } from './settings.ts';
import type { Sources } from './sources.ts';

/** The part of a MongoClient used here. It emits these events only with its option `monitorCommands`. */
export interface MongoClientLike {
  on(event: string, listener: (event: never) => void): unknown;
  off(event: string, listener: (event: never) => void): unknown;
}

interface CommandEvent {
  readonly requestId: number;
  readonly address: string;
  readonly databaseName: string;
  readonly commandName: string;
  readonly command: Readonly<Record<string, unknown>>;
}

interface EndEvent {
  readonly requestId: number;
  readonly failure?: unknown;
}

export class MongoCommands {
  readonly #events: ActivityEvents;
  readonly #settings: Settings;
  readonly #flow = sharedActivities().flow;
  readonly #clients = new Set<WeakRef<MongoClientLike>>();
  /** The keys are the process-wide numbers of requests. */
  readonly #open = new Map<number, Activity>();
  readonly #listeners = {
    commandStarted: (event: CommandEvent) => this.#begin(event),
    commandSucceeded: (event: EndEvent) => this.#end(event, NO_FAILURE),
    // The server's messages quote values: only the code is safe to report.
    commandFailed: (event: EndEvent) =>
      this.#end(event, { ...NO_FAILURE, errorType: failureTypeOf(event.failure) }),
  };
  #isRunning = false;

  constructor(events: Sources['database'], settings: Settings) {
    this.#events = activityEventsOf(events, 'Command');
    this.#settings = settings;
  }

  /** Reports the client's commands while they are wanted. Adding a client again has no effect. */
  add(client: MongoClientLike): void {
    for (const known of this.#clients) {
      const other = known.deref();
      if (other === client) return;
      if (other === undefined) this.#clients.delete(known);
    }
    this.#clients.add(new WeakRef(client));
    if (this.#isRunning) this.#listen(client, 'on');
  }

  get observation(): Observation {
    return {
      isWanted: () => this.#settings.isOn('mongodb') && this.#events.startEnabled,
      start: () => {
        this.#isRunning = true;
        this.#listenToAll('on');
        return () => {
          this.#isRunning = false;
          this.#listenToAll('off');
          this.#open.clear();
        };
      },
    };
  }

  #listenToAll(way: 'on' | 'off'): void {
    for (const known of this.#clients) {
      const client = known.deref();
      if (client !== undefined) this.#listen(client, way);
    }
  }

  #listen(client: MongoClientLike, way: 'on' | 'off'): void {
    for (const [name, listener] of Object.entries(this.#listeners)) client[way](name, listener);
  }

  #begin({ requestId, address, databaseName, commandName, command }: CommandEvent): void {
    const activity = this.#events.beginIn(this.#flow.context, () => {
      // For the next batch of a cursor, the first value is the cursor's number.
      const collection = commandName === 'getMore' ? command.collection : command[commandName];
      return {
        text: typeof collection === 'string' ? `${commandName} ${collection}` : commandName,
        operation: commandName,
        system: 'mongodb',
        namespace: databaseName,
        ...targetOf(address),
      };
    });
    if (activity !== undefined) this.#open.set(requestId, activity);
  }

  #end({ requestId }: EndEvent, failure: FailureFields): void {
    const activity = this.#open.get(requestId);
    if (activity === undefined) return;
    this.#open.delete(requestId);
    this.#events.endBegun(activity, () => failure);
  }
}

function targetOf(address: string): { host: string; port: number } {
  const { host, port } = hostAndPort(address, 'mongodb');
  return { host, port };
}

/** MongoDB's own errors have numeric codes with names. */
function failureTypeOf(failure: unknown): string {
  const { codeName } = (failure ?? {}) as { readonly codeName?: unknown };
  return typeof codeName === 'string' ? codeName : failureFields(failure).errorType;
}
