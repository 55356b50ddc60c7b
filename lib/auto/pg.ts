/** Queries of the package pg, to which `publishPg` adds channels. */
import { activityEventsOf } from '../source/activity-events.ts';
import type { ChannelHandlers } from './channels.ts';
import { PG_CHANNELS } from './pg-channels.ts';
import type { Settings } from './settings.ts';
import type { Sources } from './sources.ts';
import { sqlErrorMessage, sqlOperation, sqlText } from './sql-text.ts';
import { type CallMessage, TracedCalls } from './traced-calls.ts';

interface ServerMessage extends CallMessage {
  readonly database?: string;
  /** The host can also be the directory of a Unix domain socket. */
  readonly host?: string;
  readonly port?: number;
}

interface QueryMessage extends ServerMessage {
  readonly text?: unknown;
}

const serverOf = ({ database, host, port }: ServerMessage) => ({
  system: 'postgresql',
  namespace: String(database ?? ''),
  host: String(host ?? ''),
  port: Number(port ?? 0),
});

export function pgHandlers(events: Sources['database'], settings: Settings): ChannelHandlers {
  const of = (activity: 'Connect' | 'Acquire') => ({
    events: activityEventsOf(events, activity),
    fieldsOf: serverOf,
  });
  return {
    ...new TracedCalls<QueryMessage>(`${PG_CHANNELS}:query`, {
      events: activityEventsOf(events, 'Command'),
      fieldsOf: (message) => {
        const text = String(message.text ?? '');
        return {
          text: sqlText(text, 'postgresql', settings.hasSqlValues),
          operation: sqlOperation(text),
          ...serverOf(message),
        };
      },
      toldMessage: (message, error) => sqlErrorMessage(message, error, settings.hasSqlValues),
    }).handlers,
    ...new TracedCalls(`${PG_CHANNELS}:connect`, of('Connect')).handlers,
    ...new TracedCalls(`${PG_CHANNELS}:acquire`, of('Acquire')).handlers,
  };
}
