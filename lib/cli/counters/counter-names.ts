/**
 * How a counter is called and measured on the terminal, and which ones come first. The counters of a Node.js process
 * have .NET's names, for the tools of .NET; here they have Node's.
 */
import { printable } from '../../base/printable.ts';
import type { CounterValue } from '../../view/counter-values.ts';
import { counterLabel } from './counter-view.ts';

export interface ShownCounter {
  readonly group: string;
  readonly label: string;
  readonly value: number;
  /** Counters with a smaller one come first. */
  readonly rank: number;
}

/** The meter that only Node.js has. */
export const NODE_METER = 'Node.Runtime';
const NODE_PROVIDERS: ReadonlySet<string> = new Set([NODE_METER, 'System.Runtime']);
const NODE_GROUP = 'Node.js';

/** The beginnings of names that people look for first: how much there is to do, and how late it is done. */
const FIRST = [
  'http.server.request',
  'requests-per-second',
  'total-requests',
  'current-requests',
  'nodejs.eventloop.delay',
  'nodejs.eventloop.time',
  'nodejs.threadpool.delay',
  'dotnet.process.cpu.time',
  'cpu-usage',
] as const;

/** The label, the unit, and what a value is multiplied by; a rate is per second. */
type NodeName = readonly [label: string, unit: string, factor?: number];

const NODE_NAMES: Readonly<Record<string, NodeName>> = {
  'http.server.requests': ['HTTP requests', '/s'],
  'nodejs.eventloop.delay': ['event loop delay', 'ms', 1e3],
  'nodejs.eventloop.time': ['event loop', '%', 100],
  'nodejs.threadpool.delay': ['thread pool delay', 'ms', 1e3],
  'dotnet.process.cpu.time': ['CPU', '%', 100],
  'dotnet.process.cpu.count': ['processors', ''],
  'dotnet.process.memory.working_set': ['memory (rss)', 'MB', 1e-6],
  'dotnet.gc.collections': ['garbage collections', '/s'],
  'dotnet.gc.heap.total_allocated': ['heap, allocated', 'MB/s', 1e-6],
  'dotnet.gc.last_collection.memory.committed_size': ['heap, total', 'MB', 1e-6],
  'dotnet.gc.last_collection.heap.size': ['heap, used', 'MB', 1e-6],
  'dotnet.gc.pause.time': ['garbage collection pauses', 'ms/s', 1e3],
  'dotnet.timer.count': ['timers', ''],
  'dotnet.exceptions': ['uncaught exceptions', '/s'],
};
const TAGS: Readonly<Record<string, string>> = { gen0: 'young', gen2: 'old', loh: 'large objects' };

/** @param isNode whether the counter's process is one of Node.js */
export function shownCounter(counter: CounterValue, value: number, isNode: boolean): ShownCounter {
  const { provider, name, tags, isRate, interval } = counter;
  const at = FIRST.findIndex((beginning) => name.startsWith(beginning));
  const rank = at < 0 ? FIRST.length : at;
  if (!isNode || !NODE_PROVIDERS.has(provider)) {
    return { group: printable(provider), label: counterLabel(counter), value, rank };
  }
  if (!Object.hasOwn(NODE_NAMES, name))
    return { group: NODE_GROUP, label: counterLabel(counter), value, rank };
  const [label, unit, factor = 1] = NODE_NAMES[name] as NodeName;
  const tagged = tags === '' ? '' : ` ${tags.split(',').map(tagText).join(' ')}`;
  return {
    group: NODE_GROUP,
    label: printable(`${label}${tagged}${unit === '' ? '' : ` (${unit})`}`),
    value: (value * factor) / (isRate ? interval : 1),
    rank,
  };
}

/** `Percentile=99` as `p99`, `gc.heap.generation=gen0` as `young`. */
function tagText(tag: string): string {
  const [name = '', value = ''] = tag.split('=', 2);
  if (name === 'Percentile') return `p${value}`;
  return Object.hasOwn(TAGS, value) ? (TAGS[value] as string) : value;
}
