/** tracewright/prom-client: the metrics of a prom-client registry as instruments of a meter. */
import type { Registry } from 'prom-client';
import { thrownTextWithStack } from '../base/value-text.ts';
import { Demand } from '../counters/demand.ts';
import { Meter } from '../counters/meter.ts';
import { checkOptionNames } from '../source/definition-checks.ts';
import { type RegistryMetric, type ShownSeries, seriesOf } from './prom-client/series.ts';

export interface ShowRegistryOptions {
  /** The meter's name, for `dotnet-counters --counters`; the default is `prom-client`. */
  readonly name?: string;
}

/** A registry on display. */
export interface ShownRegistry {
  /** Stops showing it. */
  close(): void;
  [Symbol.dispose](): void;
}

/** The registry's metrics are read asynchronously: before they are needed, and as often as they are useful. */
const REFRESH_MS = 1000;

/**
 * Shows the metrics of a registry, present and future, as observable instruments of a meter. While the meter is being
 * collected, the registry is read once a second; otherwise it is not read.
 */
export function showRegistry(
  registry: Pick<Registry, 'getMetricsAsJSON'>,
  options: ShowRegistryOptions = {},
): ShownRegistry {
  checkOptionNames('showRegistry', options, ['name']);
  const { name = 'prom-client' } = options;
  const meter = new Meter(name);
  const reader = new RegistryReader(registry, meter);
  meter.accompany(new Demand(() => reader.start()));
  const close = () => meter.close();
  return { close, [Symbol.dispose]: close };
}

class RegistryReader {
  readonly #registry: Pick<Registry, 'getMetricsAsJSON'>;
  readonly #meter: Meter;
  /** The key is the instrument's name. */
  readonly #shown = new Map<string, ShownSeries>();
  readonly #created = new Set<string>();
  #isReading = false;
  #hasFailed = false;

  constructor(registry: Pick<Registry, 'getMetricsAsJSON'>, meter: Meter) {
    this.#registry = registry;
    this.#meter = meter;
  }

  /** @returns ends it */
  start(): () => void {
    const read = () => void this.#read();
    read();
    const timer = setInterval(read, REFRESH_MS).unref();
    return () => clearInterval(timer);
  }

  async #read(): Promise<void> {
    // Collecting a metric may take time.
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      this.#show((await this.#registry.getMetricsAsJSON()) as unknown as readonly RegistryMetric[]);
    } catch (error) {
      this.#warn(error);
    } finally {
      this.#isReading = false;
    }
  }

  #show(metrics: readonly RegistryMetric[]): void {
    this.#shown.clear();
    for (const series of metrics.flatMap(seriesOf)) {
      this.#shown.set(series.name, series);
      if (!this.#created.has(series.name)) this.#create(series);
    }
  }

  #create({ name, description, isTotal }: ShownSeries): void {
    this.#created.add(name);
    const observe = () => this.#shown.get(name)?.values ?? [];
    if (isTotal) this.#meter.createObservableCounter(name, observe, { description });
    else this.#meter.createObservableGauge(name, observe, { description });
  }

  #warn(error: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    process.emitWarning(
      `The metrics of the registry shown as ${this.#meter.name} cannot be read: ${thrownTextWithStack(error)}`,
      'TracewrightWarning',
    );
  }
}
