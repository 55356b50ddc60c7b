/** `tracewright record` through diagnostic ports: of a COMMAND where the system has no tracer, or with --user-events. */
import { startPassedRecording } from '../../diagnostics/client/passed-recording.ts';
import { becomeUser } from '../../platform/user.ts';
import { tracingOf } from '../collect/collect.ts';
import { collect } from '../collect/collection.ts';
import { runningPort } from '../collect/unprepared.ts';
import { commandUser } from './command-user.ts';
import type { RecordArguments } from './record-arguments.ts';
import { optionsOf, running } from './record-user-events.ts';
import type { RunningRecording } from './running-recording.ts';

/**
 * Records all processes of a command.
 *
 * @returns the exit status
 * @throws DiagnosticsClientError
 */
export async function recordEventPipe(given: RecordArguments): Promise<number> {
  const { command, providers, eventPipeFile, duration } = given;
  // Neither the command nor anything sent to it needs root.
  const user = commandUser(given.user);
  if (user !== undefined) becomeUser(user);
  return collect({
    target: { command },
    tracing: tracingOf(providers),
    file: eventPipeFile,
    duration,
    keepsOld: true,
  });
}

/**
 * Gives the process access to the kernel's tracer.
 *
 * @param args the command line, which is stored in the file
 * @throws RecorderError, DiagnosticsClientError
 */
export async function recordPassed(
  given: RecordArguments,
  processId: number,
  args: readonly string[],
): Promise<RunningRecording> {
  const { providers, unprepared } = given;
  // Before there is a file: most failures happen here.
  const { address, gone } = await runningPort(processId, unprepared);
  const { recording, session } = await startPassedRecording({
    ...optionsOf(given, args),
    processId,
    address,
    providers,
  });
  let hasEnded = false;
  session.ended.then(() => {
    hasEnded = true;
  });
  const ofSystem = running(recording, given);
  return {
    ...ofSystem,
    hasEnded: () => hasEnded || ofSystem.hasEnded(),
    stop: async () => {
      try {
        const { summary, problems } = await ofSystem.stop();
        return { summary: hasEnded ? `${summary} Process ${processId} has ended.` : summary, problems };
      } finally {
        session.close();
        await gone();
      }
    },
  };
}
