/** Files of one Windows recording, and what sessions do with files besides writing one from its start to its end. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openTrace, type Trace, type TraceEvent } from '../../../lib/trace/index.ts';
import { jsonValue } from '../../../lib/trace/trace-event.ts';
import { CpuProfile } from '../../../lib/view/cpu/cpu-profile.ts';
import { FrameNames } from '../../../lib/view/cpu/frame-names.ts';
import { dataFolder, SKIP_REASON } from '../../conformance/data-folder.ts';
import { splitRecording } from './split-recording.ts';

async function readAll(
  input: Parameters<typeof openTrace>[0],
): Promise<{ trace: Trace; events: TraceEvent[] }> {
  const trace = await openTrace(input);
  const events: TraceEvent[] = [];
  for await (const batch of trace.batches()) events.push(...batch);
  return { trace, events };
}

const path = join(dataFolder ?? '', 'etl', 'net.4.5.2.x64.etl');
const isThere = dataFolder !== undefined && existsSync(path);

describe.skipIf(!isThere)(`a recording's kernel and user file read as one (${SKIP_REASON})`, () => {
  type Read = Awaited<ReturnType<typeof readAll>>;
  let whole: Read;
  let joined: Read;
  let user: Read;

  beforeAll(async () => {
    const bytes = readFileSync(path);
    const files = splitRecording(bytes);
    whole = await readAll(bytes);
    joined = await readAll([files.user, files.kernel]);
    user = await readAll(files.user);
  }, 60_000);

  /** Sorted, since events of the same time have no order. */
  const linesOf = (events: readonly TraceEvent[]) =>
    events
      .map((event) => {
        const { timestamp, processId, threadId, processor, provider, name, stack } = event;
        // There are many events of the kernel, and nothing describes those of one file in the other.
        const payload = provider.startsWith('Windows') ? '' : JSON.stringify(jsonValue(event.payload));
        return [timestamp, processId, threadId, processor, provider, name, stack?.join(), payload].join(' ');
      })
      .sort();

  it('has all events of the whole, with their times, names, fields, processes and stacks', () => {
    expect(joined.events.length).toBe(whole.events.length);
    expect(joined.trace.info.startTime).toBe(whole.trace.info.startTime);
    const [ours, theirs] = [linesOf(joined.events), linesOf(whole.events)];
    expect(ours.filter((line, i) => line !== theirs[i]).slice(0, 3)).toEqual([]);
  });

  it('is in time order', () => {
    const times = joined.events.map(({ timestamp }) => timestamp);
    expect(times.findIndex((time, i) => i > 0 && time < (times[i - 1] as bigint))).toBe(-1);
  });

  it("applies the kernel's processes and stacks to all", () => {
    expect([...joined.trace.processNames].sort()).toEqual([...whole.trace.processNames].sort());
    expect(joined.trace.stacks).toEqual(whole.trace.stacks);
    expect(user.trace.processNames.size).toBe(0);
  });

  it('charges the same CPU samples to the same functions', () => {
    const costs = [whole, joined].map(({ events, trace }) => {
      const profile = new CpuProfile(new FrameNames());
      for (const event of events) profile.add(event);
      const { samples, functions } = profile.costs(trace.processNames, trace.mappings);
      const rows = functions.map(
        ({ frame, total, self }) => `${frame.module}!${frame.name} ${total} ${self}`,
      );
      return { samples, rows: rows.sort() };
    });
    expect(costs[0]?.samples).toBeGreaterThan(6000);
    expect(costs[1]).toEqual(costs[0]);
  });
});
