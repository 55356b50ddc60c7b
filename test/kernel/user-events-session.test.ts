/**
 * Sessions of user_events in a process without access to the tracer, on two kernels: a privileged program passes it
 * descriptors, and reads what it wrote, as bytes of the ring buffer and with perf.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SourceStats } from '../../lib/index.ts';
import { readPage } from '../../lib/wire/ftrace/page.ts';
import { parsePageLayout } from '../../lib/wire/ftrace/page-layout.ts';
import { decodeTracepointV1 } from '../../lib/wire/tracepoint-v1/decode.ts';
import { readTracepointV1Metadata } from '../../lib/wire/tracepoint-v1/metadata.ts';
import { WORKED_USER_EVENTS } from '../diagnostics/server/byte-worked-messages.ts';
import { type KernelKind, runProgram, runScript, skipReason, suiteName } from './guest.ts';
import { readEvents } from './read-events.ts';

/** Of the fields that each event of ftrace starts with. */
const COMMON_SIZE = 8;

interface Counts {
  readonly written: number;
  readonly dropped: number;
}

interface Pages {
  readonly header: string;
  readonly pages: readonly string[];
}

const kernels: readonly { kernel: KernelKind; rounds: number }[] = [
  { kernel: 'uml', rounds: 3 },
  { kernel: 'qemu', rounds: 1 },
];
const TIMEOUT = { timeout: 120_000 };

const run = <Result>(scenario: string, kernel: KernelKind, rounds = 1) =>
  runProgram<Result>('privileged-tool.mjs', ['passed-descriptor.mjs', scenario, rounds], { kernel });

/** Shell: another program registers tracepoints, until `$tool` is killed. */
const registering = (...definitions: string[]) => `true
  node registered.mjs ${definitions.join(' ')} >/run/registered & tool=$!
  until grep -q registered /run/registered; do sleep 0.1; done`;

/** The records behind their common fields, in their order. */
function recordsIn({ header, pages }: Pages): Uint8Array[] {
  const layout = parsePageLayout(header);
  return pages
    .flatMap((page) => readPage(Buffer.from(page, 'hex'), layout).events)
    .map(({ raw }) => raw.subarray(COMMON_SIZE));
}

const BLANKS = /\s/g;
const WORKED_FIRST = `01 0100 04005600 56000a00 01 40000000
  440065006d006f000000 01000000 5200650071000000 0300000000000000 00000000 04000000 02000000
  12000000 750072006c000000 09000000 6d0073000000
  02 000102030405060708090a0b0c0d0e0f 2f0061000000 07000000`.replaceAll(BLANKS, '');
const WORKED_LATER =
  '01 0100 04001100 11000a00 02 000102030405060708090a0b0c0d0e0f 2f0061000000 07000000'.replaceAll(
    BLANKS,
    '',
  );
const WITHOUT_ACTIVITY = '01 0100 04000000 00000a00 2f0061000000 07000000'.replaceAll(BLANKS, '');

for (const { kernel, rounds } of kernels) {
  describe.skipIf(skipReason(kernel) !== undefined)(suiteName('a session of user_events', kernel), () => {
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync('/tmp/tracewright-test-');
    });
    afterEach(() => {
      rmSync(folder, { recursive: true });
    });

    it('writes events to the kernel’s buffer byte for byte, and is then gone', TIMEOUT, async () => {
      const result = await run<{
        readonly rights: string;
        readonly backend: string;
        readonly pages: Pages;
        readonly counts: Counts;
        readonly stats: SourceStats;
        readonly isOpen: boolean;
      }>('worked', kernel);
      expect(result).toMatchObject({ backend: 'none', counts: { written: 3, dropped: 0 }, isOpen: false });
      expect(result.rights).toMatch(/^EACCES: /);
      expect(result.stats).toMatchObject({ written: 0, dropped: {} });
      // Behind a record are up to three bytes of padding.
      const records = recordsIn(result.pages).map((record) => Buffer.from(record).toString('hex'));
      const expected = [WORKED_FIRST, WORKED_LATER, WITHOUT_ACTIVITY];
      expect(records.map((record, i) => record.slice(0, expected[i]?.length))).toEqual(expected);
      expect(records.map((record, i) => record.length - (expected[i]?.length ?? 0) <= 6)).not.toContain(
        false,
      );
    });

    it('starts from the protocol’s worked message with a descriptor after it', TIMEOUT, async () => {
      const output = await runScript(
        `python3 worked-tool.py ${WORKED_USER_EVENTS.toString('hex')} worked-target.mjs`,
        { kernel },
      );
      const result = JSON.parse(output) as Pages & {
        readonly reply: string;
        readonly formats: readonly string[];
      };
      expect(result).toMatchObject({
        backend: 'none',
        names: ['Demo_All', 'Demo_Req'],
        stats: { written: 0, dropped: {} },
        enabled: [false, false, false],
        status: 0,
      });
      // OK, and the session's number.
      expect(result.reply).toMatch(/^444f544e45545f4950435f5631001c00ff000000[0-9a-f]{16}$/);
      // Some kernels print a length that they do not know between the brackets.
      for (const format of result.formats) {
        expect(format.match(/field:.*/g)?.slice(4)).toEqual([
          expect.stringMatching(/^field:u8 version;\toffset:8;\tsize:1;/),
          expect.stringMatching(/^field:u16 event_id;\toffset:9;\tsize:2;/),
          expect.stringMatching(/^field:__rel_loc u8 extension\[\d*\];\toffset:11;\tsize:4;/),
          expect.stringMatching(/^field:__rel_loc u8 payload\[\d*\];\toffset:15;\tsize:4;/),
        ]);
      }
      const records = recordsIn(result).map((record) => Buffer.from(record).toString('hex'));
      expect(records).toHaveLength(3);
      expect(records[0]?.slice(0, WORKED_FIRST.length)).toBe(WORKED_FIRST);
      expect(records[1]?.slice(0, WORKED_LATER.length)).toBe(WORKED_LATER);
      // The second event, by the default tracepoint: of another name, and without an activity.
      expect(records[2]).toMatch(/^010200.*2f0061000000070000000*$/);
    });

    it(
      'sends events where the tool wants them, for perf to record and tracewright to read',
      TIMEOUT,
      async () => {
        const names = ['Demo_All', 'Demo_Req', 'Demo_Set'];
        const output = await runScript(
          `${registering(...names)}
        perf record -q -a -k mono ${names.map((name) => `-e user_events:${name}`).join(' ')} \\
          -o ${folder}/perf.data node privileged-tool.mjs passed-descriptor.mjs routed
        kill $tool`,
          { kernel, rw: [folder] },
        );
        const result = JSON.parse(output.trimEnd().split('\n').at(-1) ?? '') as {
          readonly pid: number;
          readonly activityId: string;
          readonly counts: readonly Counts[];
        };
        const events = await readEvents(join(folder, 'perf.data'));
        expect(new Set(events.map(({ processId }) => processId))).toEqual(new Set([result.pid]));
        expect(events.filter(({ payloadProblem }) => payloadProblem !== undefined)).toEqual([]);
        const written = result.counts.map((counts) => counts.written);
        expect(events).toHaveLength((written[0] ?? 0) + (written[1] ?? 0));
        // The one that is larger than what perf carries.
        expect(result.counts.map(({ dropped }) => dropped)).toEqual([0, 1]);

        const shown = events.map(({ provider, id, name, level, keywords, payload }) => [
          provider,
          id,
          name,
          level,
          keywords,
          { ...payload },
        ]);
        const times = (count: number, ...event: unknown[]) =>
          Array.from({ length: count }, () => ['Demo', ...event]);
        expect(shown).toEqual([
          ...times(1, 5, 'WorkStart', 4, 0n, { number: 1 }),
          ...times(1, 1, 'Req', 4, 3n, { url: '/1', ms: -1 }),
          ...times(1, 6, 'WorkStop', 4, 0n, { success: true }),
          // The default tracepoint of one session, and the tracepoint that the other one has for it.
          ...times(2, 2, 'Detail', 5, 0n, { number: 1 }),
          ...times(2, 3, 'Other', 4, 4n, { number: 1 }),
          ...times(2, 2, 'Detail', 5, 0n, { number: 2 }),
          ...times(2, 3, 'Other', 4, 4n, { number: 2 }),
          ...times(1, 0xfffd, 'Own', 5, 0n, { number: 1, names: ['a', 'b'] }),
          ...times(1, 0xfffc, 'Other own', 5, 0n, { text: 'x' }),
          ...times(1, 0xfffb, 'Own', 5, 0n, { number: 2, names: '[]' }),
          ...times(1, 4, 'Large', 4, 0n, { text: 'fits' }),
          // The payload is read three times, and each time writes an event: for the source's own statistics,
          // and for either tracepoint.
          ...times(4, 3, 'Other', 4, 4n, { number: 4 }),
          ...times(1, 2, 'Detail', 5, 0n, { number: 3 }),
          ...times(2, 3, 'Other', 4, 4n, { number: 4 }),
          ...times(1, 2, 'Detail', 5, 0n, { number: 3 }),
          ['Others', 1, 'Late', 4, 0n, {}],
        ]);
        expect(events.slice(0, 4).map(({ activityId }) => activityId)).toEqual([
          result.activityId,
          result.activityId,
          result.activityId,
          undefined,
        ]);
      },
    );

    it('takes the events of all threads, which describe each kind once', TIMEOUT, async () => {
      const { wantedAtOnce, pages, counts } = await run<{
        readonly wantedAtOnce: boolean;
        readonly pages: Pages;
        readonly counts: Counts;
      }>('workers', kernel);
      // The worker that came later has had its part in the session before its first line ran.
      expect(wantedAtOnce).toBe(true);
      expect(counts).toEqual({ written: 9, dropped: 0 });
      const shown = recordsIn(pages).map((record) => {
        const { eventId, metadata } = decodeTracepointV1(record);
        return metadata === undefined ? [eventId] : [eventId, readTracepointV1Metadata(metadata).name];
      });
      expect(shown).toEqual([
        [2, 'Detail'],
        [2],
        [0xfffd, 'Own of main'],
        [2],
        [0xfffc, 'Own of 10'],
        [2],
        [2],
        [0xfffb, 'Own of 20'],
        [2],
      ]);
    });

    it('ends while threads write, after others have ended', TIMEOUT, async () => {
      const { written } = await run<{ readonly written: number }>('ends', kernel, rounds);
      expect(written).toBeGreaterThan(0);
    });
  });
}

describe.skipIf(skipReason('uml') !== undefined)(suiteName('a session of user_events', 'uml'), () => {
  it('notifies the source’s command handlers, and enables the requested events', async () => {
    expect(await run('commands', 'uml')).toEqual({
      heard: [
        ['enable', 4, '4', { interval: '5', name: 'a;b' }],
        ['disable', 0, '0', {}],
      ],
      during: [false, false, true],
      after: [false, false, false],
    });
  });

  it('that cannot be started says why, and leaves nothing behind', async () => {
    const output = await runScript(
      `${registering("'Other_Fields u32 number'")}
      node privileged-tool.mjs passed-descriptor.mjs refused; kill $tool`,
    );
    expect(JSON.parse(output)).toEqual({
      problems: [
        '80004005: Another program has registered the tracepoint Other_Fields with other fields (EADDRINUSE).',
        '80131384: Demo has neither a default tracepoint nor sets of events.',
        '80131384: The descriptor 77 cannot be used (EBADF).',
        '80004005: The file given as user_events_data is a different kind of file (ENOTTY).',
        '80131384: The descriptor 3 is read-only, but events must be written through it.',
      ],
      open: [false, false, true],
      enabled: false,
    });
  });
});
