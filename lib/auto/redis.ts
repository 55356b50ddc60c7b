/** Commands of the packages redis and ioredis, from their own channels, which omit values that may be secret. */
import { shortened } from '../base/thrown-fields.ts';
import { activityEventsOf } from '../source/activity-events.ts';
import type { ChannelHandlers } from './channels.ts';
import type { DatabaseEvents } from './database-events.ts';
import { type CallMessage, TracedCalls } from './traced-calls.ts';

interface ServerMessage extends CallMessage {
  readonly database?: number | string;
  /** Or the path of a Unix domain socket. */
  readonly serverAddress?: string;
  readonly serverPort?: number;
}

interface CommandMessage extends ServerMessage {
  readonly command?: string;
  /** In the package redis; includes the command's name. */
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

/** @param prefix the prefix of the package's channels */
function handlersOf(prefix: 'node-redis' | 'ioredis', events: DatabaseEvents): ChannelHandlers {
  return {
    ...new TracedCalls<CommandMessage>(`${prefix}:command`, {
      events: activityEventsOf(events, 'Command'),
      fieldsOf: (message) => ({ ...commandOf(message), ...serverOf(message) }),
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

export const redisHandlers = (events: DatabaseEvents) => handlersOf('node-redis', events);
export const ioredisHandlers = (events: DatabaseEvents) => handlersOf('ioredis', events);
