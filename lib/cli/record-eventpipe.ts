/** `tracewright record --eventpipe`: the events of one process, or of one command's, through diagnostic ports. */
import { keepOldFile } from '../session/record/old-file.ts';
import { tracingOf } from './collect.ts';
import { collect } from './collection.ts';
import type { RecordArguments } from './record-arguments.ts';

/** @throws DiagnosticsClientError */
export async function recordEventPipe(given: RecordArguments): Promise<void> {
  const { processId, command, providers, eventPipeFile, duration } = given;
  await collect({
    target: { 'process-id': processId?.toString(), command },
    tracing: tracingOf(providers),
    file: eventPipeFile,
    duration,
    prepareFile: keepOldFile,
  });
}
