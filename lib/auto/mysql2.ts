/** Queries of the package mysql2, from its own channels. */
import { activityEventsOf } from '../source/activity-events.ts';
import type { ChannelHandlers } from './channels.ts';
import type { Settings } from './settings.ts';
import type { Sources } from './sources.ts';
import { sqlErrorMessage, sqlOperation, sqlText } from './sql-text.ts';
import { type CallMessage, TracedCalls } from './traced-calls.ts';

interface ServerMessage extends CallMessage {
  readonly database?: string;
  /** The address can also be the path of a Unix domain socket. */
  readonly serverAddress?: string;
  readonly serverPort?: number;
}

interface QueryMessage extends ServerMessage {
  /** Reported by `query`; the values are part of the text. */
  readonly query?: string;
}

const serverOf = ({ database, serverAddress, serverPort }: ServerMessage) => ({
  system: 'mysql',
  namespace: database ?? '',
  host: serverAddress ?? '',
  port: serverPort ?? 0,
});

export function mysql2Handlers(events: Sources['database'], settings: Settings): ChannelHandlers {
  const commands = {
    events: activityEventsOf(events, 'Command'),
    fieldsOf: (message: QueryMessage) => {
      const text = String(message.query ?? '');
      return {
        text: sqlText(text, 'mysql', settings.hasSqlValues),
        operation: sqlOperation(text),
        ...serverOf(message),
      };
    },
    toldMessage: (message: string, error: unknown) => sqlErrorMessage(message, error, settings.hasSqlValues),
  };
  const of = (activity: 'Connect' | 'Acquire') => ({
    events: activityEventsOf(events, activity),
    fieldsOf: serverOf,
  });
  return {
    ...new TracedCalls('mysql2:query', commands).handlers,
    ...new TracedCalls('mysql2:execute', commands).handlers,
    ...new TracedCalls('mysql2:connect', of('Connect')).handlers,
    ...new TracedCalls('mysql2:pool:connect', of('Acquire')).handlers,
  };
}
