/** OpenTelemetry attributes as tags. */
import type { Attributes } from '@opentelemetry/api';
import type { Tags } from '../../counters/instrument.ts';

/** Lists become one string without `,`, which separates tags. */
export function tagsOf(attributes: Attributes | null = {}): Tags {
  const tags: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null) continue;
    tags[name] = Array.isArray(value) ? value.join(';') : (value as string | number | boolean);
  }
  return tags;
}
