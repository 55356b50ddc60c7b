/**
 * What `tracewright collect --otlp` loads: sends the activities of processes as spans to an OpenTelemetry collector, and
 * with `--cpu` their CPU samples as profiles.
 */

import { thrownMessage } from '../../base/value-text.ts';
import { exportedTrace, OtlpFeed } from '../../export/otlp-feed.ts';
import { OtlpProfileExport } from '../../export/otlp-profile-export.ts';
import { OtlpSender, type OtlpTarget } from '../../export/otlp-sender.ts';
import { otlpTarget } from '../../export/otlp-settings.ts';
import { openTrace } from '../../trace/open-trace.ts';
import { countText, thousands } from '../../view/number-text.ts';
import { say } from '../messages.ts';
import { UsageError } from '../parse-options.ts';
import { frameNames } from '../trace/frame-options.ts';
import type { CollectionDestination } from './collection.ts';

/** @throws UsageError for a URL or an OTEL_EXPORTER_OTLP_* variable that cannot be used */
export function spanDestination(url: string, hasProfiles: boolean): CollectionDestination {
  const spans = destinationOf(url, 'TRACES');
  const profiles = hasProfiles ? destinationOf(url, 'PROFILES') : undefined;
  return {
    async take(stream, processName) {
      const trace = await openTrace(stream, { onDamage: 'warning' });
      const resource = { 'service.name': processName };
      const exporter = (encoding: OtlpTarget['encoding']) =>
        new OtlpProfileExport(encoding, exportedTrace(trace, resource), frameNames({}));
      await new OtlpFeed({
        trace,
        ...spans,
        resource,
        profiles: profiles && { exporter: exporter(profiles.target.encoding), sender: profiles.sender },
      }).run();
    },
    async end() {
      const problems = await Promise.all([ended(spans, 'span'), profiles && ended(profiles, 'profile')]);
      return problems.find((problem) => problem !== undefined);
    },
  };
}

interface Destination {
  readonly target: OtlpTarget;
  readonly sender: OtlpSender;
}

/** @returns an error if something was not sent */
async function ended({ target, sender }: Destination, what: 'span' | 'profile'): Promise<Error | undefined> {
  await sender.close(target.timeout);
  const { sent, dropped, problem } = sender.result;
  say(`Sent ${countText(sent, what)} to ${target.url}.`);
  const reasons = Object.entries(dropped).filter(([, count]) => count > 0);
  if (reasons.length === 0) return undefined;
  const counts = reasons.map(([reason, count]) => `${thousands(count)} ${reason}`).join(', ');
  const subject = what === 'span' ? 'Spans' : 'Profiles';
  return new Error(`${subject} were not sent (${counts}). ${problem ?? ''}`.trimEnd());
}

function destinationOf(url: string, signal: 'TRACES' | 'PROFILES'): Destination {
  try {
    const target = otlpTarget({ url }, process.env, signal);
    return { target, sender: new OtlpSender(target) };
  } catch (error) {
    throw new UsageError(thrownMessage(error));
  }
}
