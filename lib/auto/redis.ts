/** Commands of the packages redis and ioredis, from their own channels, which omit values that may be secret. */

import { sharedActivities } from '../activity/shared.ts';
import { shortened } from '../base/thrown-fields.ts';
import { activityEventsOf } from '../source/activity-events.ts';
import { nearestCaller } from './call-stack.ts';
import type { ChannelHandlers } from './channels.ts';
import type { Sources } from './sources.ts';
import { type CallMessage, TracedCalls } from './traced-calls.ts';

interface ServerMessage extends CallMessage {
  readonly database?: number | string;
  /** The address can also be the path of a Unix domain socket. */
  readonly serverAddress?: string;
  readonly serverPort?: number;
}

interface CommandMessage extends ServerMessage {
  readonly command?: string;
  /** The package redis includes the command's name. */
  readonly args?: readonly string[];
}

interface BatchMessage extends ServerMessage {
  readonly batchMode?: string;
  readonly batchSize?: number;
}

const MAX_COMMAND = 2000;

const serverOf = ({ database, serverAddress, serverPort }: ServerMessage) => ({
  system: 'redis',
  namespace: String(database ?? ''),
  host: serverAddress ?? '',
  port: serverPort ?? 0,
});

function commandOf({ command = '', args = [] }: CommandMessage) {
  const operation = String(command).toUpperCase();
  const hasName = String(args[0]).toUpperCase() === operation;
  return {
    text: shortened([operation, ...(hasName ? args.slice(1) : args)].join(' '), MAX_COMMAND),
    operation,
  };
}

/**
 * @param prefix the prefix of the package's channels
 * @param isDeferred whether a command is sent later than its caller asked for it
 */
function handlersOf(
  prefix: 'node-redis' | 'ioredis',
  events: Sources['database'],
  isDeferred = () => false,
): ChannelHandlers {
  return {
    ...new TracedCalls<CommandMessage>(`${prefix}:command`, {
      events: activityEventsOf(events, 'Command'),
      fieldsOf: (message) => ({ ...commandOf(message), ...serverOf(message) }),
      isDeferred,
    }).handlers,
    ...new TracedCalls<BatchMessage>(`${prefix}:batch`, {
      events: activityEventsOf(events, 'Batch'),
      fieldsOf: (message) => ({
        operation: message.batchMode ?? '',
        size: message.batchSize ?? 0,
        ...serverOf(message),
      }),
      isEntered: true,
    }).handlers,
    ...new TracedCalls<ServerMessage>(`${prefix}:connect`, {
      events: activityEventsOf(events, 'Connect'),
      fieldsOf: serverOf,
    }).handlers,
  };
}

/**
 * A pool calls what waited for a client while it takes that client back from another caller, and tells nobody whose turn
 * it is: what the waiting function does belongs to nobody, rather than to the other caller.
 */
export const redisHandlers = (events: Sources['database']): ChannelHandlers => {
  const { flow } = sharedActivities();
  return {
    ...handlersOf('node-redis', events),
    'node-redis:pool:connection-wait': () => {
      if (flow.context !== undefined && nearestCaller(['execute', '#returnClient']) !== 'execute') {
        flow.enter(undefined);
      }
    },
  };
};

/** Commands collected into a pipeline, or until there is a connection, are published when they are sent. */
const SENT_LATER = ['executeAutoPipeline', 'executeOfflineCommands', '/redis/event_handler.js'];

export const ioredisHandlers = (events: Sources['database']) =>
  handlersOf('ioredis', events, () => nearestCaller(SENT_LATER) !== undefined);
