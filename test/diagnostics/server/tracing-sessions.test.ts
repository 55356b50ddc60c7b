/** The maximum number of sessions, even if their clients are slow. */
import { fstatSync, openSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { ServerConnection } from '../../../lib/diagnostics/server/connection.ts';
import { TracingSessions } from '../../../lib/diagnostics/server/tracing-sessions.ts';
import { OwnedDescriptor } from '../../../lib/platform/owned-descriptor.ts';
import type { Tracing } from '../../../lib/wire/diagnostics-ipc/tracing.ts';
import { missingOnWindows, named } from '../../platforms.ts';
import { tracing } from '../client/fake-client.ts';

const passed: Tracing = {
  sessionType: 'user_events',
  rundownKeyword: 0n,
  providers: [
    {
      name: 'Demo',
      keywords: 1n,
      level: 4,
      arguments: undefined,
      filter: { isAllowList: false, ids: [] },
      tracepoints: { defaultName: 'Demo_All', sets: [] },
    },
  ],
};

/** Of a client that takes whatever is sent. */
function connection(receiveDescriptor?: () => Promise<OwnedDescriptor>): ServerConnection {
  return {
    read: async () => new Uint8Array(0),
    ...(receiveDescriptor && { receiveDescriptor }),
    stopReading: () => {},
    send: (_, onSent) => onSent?.(),
    closeWithClient: () => {},
    closed: new Promise(() => {}),
    end: () => {},
    close: () => {},
    hurry: () => {},
  };
}

it.skipIf(missingOnWindows('descriptors of user_events') !== undefined)(
  named(
    'there are no more sessions than can be, though a descriptor comes late',
    missingOnWindows('descriptors of user_events'),
  ),
  async () => {
    const sessions = new TracingSessions();
    let pass: (descriptor: OwnedDescriptor) => void = () => {};
    const late = sessions.start(
      passed,
      connection(() => new Promise((resolve) => (pass = resolve))),
    );
    for (let count = 0; count < 64; count++) await sessions.start(tracing, connection());
    const descriptor = openSync('/dev/null', 'r+');
    pass(new OwnedDescriptor(descriptor));
    await expect(late).rejects.toThrow('The maximum of 64 sessions is already running.');
    expect(() => fstatSync(descriptor)).toThrow('EBADF');
    await sessions.stopAll();
  },
);
