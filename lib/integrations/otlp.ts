/** `tracewright/otlp`: sends the activities of this process to an OpenTelemetry collector as they end. */
import { PassThrough } from 'node:stream';
import { sharedActivities } from '../activity/shared.ts';
import { type SessionOptions, startSession } from '../eventpipe/start-session.ts';
import { OtlpFeed } from '../export/otlp-feed.ts';
import { type OtlpResult, OtlpSender } from '../export/otlp-sender.ts';
import { otlpResource, otlpTarget } from '../export/otlp-settings.ts';
import { checkOptionNames } from '../source/definition-checks.ts';
import { openTrace } from '../trace/open-trace.ts';

export type { OtlpDropReason, OtlpResult } from '../export/otlp-sender.ts';

export interface ExportActivitiesOptions {
  /**
   * The collector: `http://localhost:4318`, or the complete URL for traces. The default comes from
   * OTEL_EXPORTER_OTLP_ENDPOINT and OpenTelemetry's other environment variables.
   */
  readonly url?: string;
  /** Sent with every request, in addition to those in the environment. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The events to export, as for a session; by default those of all providers up to the level Informational. */
  readonly providers?: SessionOptions['providers'];
}

/** A running export. */
export interface ActivityExport {
  /** Sends what is left, for up to OTEL_EXPORTER_OTLP_TIMEOUT milliseconds, and ends the export. Never rejects. */
  close(): Promise<ActivityExportResult>;
  /** The current state. */
  readonly result: ActivityExportResult;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface ActivityExportResult extends OtlpResult {
  /** Events for which there was no room before they became spans. */
  readonly lostEvents: number;
}

const INFORMATIONAL = '*:ffffffffffffffff:4';

/**
 * Sends the activities of this process (on the main thread, those of all threads) to an OpenTelemetry collector, by
 * OTLP over HTTP. All memory is bounded; a slow or unreachable collector costs spans, which are counted, but never
 * affects the application. It ends when the process has nothing left to do.
 *
 * @throws TypeError or SessionError for invalid options
 */
export function exportActivities(options: ExportActivitiesOptions = {}): ActivityExport {
  checkOptionNames('exportActivities', options, ['url', 'headers', 'providers']);
  const target = otlpTarget(options);
  const { flow } = sharedActivities();
  const sender = new OtlpSender(target, (send) => flow.quietly(send));
  const output = new PassThrough();
  const session = startSession({ providers: options.providers ?? INFORMATIONAL, output });
  const fed = feed();
  let ended: Promise<ActivityExportResult> | undefined;
  const onBeforeExit = () => void close();
  process.once('beforeExit', onBeforeExit);

  async function feed(): Promise<void> {
    try {
      const trace = await openTrace(output, { onDamage: 'warning' });
      await new OtlpFeed({ trace, target, sender, resource: otlpResource() }).run();
    } catch {
      // The session failed: its problem is in the result.
      output.destroy();
    }
  }
  async function end(): Promise<ActivityExportResult> {
    process.off('beforeExit', onBeforeExit);
    await session.close();
    await fed;
    await sender.close(target.timeout);
    return result();
  }
  function close(): Promise<ActivityExportResult> {
    ended ??= end();
    return ended;
  }
  function result(): ActivityExportResult {
    const { dropped, problem } = session.result;
    const sent = sender.result;
    return { ...sent, problem: sent.problem ?? problem, lostEvents: dropped };
  }
  return {
    close,
    get result() {
      return result();
    },
    [Symbol.asyncDispose]: async () => {
      await close();
    },
  };
}
