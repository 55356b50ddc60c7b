/**
 * `tracewright record --eventpipe`: records the events of one process, or of a command's processes, through diagnostic
 * ports.
 */
import { closeSync, openSync } from 'node:fs';
import { becomeUser } from '../platform/user.ts';
import { replacingFile } from '../record/old-file.ts';
import { tracingOf } from './collect.ts';
import { collect } from './collection.ts';
import { commandUser } from './command-user.ts';
import type { RecordArguments } from './record-arguments.ts';

/** @throws DiagnosticsClientError */
export async function recordEventPipe(given: RecordArguments): Promise<void> {
  const { processId, command, providers, eventPipeFile, duration } = given;
  // Neither the command nor anything sent to it needs root.
  const user = command.length === 0 ? undefined : commandUser(given.user);
  if (user !== undefined) becomeUser(user);
  await collect({
    target: { 'process-id': processId?.toString(), command },
    tracing: tracingOf(providers),
    file: eventPipeFile,
    duration,
    prepareFile: createFile,
  });
}

function createFile(path: string): void {
  closeSync(replacingFile(path, () => openSync(path, 'w', 0o600), closeSync));
}
