/** The parts of a prom-client metric that are shown, as observable instruments. */
import type { Measurement } from '../../counters/instrument.ts';

/** `Registry.getMetricsAsJSON` returns these; its declaration wrongly says that the type is a number. */
export interface RegistryMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly values: readonly RegistryValue[];
}

interface RegistryValue {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number | undefined>>;
  /** Tells which of a histogram's or summary's series this is. */
  readonly metricName?: string;
}

/** The values of one instrument. */
export interface ShownSeries {
  readonly name: string;
  readonly description: string;
  /** Whether it can only increase. */
  readonly isTotal: boolean;
  readonly values: readonly Measurement[];
}

/**
 * For a histogram or summary, the number of values and their sum; for a summary also its quantiles. A histogram's
 * buckets are too many series for a tool that shows the last value of each.
 */
export function seriesOf({ name, help, type, values }: RegistryMetric): ShownSeries[] {
  const series = (ofName: string, isTotal: boolean): ShownSeries => ({
    name: ofName,
    description: help,
    isTotal,
    values: values.filter(({ metricName = name }) => metricName === ofName).map(measurementOf),
  });
  const parts = [series(`${name}_count`, true), series(`${name}_sum`, true)];
  switch (type) {
    case 'counter':
      return [series(name, true)];
    case 'gauge':
      return [series(name, false)];
    case 'histogram':
      return parts;
    case 'summary':
      return [series(name, false), ...parts];
    default:
      return [];
  }
}

function measurementOf({ value, labels }: RegistryValue): Measurement {
  const tags: Record<string, string | number> = {};
  for (const [label, text] of Object.entries(labels)) if (text !== undefined) tags[label] = text;
  return { value, tags };
}
