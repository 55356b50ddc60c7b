/** Outgoing and accepted TCP connections. */

import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { sharedActivities } from '../activity/shared.ts';
import { type FailureFields, failureFields, NO_FAILURE } from '../base/thrown-fields.ts';
import type { Observation } from '../runtime/observation.ts';
import { activityEventsOf } from '../source/activity-events.ts';
import { isAnyWanted, subscribed } from './channels.ts';
import type { Settings } from './settings.ts';
import type { Sources } from './sources.ts';

interface SocketMessage {
  readonly socket: Socket;
}

export function connections(events: Sources['net'], settings: Settings): Observation {
  return {
    isWanted: () => settings.isOn('net') && isAnyWanted(events),
    start: () =>
      subscribed({
        'net.client.socket': ({ socket }: SocketMessage) => {
          if (!sharedActivities().flow.isQuiet) watchConnecting(events, socket);
        },
        'net.server.socket': ({ socket }: SocketMessage) =>
          events.ConnectionAccepted(() => ({
            address: socket.remoteAddress ?? '',
            port: socket.remotePort ?? 0,
          })),
      }),
  };
}

/** Uses only socket events that need no other listeners. A Unix domain socket has none of them. */
function watchConnecting(events: Sources['net'], socket: Socket): void {
  const connects = activityEventsOf(events, 'Connect');
  const { flow } = sharedActivities();
  const createdAt = performance.now();
  let end: ((failure: FailureFields) => void) | undefined;
  const onLookup = (error: Error | null, address: string, _family: number, host: string) => {
    events.NameResolved(() => ({
      host: String(host ?? ''),
      address: address ?? '',
      errorType: error ? failureFields(error).errorType : '',
      durationMSec: performance.now() - createdAt,
    }));
  };
  // If the name has several addresses, the first one tried.
  const onAttempt = (address: string, port: number) => {
    if (!connects.startEnabled) return;
    const activity = connects.beginIn(flow.context, () => ({ address, port }));
    if (activity === undefined) return;
    end = (failure) => {
      end = undefined;
      connects.endBegun(activity, () => failure);
    };
  };
  const onClose = () => end?.(failureFields(socket.errored ?? 'closed'));
  socket.once('lookup', onLookup).once('connectionAttempt', onAttempt).once('close', onClose);
  socket.once('connect', () => {
    // Connections last longer than recordings: nothing listens to one that is established.
    socket.off('lookup', onLookup).off('connectionAttempt', onAttempt).off('close', onClose);
    end?.(NO_FAILURE);
    if (!isTls(socket)) return;
    const connectedAt = performance.now();
    socket.once('secureConnect', () =>
      events.TlsEstablished(() => ({
        protocol: socket.getProtocol() ?? '',
        serverName: typeof socket.servername === 'string' ? socket.servername : '',
        durationMSec: performance.now() - connectedAt,
      })),
    );
  });
}

function isTls(socket: Socket): socket is TLSSocket & { readonly servername?: unknown } {
  return (socket as Partial<TLSSocket>).encrypted === true;
}
