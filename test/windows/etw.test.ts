/** The package's calls to ETW, at the Win32 interface: registrations, filters, writes, refusals, commands. */
import { describe, expect, it } from 'vitest';
import type { SourceStats, SourceStatus } from '../../lib/index.ts';
import { providerGuid } from '../../lib/wire/provider-guid.ts';
import { decodeProviderTraits } from '../../lib/wire/tracelogging/provider-traits.ts';
import { callsOf, type EtwCall } from './etw-call.ts';
import { etwEvent } from './etw-event.ts';
import { runProgram, skipReason, suiteName } from './run-program.ts';

const run = <Result>(program: string) => runProgram<Result>(`programs/${program}`, { recorder: true });
const counted = (written: number, dropped = {}) => ({ written, dropped, tooLargeForFtrace: 0, badValues: 0 });

describe.skipIf(skipReason !== undefined)(suiteName('a provider'), { timeout: 90_000 }, () => {
  it('is registered once, with its name, and receives all three parts of each event', async () => {
    const { calls } = await runProgram('programs/everything.mjs', {
      recorder: true,
      args: ['./record-etw.mjs'],
    });
    const guid = providerGuid('Tracewright-Everything');
    const [registration, ...others] = callsOf(calls, 'register').filter((call) => call.provider === guid);
    expect(others).toEqual([]);
    expect(registration).toMatchObject({ callback: true, status: 0 });
    const traits = callsOf(calls, 'setInformation').filter((call) => call.handle === registration?.handle);
    expect(traits.map((call) => [call.class, call.status])).toEqual([[2, 0]]);
    expect(decodeProviderTraits(Buffer.from(traits[0]?.data ?? '', 'hex'))).toEqual({
      name: 'Tracewright-Everything',
    });
    for (const call of callsOf(calls, 'write')) {
      expect(call.data.map((data) => data.type).slice(0, 2)).toEqual([2, 1]);
      expect(call.data.length).toBe(etwEvent(call).name === 'Empty' ? 2 : 3);
      // Never the thread's: JavaScript's activities share one.
      expect(call.activityId).not.toBeNull();
      expect(etwEvent(call).channel).toBe(11);
    }
  });

  it("follows ETW's rule for levels and keywords", async () => {
    type Row = { level: number; any: number; all: number; enabled: string[] };
    const { result, calls } = await run<Row[]>('filters.mjs');
    expect(result.length).toBe(7 * 6 * 4);
    for (const { level, any, all, enabled } of result) {
      const wanted = [1, 3, 5, 255].flatMap((eventLevel) =>
        [0, 1, 2, 3, 4]
          .filter((keyword) =>
            level === 0 || eventLevel <= level
              ? keyword === 0 || ((any === 0 || (keyword & any) !== 0) && (keyword & all) === all)
              : false,
          )
          .map((keyword) => `L${eventLevel}K${keyword}`),
      );
      expect(enabled, `level ${level}, any ${any}, all ${all}`).toEqual(wanted);
    }
    const writes = callsOf(calls, 'write');
    expect(writes.length).toBe(result.reduce((sum, row) => sum + row.enabled.length, 0));
    expect(writes.every((call) => call.delivered)).toBe(true);
  });

  it('is switched a thousand times while three threads write: nothing missing inside, nothing written outside', async () => {
    const { result, calls } = await run<SourceStats[]>('toggles.mjs');
    expect(result.every((stats) => Object.keys(stats.dropped).length === 0)).toBe(true);
    const writes = callsOf(calls, 'write');
    expect(writes.length).toBe(result.reduce((sum, stats) => sum + stats.written, 0));
    expect(
      callsOf(calls, 'callback').filter((call) => call.provider === providerGuid('Tracewright-Toggles'))
        .length,
    ).toBeGreaterThanOrEqual(1000);
    expectNoGaps(calls);
  });

  it('counts each refusal with its reason', async () => {
    const { result } = await run<{
      stats: SourceStats;
      problems: string[];
      refused: SourceStatus;
      ids: Record<string, string>;
    }>('statuses.mjs');
    expect(result.stats).toEqual(
      counted(1, {
        invalidHandle: 1,
        noFreeBuffers: 1,
        invalidParameter: 1,
        tooLargeForSession: 1,
        tooLarge: 3,
        'Win32 error 1450': 1,
      }),
    );
    expect(result.refused).toEqual({
      backend: 'etw',
      problems: [
        'Windows has no memory for another registration of the provider Tracewright-Refused (ERROR_NOT_ENOUGH_MEMORY).',
      ],
    });
    expect(result.ids).toEqual({
      get: '00000011-0000-0000-0000-0000be999d59',
      getAndSet: '00000011-0000-0000-0000-0000be999d59',
      createAndSet: '00112233-4455-6677-8899-aabbccddeeff',
      created: true,
    });
  });

  it('receives what sessions request, and has activities for those that request them as .NET does', async () => {
    const { result, stderr } = await run<{ heard: object[]; inside: string }>('commands.mjs');
    expect(result.heard).toEqual([
      {
        kind: 'enable',
        code: -2,
        level: 4,
        any: 3,
        all: 1,
        arguments: { key: 'value' },
        filter: 'key\0value\0',
        enabled: true,
      },
      { kind: 'sendManifest', code: -1, level: 0, any: 0, all: 0, arguments: {}, filter: '', enabled: true },
      { kind: 'disable', code: -3, level: 0, any: 0, all: 0, arguments: {}, filter: '', enabled: false },
    ]);
    expect(result.inside).toMatch(/^00000011-/);
    expect(stderr).toContain('A command handler of Tracewright-Commands threw: Error: a handler that throws');
  });
});

describe.skipIf(skipReason !== undefined)(
  suiteName('sessions before the program'),
  { timeout: 90_000 },
  () => {
    interface Told {
      readonly kind: string;
      readonly level: number;
      readonly any: number;
      readonly all: number;
      readonly arguments: object;
      readonly filter: string;
    }
    interface Definition {
      readonly atOnce: { readonly heard: readonly Told[]; readonly enabled: readonly string[] };
      readonly heard: readonly Told[];
    }
    type Run = Readonly<Record<'first' | 'second' | 'worker' | 'late' | 'afterwards', Definition>>;

    it('are reported to every definition in every thread, once, and so is each later change', async () => {
      const { result } = await run<Run>('session-first.mjs');
      const plain = { level: 0, any: 0, all: 0, arguments: {}, filter: '' };
      const enabled = {
        kind: 'enable',
        level: 4,
        any: 2,
        all: 2,
        arguments: { key: 'value' },
        filter: 'key\0value\0',
      };
      const disabled = { kind: 'disable', ...plain };
      const changes = [
        { kind: 'enable', ...plain, level: 5, any: 6 },
        { kind: 'sendManifest', ...plain, level: 5, any: 4 },
        enabled,
        disabled,
        ...Array.from({ length: 100 }, () => [{ kind: 'enable', ...plain, level: 1 }, disabled]).flat(),
        { kind: 'enable', ...plain, level: 3 },
      ];
      for (const name of ['first', 'second', 'worker'] as const) {
        expect(result[name].atOnce, name).toEqual({ heard: [enabled], enabled: ['Note'] });
        expect(result[name].heard.slice(0, 206), name).toEqual([enabled, ...changes]);
      }
      expect(result.first.heard.slice(206)).toEqual([disabled]);
      expect(result.late.atOnce).toEqual({ heard: [{ kind: 'enable', ...plain, level: 3 }], enabled: [] });
      expect(result.late.heard.slice(1)).toEqual([disabled]);
      expect(result.afterwards).toEqual({ atOnce: { heard: [], enabled: [] }, heard: [] });
    });
  },
);

/**
 * From when the provider's callback has been told of the session's coming to when it is told of its going, a
 * thread's numbers follow each other; once it has been told of the going, a thread writes at most the event that
 * was on its way.
 */
function expectNoGaps(calls: readonly EtwCall[]): void {
  const { handle } =
    callsOf(calls, 'register').find(({ provider }) => provider === providerGuid('Tracewright-Toggles')) ?? {};
  let told: 'coming' | 'going' | undefined;
  let isEnabled: boolean | undefined;
  const last = new Map<unknown, number>();
  const strayed = new Set<unknown>();
  for (const call of calls) {
    if (call.op === 'callback' && call.handle === handle) {
      told = call.code === 1 ? 'coming' : 'going';
      isEnabled = undefined;
    } else if (call.op === 'callbackDone' && call.handle === handle) {
      isEnabled = told === 'coming';
      last.clear();
      strayed.clear();
    } else if (call.op === 'write') {
      const { thread, number } = etwEvent(call).payload as { thread: number; number: number };
      const before = last.get(thread);
      if (isEnabled === true && before !== undefined) expect(number, `thread ${thread}`).toBe(before + 1);
      if (isEnabled === false) {
        expect(strayed.has(thread), `a second stray of thread ${thread}, ${number}`).toBe(false);
        strayed.add(thread);
      }
      last.set(thread, number);
    }
  }
}
