/** What `tracewright collect --otlp` loads: sends the activities of processes as spans to an OpenTelemetry collector. */

import { thrownMessage } from '../../base/value-text.ts';
import { OtlpFeed } from '../../export/otlp-feed.ts';
import { OtlpSender, type OtlpTarget } from '../../export/otlp-sender.ts';
import { otlpTarget } from '../../export/otlp-settings.ts';
import { openTrace } from '../../trace/open-trace.ts';
import { countText, thousands } from '../../view/number-text.ts';
import { say } from '../messages.ts';
import { UsageError } from '../parse-options.ts';
import type { CollectionDestination } from './collection.ts';

/** @throws UsageError for a URL or an OTEL_EXPORTER_OTLP_* variable that cannot be used */
export function spanDestination(url: string): CollectionDestination {
  const target = targetOf(url);
  const sender = new OtlpSender(target);
  return {
    async take(stream, processName) {
      const trace = await openTrace(stream, { onDamage: 'warning' });
      await new OtlpFeed({ trace, target, sender, resource: { 'service.name': processName } }).run();
    },
    async end() {
      await sender.close(target.timeout);
      const { sent, dropped, problem } = sender.result;
      say(`Sent ${countText(sent, 'span')} to ${target.url}.`);
      const reasons = Object.entries(dropped).filter(([, spans]) => spans > 0);
      if (reasons.length === 0) return undefined;
      const counts = reasons.map(([reason, spans]) => `${thousands(spans)} ${reason}`).join(', ');
      return new Error(`Spans were not sent (${counts}). ${problem ?? ''}`.trimEnd());
    },
  };
}

function targetOf(url: string): OtlpTarget {
  try {
    return otlpTarget({ url });
  } catch (error) {
    throw new UsageError(thrownMessage(error));
  }
}
