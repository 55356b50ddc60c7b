/**
 * `tracewright record --cpu` on a kernel that can sample user code: samples and events in one file, on one clock, with
 * the names that `perf script` has for each frame. User-mode Linux sees only its own kernel's frames.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressNumber } from '../../lib/base/timed-ranges.ts';
import { SymbolFolders } from '../../lib/symbols/symbol-folders.ts';
import { openTrace, type Trace, type TraceEvent } from '../../lib/trace/index.ts';
import { isCpuSample } from '../../lib/view/cpu/cpu-profile.ts';
import { FrameNames } from '../../lib/view/cpu/frame-names.ts';
import { slicedSamples } from '../view/cpu/cpu-shares.ts';
import { programs, runScript, skipReason, suiteName } from './guest.ts';

const main = fileURLToPath(new URL('../../dist/cjs/cli.cjs', import.meta.url));

/** Activities of programs/holds.mjs: what explain says of each, and in which states its wait was. */
const SLOW: readonly (readonly [name: string, cause: RegExp, states: readonly string[]])[] = [
  ['Large', /its own code ran \((?:\w+, called by )?keepBusy in holds\.mjs\)/, ['running', 'offProcessor']],
  ['Held', /the loop ran Other \((?:\w+, called by )?keepBusy in holds\.mjs\)/, ['held']],
  [
    'Late',
    /the loop ran code outside of activities.* \((?:\w+, called by )?keepBusy in holds\.mjs\)/,
    ['held'],
  ],
  ['Sleep', /waited [\d.]+ ms for a timer that it had set itself/, ['timer']],
  ['Lock', /its own code .*blocked the thread/, ['offProcessor', 'running']],
];

interface Explained {
  readonly sentence: string;
  readonly states: readonly {
    readonly state: string;
    readonly atLeastMSec: number;
    readonly atMostMSec: number;
  }[];
}

/** perf makes up names for stubs of calls to libraries, and reads the vDSO from its own memory. */
function theirName([, name = '', file]: RegExpExecArray): string {
  return name.endsWith('@plt') || file === '[vdso]' ? '[unknown]' : name;
}

describe.skipIf(skipReason('qemu') !== undefined)(suiteName('CPU samples of a recording', 'qemu'), () => {
  let folder: string;
  let output: string;
  let program: { readonly rounds: number; readonly pid: number };
  let trace: Trace;
  let events: readonly TraceEvent[];

  beforeAll(async () => {
    folder = mkdtempSync('/tmp/tracewright-test-');
    output = await runScript(
      `exec 2>&1; cd /run
      node ${main} record --cpu -o our.data -- sh -c 'node ${programs}/busy-events.mjs 4; true'
      perf record -q -o perf.data -e cpu-clock -F 499 -g -k mono node --perf-basic-prof ${programs}/busy-events.mjs 1
      node ${main} record --cpu --provider Shares-Service -o shares.data -- node ${programs}/../../child/cpu-programs/shares.mjs '' 5 10
      node ${main} record --cpu --provider Holds-Service -o holds.data -- node ${programs}/holds.mjs
      for f in our perf; do
        perf script -i $f.data --no-demangle --no-inline -F event,ip,sym,dso >$f.txt 2>/dev/null
      done
      cp *.data *.txt /tmp/perf-*.map /proc/kallsyms ${folder}`,
      { kernel: 'qemu', rw: [folder], timeout: 300 },
    );
    program = JSON.parse(/^\{.*\}$/m.exec(output)?.[0] ?? '');
    ({ trace, events } = await read('our.data'));
    samples = events.filter((event) => isCpuSample(event) && event.processId === program.pid);
  }, 340_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  let samples: readonly TraceEvent[];
  async function read(file: string) {
    const trace = await openTrace(join(folder, file));
    const events: TraceEvent[] = [];
    for await (const batch of trace.batches()) events.push(...batch);
    return { trace, events };
  }

  const explained = new Map<string, Explained>();
  function explainedActivity(name: string): Explained {
    const known = explained.get(name);
    if (known !== undefined) return known;
    const file = join(folder, 'holds.data');
    const args = [main, 'explain', '--json', '--name', name, '--symbols', folder, file];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(stderr).toBe('');
    const { activities, recorded } = JSON.parse(stdout) as {
      readonly activities: readonly Explained[];
      readonly recorded: object;
    };
    expect(recorded).toMatchObject({ runs: true, samples: true });
    expect(activities).toHaveLength(1);
    const [activity] = activities as [Explained];
    explained.set(name, activity);
    return activity;
  }

  function stacksOf(ofTrace: Trace, sampled: readonly TraceEvent[]) {
    const names = new FrameNames(new SymbolFolders([folder, '/']));
    return sampled.map(({ processId, timestamp, stack = [] }) =>
      stack.map((address) => names.frameOf(processId, address, timestamp, ofTrace.mappings)),
    );
  }
  const stacks = () => stacksOf(trace, samples);

  it.each(['our', 'perf'])("name each frame as perf script does, in %s's recording", async (whose) => {
    const recording = await read(`${whose}.data`);
    const ours = stacksOf(recording.trace, recording.events.filter(isCpuSample)).map((stack) =>
      stack.map(({ name }) => (/(?:^|\+)0x[0-9a-f]+$/.test(name) ? '[unknown]' : name)),
    );
    const theirs = readFileSync(join(folder, `${whose}.txt`), 'utf8')
      .split('\n\n')
      .filter((text) => /cpu-clock/.test(text))
      .map((text) => [...text.matchAll(/^\s+[0-9a-f]+ (.*) \((.*)\)$/gm)].map(theirName));
    expect(theirs.length).toBeGreaterThan(200);
    expect(ours).toHaveLength(theirs.length);
    const pairs = ours.map((stack, index) => [stack, theirs[index] ?? []]);
    expect(pairs.filter(([our = [], their = []]) => our.join('\n') !== their.join('\n'))).toEqual([]);
  });

  it('are in one file with all events, in the order of time', () => {
    const rounds = events.filter(({ name }) => name === 'Round');
    expect(rounds.map(({ payload }) => payload.number)).toEqual(
      Array.from({ length: program.rounds + 1 }, (_, number) => number),
    );
    const times = events.map(({ timestamp }) => timestamp);
    expect(times).toEqual(times.toSorted((a, b) => (a < b ? -1 : Number(a > b))));
    const [first, last] = [
      events.indexOf(rounds[0] as TraceEvent),
      events.indexOf(rounds.at(-1) as TraceEvent),
    ];
    expect(events.slice(first, last).filter(isCpuSample).length).toBeGreaterThan(100);
    expect(output).toMatch(
      new RegExp(
        `Recorded [\\d,]+ CPU samples and ${rounds.length} events of 1 tracepoint into .*, none lost`,
      ),
    );
  });

  it('are of the command and what it starts, and of nothing else', () => {
    const others = events.filter((event) => isCpuSample(event) && event.processId !== program.pid);
    expect(new Set(others.map(({ processId }) => trace.processNames.get(processId ?? 0)))).toEqual(
      new Set(['sh']),
    );
  });

  it('name at least 95 of 100 frames of JavaScript, and the kernel', () => {
    const frames = stacks().flat();
    const inMemory = samples.flatMap(({ processId, timestamp, stack = [] }) =>
      stack.filter((address) => {
        const mapping = trace.mappings?.find(processId, addressNumber(address), timestamp);
        return mapping?.filename === '//anon';
      }),
    );
    const compiled = frames.filter(({ module }) => module === `perf-${program.pid}.map`);
    expect(compiled.length).toBeGreaterThan(500);
    expect(compiled.length / inMemory.length).toBeGreaterThan(0.95);
    const inKernel = frames.filter(({ module }) => module === '[kernel.kallsyms]');
    expect(inKernel.length).toBeGreaterThan(100);
    expect(inKernel.filter(({ name }) => name.includes('+0x'))).toEqual([]);
  });

  it('show the functions that take the time', () => {
    const first = events.find(({ name }) => name === 'Round')?.timestamp ?? 0n;
    const innermost = stacks().flatMap(([frame], index) =>
      frame !== undefined && (samples[index]?.timestamp ?? 0n) > first ? [frame.name] : [],
    );
    const inFunctions = innermost.filter((name) => /JS:.(?:hot|warm)Function /.test(name));
    expect(inFunctions.length / innermost.length).toBeGreaterThan(0.5);
  });

  it('are charged to the activities that took the time', async () => {
    const { sliced, charged } = slicedSamples((await read('shares.data')).events);
    expect(sliced).toBeGreaterThan(300);
    expect(charged / sliced).toBeGreaterThan(0.97);
  });

  // The guest's clock stands still while the host gives it no processor, so one run may be dated after what ended in it.
  it('tell explain why each was slow, except perhaps one whose cause it does not know', () => {
    const answers = SLOW.map(([name, cause]) => {
      const { sentence } = explainedActivity(name);
      return cause.test(sentence) ? 'right' : /the trace does not say/.test(sentence) ? 'unknown' : sentence;
    });
    expect(answers.filter((answer) => answer !== 'right' && answer !== 'unknown')).toEqual([]);
    expect(answers.filter((answer) => answer === 'unknown').length).toBeLessThanOrEqual(1);
  });

  it.each(SLOW)('tell explain how long %s lasted', (name, _cause, states) => {
    const { states: found } = explainedActivity(name);
    const measured = JSON.parse(/^\{"Large".*\}$/m.exec(output)?.[0] ?? '')[name] as number;
    const sum = (names: readonly string[], bound: 'atLeastMSec' | 'atMostMSec') =>
      found.filter(({ state }) => names.includes(state)).reduce((all, each) => all + each[bound], 0);
    // The host may take the processor of the guest at any time, which is held or own time there, or unknown: see above.
    const tolerance = Math.max(3, measured * 0.05);
    expect(sum(states, 'atLeastMSec')).toBeLessThan(measured + tolerance);
    const others = ['running', 'offProcessor', 'collection', 'held', 'unknown'];
    expect(sum([...new Set([...states, ...others])], 'atMostMSec')).toBeGreaterThan(measured - tolerance);
  });
});
