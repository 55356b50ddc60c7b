/**
 * perf's name for an event that has no name in the file, derived from what was recorded: `cycles:u`,
 * `L1-dcache-load-misses`, `mem:0x1234:rw`. Source: Linux `tools/perf/util/evsel.c` (evsel__name).
 */
import type { PerfAttr } from './attr.ts';
import { PerfType } from './constants.ts';

/** The index is `config`: PERF_COUNT_HW_*. */
const HARDWARE = [
  'cycles',
  'instructions',
  'cache-references',
  'cache-misses',
  'branches',
  'branch-misses',
  'bus-cycles',
  'stalled-cycles-frontend',
  'stalled-cycles-backend',
  'ref-cycles',
];

/** The index is `config`: PERF_COUNT_SW_*. */
const SOFTWARE = [
  'cpu-clock',
  'task-clock',
  'page-faults',
  'context-switches',
  'cpu-migrations',
  'minor-faults',
  'major-faults',
  'alignment-faults',
  'emulation-faults',
  'dummy',
  'bpf-output',
  'cgroup-switches',
];

/** The index is the lowest byte of `config`: PERF_COUNT_HW_CACHE_*, and the operations of each cache. */
const CACHES: readonly (readonly [name: string, operations: string])[] = [
  ['L1-dcache', 'load store prefetch'],
  ['L1-icache', 'load prefetch'],
  ['LLC', 'load store prefetch'],
  ['dTLB', 'load store prefetch'],
  ['iTLB', 'load'],
  ['branch', 'load'],
  ['node', 'load store prefetch'],
];

/** The index is the next byte; the second name is that of a count of all of them. */
const CACHE_OPERATIONS: readonly (readonly [one: string, all: string])[] = [
  ['load', 'loads'],
  ['store', 'stores'],
  ['prefetch', 'prefetches'],
];

/** The index is the byte above that. */
const CACHE_RESULTS = ['refs', 'misses'];

/** Bits of `bp_type`: HW_BREAKPOINT_*. */
const BREAKPOINT_ACCESSES = 'rwx';

export function eventNameOf(attr: PerfAttr): string {
  switch (attr.type) {
    case PerfType.Hardware:
      // Above the low 32 bits: the type of processor on a hybrid machine.
      return `${HARDWARE[Number(attr.config & 0xffffffffn)] ?? 'unknown-hardware'}${modifiersOf(attr)}`;
    case PerfType.Software:
      return `${SOFTWARE[Number(attr.config)] ?? 'unknown-software'}${modifiersOf(attr)}`;
    case PerfType.Tracepoint:
      return 'unknown tracepoint';
    case PerfType.HardwareCache:
      return `${cacheEventName(Number(attr.config & 0xffffffffn))}${modifiersOf(attr)}`;
    case PerfType.Raw:
      return `raw 0x${attr.config.toString(16)}${modifiersOf(attr)}`;
    case PerfType.Breakpoint:
      return `${breakpointName(attr)}${modifiersOf(attr)}`;
    default:
      return `unknown attr type: ${attr.type}`;
  }
}

function cacheEventName(config: number): string {
  const cache = CACHES[config & 0xff];
  if (cache === undefined) return 'unknown-ext-hardware-cache-type';
  const operation = CACHE_OPERATIONS[(config >>> 8) & 0xff];
  if (operation === undefined) return 'unknown-ext-hardware-cache-op';
  const result = CACHE_RESULTS[(config >>> 16) & 0xff];
  if (result === undefined) return 'unknown-ext-hardware-cache-result';
  const [name, operations] = cache;
  const [one, all] = operation;
  if (!operations.includes(one)) return 'invalid-cache';
  return result === 'refs' ? `${name}-${all}` : `${name}-${one}-${result}`;
}

function breakpointName({ breakpointType, breakpointAddress }: PerfAttr): string {
  const accesses = [...BREAKPOINT_ACCESSES].filter((_, bit) => ((breakpointType >> bit) & 1) === 1);
  return `mem:0x${breakpointAddress.toString(16)}:${accesses.join('')}`;
}

/**
 * What was counted, if not everything, and how precisely. Guests are counted completely or not at all: by default not
 * if there is any other modifier, in which case perf omits it.
 */
function modifiersOf({ excludes, preciseIp }: PerfAttr): string {
  const has = (what: string) => excludes.has(what);
  const isRestricted = has('kernel') || has('user') || has('hv');
  const levels = isRestricted ? letters([has('kernel'), has('user'), has('hv')], 'kuh') : '';
  const precision = 'p'.repeat(preciseIp);
  const excludesGuestByDefault = isRestricted || preciseIp > 0;
  const tellsHost = has('host') || has('guest') === excludesGuestByDefault;
  const hosts = tellsHost ? letters([has('host'), has('guest')], 'HG') : '';
  const modifiers = `${levels}${precision}${hosts}`;
  return modifiers === '' ? '' : `:${modifiers}`;
}

function letters(areExcluded: readonly boolean[], all: string): string {
  return [...all].filter((_, i) => !areExcluded[i]).join('');
}
