/** `tracewright record --user-events`: records one process, which gets access to the kernel's tracer from us. */
import { startPassedRecording } from '../diagnostics/client/passed-recording.ts';
import type { RecordArguments } from './record-arguments.ts';
import { optionsOf, running } from './record-user-events.ts';
import type { RunningRecording } from './running-recording.ts';

/**
 * @param args the command line, which is stored in the file
 * @throws RecorderError, DiagnosticsClientError
 */
export async function recordPassed(
  given: RecordArguments,
  processId: number,
  args: readonly string[],
): Promise<RunningRecording> {
  const { providers, file } = given;
  const { recording, session } = await startPassedRecording({
    ...optionsOf(given, args),
    processId,
    providers,
  });
  let hasEnded = false;
  session.ended.then(() => {
    hasEnded = true;
  });
  const ofSystem = running(recording, file);
  return {
    ...ofSystem,
    hasEnded: () => hasEnded || ofSystem.hasEnded(),
    stop: async () => {
      try {
        const { summary, problems } = await ofSystem.stop();
        return { summary: hasEnded ? `${summary} Process ${processId} has ended.` : summary, problems };
      } finally {
        session.close();
      }
    },
  };
}
