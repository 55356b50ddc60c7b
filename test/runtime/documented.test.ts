/** docs/runtime.md lists exactly the existing events. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { EventListener, eventSources, Level, type WrittenEvent } from '../../lib/index.ts';
import { enableRuntimeEvents, RuntimeKeywords } from '../../lib/runtime/index.ts';

const text = readFileSync(join(import.meta.dirname, '../../docs/runtime.md'), 'utf8');
const rows = Array.from(
  text.matchAll(/^\| (\w+) \| (\w+)(?:, 0x(\d+))? \| (Informational|Verbose|Warning|Error|6) \| .* \|$/gm),
  ([, name = '', keyword = '', bits = '0', level = '']) => ({ name, keyword, bits, level }),
);
const source = enableRuntimeEvents();

/** First columns of the tables of counters: names of EventCounters, then of instruments. */
const [documentedCounters = [], documentedInstruments = []] = [
  text.matchAll(/^\| ([a-z0-9]+-[a-z0-9-]+) \|.*\|.*\|$/gm),
  text.matchAll(/^\|(?:(?: [a-z0-9-]+)? \|)? ((?:dotnet|nodejs|http)\.[\w.]+)/gm),
].map((found) => [...new Set(Array.from(found, ([, name = '']) => name))].sort());
/** What only newer versions of Node.js have. */
const NEWER = ['alloc-rate', 'dotnet.gc.heap.total_allocated'];

it('the documented counters are those of System.Runtime, and the instruments those of the meters', async () => {
  const events: WrittenEvent[] = [];
  const listener = new EventListener({ onEventWritten: (event) => void events.push(event) });
  for (const each of eventSources()) {
    const args = { EventCounterIntervalSec: 0.1, Metrics: 'System.Runtime,Node.Runtime' };
    if (each.name.startsWith('System.')) listener.enableEvents(each, 4, 2n, args);
  }
  await sleep(150);
  listener.close();
  const counters = events
    .filter(({ name }) => name === 'EventCounters')
    .map(({ payload }) => (payload.Payload as { readonly Name: string }).Name);
  const instruments = events
    .filter(({ name }) => name === 'BeginInstrumentReporting')
    .map(({ payload }) => String(payload.instrumentName));
  const isOld = (name: string) => !NEWER.includes(name);
  // A slow machine reports more than one interval
  expect(documentedCounters.filter(isOld)).toEqual([...new Set(counters)].filter(isOld).sort());
  expect(documentedInstruments.filter(isOld)).toEqual(instruments.filter(isOld).sort());
});

it('the documented events are those of the source', () => {
  const events = Object.entries(source).flatMap(([name, member]) =>
    typeof member === 'function' && 'identity' in member ? [name] : [],
  );
  expect(rows.map(({ name }) => name)).toEqual(events);
});

it('the documented keywords have their bits', () => {
  const keywords = rows.filter(({ keyword }) => keyword !== 'none');
  expect(Object.fromEntries(keywords.map(({ keyword, bits }) => [keyword, BigInt(`0x${bits}`)]))).toEqual(
    RuntimeKeywords,
  );
});

it('the documented levels and keywords yield the tracepoints', () => {
  const documented = rows.map(
    ({ level, bits }) => `Node_Runtime_L${Level[level as keyof typeof Level] ?? level}K${bits}`,
  );
  expect([...new Set(documented)].sort()).toEqual([...source.tracepoints].sort());
});
