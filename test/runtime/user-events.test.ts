/** Node.Runtime on a kernel with user_events, whose tracers do not announce themselves. */
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SourceStats } from '../../lib/index.ts';
import { runScript, skipReason, suiteName } from '../kernel/guest.ts';

interface Traced {
  readonly problems: readonly string[];
  /** Hooks in Node.js before the tracer, with it, and after it. */
  readonly states: readonly number[];
  readonly stats: SourceStats;
  readonly lines: readonly string[];
  readonly requests: object;
}

describe.skipIf(skipReason('uml') !== undefined)(suiteName('Node.Runtime recorded by ftrace', 'uml'), () => {
  let traced: Traced;

  beforeAll(async () => {
    const output = await runScript(`node --expose-gc '${join(import.meta.dirname, 'programs/traced.mjs')}'`);
    traced = JSON.parse(output.trimEnd().split('\n').at(-1) ?? '') as Traced;
  }, 120_000);

  const recorded = (tracepoint: string) => traced.lines.filter((line) => line.includes(` ${tracepoint}: `));

  it('observes Node.js from about when the tracer comes until about when it leaves', () => {
    expect(traced.problems).toEqual([]);
    expect(traced.states).toEqual([0, 1, 0]);
  });

  it('has written its process information, its garbage collections, its warnings and its samples', () => {
    expect(recorded('Node_Runtime_L4K0')).toHaveLength(1);
    expect(recorded('Node_Runtime_L4K1').length).toBeGreaterThan(0);
    expect(recorded('Node_Runtime_L3K8000').length).toBeGreaterThan(0);
    for (const sampled of ['Node_Runtime_L4K2', 'Node_Runtime_L4K4', 'Node_Runtime_L4K8']) {
      expect(recorded(sampled).length).toBeGreaterThan(0);
    }
    expect(traced.stats).toMatchObject({ written: traced.lines.length, dropped: {} });
  });

  it('asks for the state of a source, and by the tracepoint of TplEventSource for activity ids', () => {
    expect(traced.requests).toEqual({ poolWritten: 1, flow: [false, true, false] });
  });
});
