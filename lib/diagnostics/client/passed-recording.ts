/**
 * A recording of one process, which writes to tracepoints created for it, through a user_events_data descriptor that we
 * pass to it; so it needs no access to the kernel's tracer itself.
 */

import { randomBytes } from 'node:crypto';
import { Recording } from '../../record/recording.ts';
import type { RecordingOptions } from '../../record/recording-setup.ts';
import { Tracefs } from '../../record/tracefs.ts';
import { Selection, USER_EVENTS } from '../../record/tracepoint-selection.ts';
import type { TracingProvider, UserEventsProvider } from '../../wire/diagnostics-ipc/tracing.ts';
import { tracepointProviderName } from '../../wire/eventheader/tracepoint-name.ts';
import { tracepointV1Definition } from '../../wire/tracepoint-v1/definition.ts';
import { PassedSession } from './passed-session.ts';

/** The maximum length of a provider's name in that of its tracepoint, which needs room for the rest. */
const MAX_PROVIDER_LENGTH = 100;

interface PassedRecordingOptions extends Omit<RecordingOptions, 'selection'> {
  readonly processId: number;
  /** The process's diagnostic port. */
  readonly address: string;
  readonly providers: readonly TracingProvider[];
}

interface PassedRecording {
  readonly recording: Recording;
  /** If it is ended after the recording, no event of the process that could be in the file is lost. */
  readonly session: PassedSession;
}

/**
 * When this returns, the process writes, and everything it has written is recorded.
 *
 * @throws RecorderError, DiagnosticsClientError
 */
export async function startPassedRecording(options: PassedRecordingOptions): Promise<PassedRecording> {
  const { processId, address, providers } = options;
  const withTracepoints = providers.map((provider) => withTracepoint(provider, processId));
  const tracepoints = withTracepoints.map(({ tracepoints: { defaultName: name = '' } }) => ({
    system: USER_EVENTS,
    name,
    definition: tracepointV1Definition(name),
  }));
  const recording = await Recording.start({ ...options, selection: new Selection({ tracepoints }) });
  try {
    const session = await startSession(address, processId, withTracepoints);
    return { recording, session };
  } catch (error) {
    await recording.stop();
    throw error;
  }
}

async function startSession(
  address: string,
  processId: number,
  providers: readonly UserEventsProvider[],
): Promise<PassedSession> {
  const descriptor = new Tracefs().openUserEventsData();
  try {
    const tracing = { sessionType: 'user_events', rundownKeyword: 0n, providers } as const;
    return await PassedSession.start(address, processId, tracing, descriptor);
  } finally {
    descriptor.close();
  }
}

/** Unique even among recordings of the same process: each gets what it requested. */
function withTracepoint(provider: TracingProvider, processId: number): UserEventsProvider {
  const name = tracepointProviderName(provider.name).slice(0, MAX_PROVIDER_LENGTH);
  const unique = randomBytes(4).toString('hex');
  const defaultName = `tracewright_${name}_${processId}_${unique}`;
  return { ...provider, tracepoints: { defaultName, sets: [] } };
}
