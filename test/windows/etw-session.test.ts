/**
 * `EtwSession` at the Win32 interface: for each mode, control and filter the bytes that ETW gets, and what a model of
 * ETW makes of them. The expected bytes are computed here, from the offsets in evntrace.h and evntprov.h.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { callsOf, type EtwCall, sectionOf } from './etw-call.ts';
import { runProgram, skipReason, suiteName } from './run-program.ts';

type Files = readonly (readonly [name: string, events: readonly string[]])[];
interface Results {
  readonly [scenario: string]: { readonly files: Files; readonly returned?: unknown };
}

const MY_COMPANY = '1d512bc3d7c5bf5648d9c96bbd9ed1e8';
const SYSTEM_TRACE_CONTROL = 'ad4a819e0432d2119a82006008a86939';
const SIZE = 120 + 2 * 2048;

/** EVENT_TRACE_PROPERTIES, by the offsets of its members. */
const OFFSETS = {
  bufferKib: 48,
  minimumBuffers: 52,
  maximumBuffers: 56,
  maximumFileSize: 60,
  mode: 64,
  flushTimer: 68,
  enableFlags: 72,
  fileOffset: 112,
};

function properties(
  members: Partial<Record<keyof typeof OFFSETS, number>> & { clock?: number; guid?: string },
): string {
  const { clock = 1, guid = '', fileOffset = 120 + 2048, ...numbers } = members;
  const bytes = Buffer.alloc(120);
  bytes.writeUInt32LE(SIZE, 0);
  bytes.write(guid, 24, 'hex');
  bytes.writeUInt32LE(clock, 40);
  bytes.writeUInt32LE(0x20000, 44);
  for (const [name, value] of Object.entries({ ...numbers, fileOffset })) {
    bytes.writeUInt32LE(value, OFFSETS[name as keyof typeof OFFSETS]);
  }
  bytes.writeUInt32LE(120, 116);
  return bytes.toString('hex');
}

/** ENABLE_TRACE_PARAMETERS: version, property; at 40 the number of filters. Not the pointer at 32. */
function parameters(property: number, filters: number): string {
  const bytes = Buffer.alloc(48);
  bytes.writeUInt32LE(2, 0);
  bytes.writeUInt32LE(property, 4);
  bytes.writeUInt32LE(filters, 40);
  return bytes.toString('hex');
}

const withoutPointer = (hex: string) => `${hex.slice(0, 64)}${'0'.repeat(16)}${hex.slice(80)}`;
const utf16 = (text: string) => Buffer.from(text, 'utf16le').toString('hex');
const wide = (hex: string | null | undefined) => Buffer.from(hex ?? '', 'hex').toString('utf16le');

describe.skipIf(skipReason !== undefined)(suiteName('an ETW session'), () => {
  let results: Results;
  let calls: readonly EtwCall[];
  beforeAll(async () => {
    ({ result: results, calls } = await runProgram<Results>('programs/etw-sessions.mjs', { recorder: true }));
  }, 120_000);

  const sectionFor = (name: string) => sectionOf(calls, name.replaceAll('-', ' '));
  const startOf = (name: string) => callsOf(sectionFor(name), 'startTrace')[0];
  const filesOf = (name: string) => Object.fromEntries(results[name]?.files ?? []);

  describe('starts', () => {
    it.each([
      ['sequential', { bufferKib: 128, maximumFileSize: 1, mode: 0x1 }, ['#1', '#2']],
      ['circular', { bufferKib: 64, maximumFileSize: 4, mode: 0x2002 }, ['#3', '#4', '#5', '#6']],
      ['private', { bufferKib: 128, mode: 0x2_0801, guid: MY_COMPANY }, ['Own']],
      ['both', { bufferKib: 128, mode: 0x0c00_0101 }, ['#1']],
    ])('as a %s one, whose file then has what it recorded', (name, expected, events) => {
      const start = startOf(name);
      const { minimumBuffers = 0 } = start ?? {};
      // Two per processor.
      expect(minimumBuffers > 0 && minimumBuffers % 2 === 0).toBe(true);
      expect(start?.properties).toBe(
        properties({ ...expected, minimumBuffers, maximumBuffers: minimumBuffers }),
      );
      expect(wide(start?.file)).toMatch(new RegExp(`^Z:\\\\.*\\\\${name}\\.etl$`));
      expect(filesOf(name)[`${name}.etl`]).toEqual(events);
    });

    it('one that ends when its file is full', () => {
      expect(results.sequential?.returned).toBe(true);
    });

    it('one with a new file at a size, or on request', () => {
      const start = startOf('new-file');
      expect(start).toMatchObject({ mode: 0x2028, maximumFileSize: 2 });
      expect(wide(start?.file)).toMatch(/\\new-file%d\.etl$/);
      const next = callsOf(sectionFor('new-file'), 'controlTrace')[0];
      expect(next).toMatchObject({ code: 4, session: start?.session, name: null, status: 0 });
      expect(filesOf('new-file')).toEqual({
        'new-file1.etl': ['#1', '#2'],
        'new-file2.etl': ['#3'],
        'new-file3.etl': ['#9'],
      });
    });

    it('one in memory, without a file, which has its latest events once it is flushed', () => {
      const start = startOf('memory');
      expect(start?.properties).toBe(
        properties({ bufferKib: 4, minimumBuffers: 2, maximumBuffers: 2, mode: 0x400, fileOffset: 0 }),
      );
      const [flush] = callsOf(sectionFor('memory'), 'controlTrace');
      expect(flush).toMatchObject({ code: 3, properties: properties({ clock: 0 }) });
      expect(wide(flush?.givenFile)).toMatch(/\\memory\.etl$/);
      expect(results.memory).toEqual({
        files: [['memory.etl', [3, 4, 5, 6, 7, 8, 9, 10].map((id) => `#${id}`)]],
        returned: [],
      });
    });

    it('one in real time, with a file or without', () => {
      expect(startOf('real-time')).toMatchObject({ mode: 0x100, flushTimer: 1, fileOffset: 0, file: null });
      expect(filesOf('real-time')).toEqual({ 'real-time': ['#1', '#2'] });
      expect(filesOf('both').both).toEqual(['#1']);
    });

    it('a private one, which is controlled by its GUID and has no events of other processes', () => {
      expect(results.private).toEqual({ files: [['private.etl', ['Own']]], returned: 'private' });
      for (const control of callsOf(sectionFor('private'), 'controlTrace')) {
        expect(control.properties).toBe(properties({ clock: 0, guid: MY_COMPANY }));
      }
    });
  });

  describe('controls', () => {
    it('query it, by name and by handle', () => {
      expect(results.query?.returned).toEqual({
        name: 'query',
        file: 'query.etl',
        mode: 1,
        isRealTime: false,
        bufferBytes: 64 << 10,
        buffers: 6,
        freeBuffers: 3,
        minBuffers: 6,
        maxBuffers: 9,
        maxFileBytes: 7 << 20,
        flushIntervalMs: 0,
        buffersWritten: 4,
        eventsLost: 3,
        buffersLost: 2,
        realTimeBuffersLost: 1,
        none: null,
      });
      const [named, byHandle] = callsOf(sectionFor('query'), 'controlTrace');
      expect(named).toMatchObject({ code: 0, session: '0x0', properties: properties({ clock: 0 }) });
      expect(wide(named?.name)).toBe('query');
      expect(byHandle).toMatchObject({ code: 0, session: startOf('query')?.session, name: null });
    });

    it('update it, and leave the rest as it was', () => {
      expect(results.update).toEqual({
        files: [
          ['update-2.etl', ['#2']],
          ['update.etl', ['#1']],
          ['update', ['#1']],
        ],
        returned: [
          { flushIntervalMs: 2000, maxBuffers: 11, isRealTime: true },
          { flushIntervalMs: 2000, maxBuffers: 11, isRealTime: false },
        ],
      });
      const updates = callsOf(sectionFor('update'), 'controlTrace').filter(({ code }) => code === 2);
      expect(updates.map((update) => update.properties.slice(2 * 112, 2 * 116))).toEqual([
        '00000000',
        '00000000',
        '78080000',
      ]);
      expect(updates.map(({ givenFile }) => wide(givenFile).replace(/^.*\\/, ''))).toEqual([
        '',
        '',
        'update-2.etl',
      ]);
      // Offsets 56 and 64 to 72.
      expect(updates[0]?.properties.slice(2 * 56, 2 * 60)).toBe('0b000000');
      expect(updates[0]?.properties.slice(2 * 64, 2 * 72)).toBe('0101000002000000');
      expect(updates[1]?.properties.slice(2 * 64, 2 * 72)).toBe('0100000002000000');
    });

    it('end it once, at the end of a block, too', () => {
      expect(results).toMatchObject({ disposed: true, stoppedTwice: true });
    });
  });

  describe('filters', () => {
    const keywords = (any: string, all: string) => any.padStart(16, '0') + all.padStart(16, '0');
    const reversed = (hex: string) => Buffer.from(hex, 'hex').reverse().toString('hex');
    const levelAndKeywords = (any: string, all: string, level: string, isIn: string) =>
      reversed(keywords(any, all).slice(0, 16)) + reversed(keywords(any, all).slice(16)) + level + isIn;
    const omega = Buffer.from('Ω').toString('hex');

    it.each([
      ['id-in', 0x8000_0200, '01000200' + '02000300', ['#2', '#3']],
      ['id-out', 0x8000_0200, '00000200' + '02000300', ['#1', '#4']],
      [
        'name-in',
        0x8000_0400,
        `${levelAndKeywords('3', '1', '05', '01')}0200537461727400${omega}00`,
        ['Start', 'Ω'],
      ],
      [
        'name-out',
        0x8000_0400,
        `${levelAndKeywords('f'.repeat(16), '0', 'ff', '00')}0100537461727400`,
        ['Stop', 'Ω'],
      ],
      ['process', 0x8000_0004, '0c0000000d000000', ['#12', '#13']],
      ['executable', 0x8000_0008, utf16('node.exe;Ω.exe\0'), ['#1', '#2']],
    ])('by %s let through only what is asked for', (name, type, bytes, events) => {
      const [enable] = callsOf(sectionFor(name), 'enableTrace');
      expect(enable?.filters).toEqual([{ type, size: bytes.length / 2, bytes }]);
      expect(withoutPointer(enable?.parameters ?? '')).toBe(parameters(0, 1));
      expect(enable?.parameters.slice(64, 80)).not.toBe('0'.repeat(16));
      expect(filesOf(name)[`${name}.etl`]).toEqual(events);
    });

    it.each([
      ['level', 3, `0x${'f'.repeat(16)}`, '0x0', 0, ['#20', '#22', '#26']],
      ['any-keyword', 255, '0x4', '0x0', 0, ['#20', '#26', '#44']],
      ['all-keywords', 255, `0x${'f'.repeat(16)}`, '0x6', 0, ['#20', '#26']],
      ['no-keyword-0', 255, `0x${'f'.repeat(16)}`, '0x0', 0x10, ['#22', '#26', '#42', '#44']],
    ])('by %s are numbers of the call', (name, level, any, all, property, events) => {
      const [enable] = callsOf(sectionFor(name), 'enableTrace');
      expect(enable).toMatchObject({ code: 1, level, any, all, timeout: 0, filters: [] });
      expect(enable?.parameters).toBe(parameters(property, 0));
      expect(filesOf(name)[`${name}.etl`]).toEqual(events);
    });

    it.each([
      ['stacks', [], ['#1 +stack', '#2 +stack', '#3 +stack', '#4 +stack']],
      [
        'stack-ids',
        [{ type: 0x8000_1000, size: 8, bytes: '0100020004000200' }],
        ['#1', '#2 +stack', '#3', '#4 +stack'],
      ],
      [
        'stack-level',
        [
          {
            type: 0x8000_4000,
            size: 24,
            bytes: `${levelAndKeywords('4', '0', '03', '01')}${'0'.repeat(12)}`,
          },
        ],
        ['#20 +stack', '#22', '#26 +stack', '#42', '#44'],
      ],
    ])('of %s add them to those events only', (name, filters, events) => {
      const [enable] = callsOf(sectionFor(name), 'enableTrace');
      expect(enable?.filters).toEqual(filters);
      expect(withoutPointer(enable?.parameters ?? '')).toBe(parameters(4, filters.length));
      expect(filesOf(name)[`${name}.etl`]).toEqual(events);
    });

    it('can add to each event its user, terminal session, process and key', () => {
      const [enable] = callsOf(sectionFor('items'), 'enableTrace');
      expect(enable?.parameters).toBe(parameters(0x1 | 0x2 | 0x80 | 0x100, 0));
      expect(filesOf('items')).toEqual({ 'items.etl': ['#1 +user +terminal +process +event'] });
    });

    it('apply to the providers of a group', () => {
      const [enable] = callsOf(sectionFor('group'), 'enableTrace');
      expect(enable?.parameters).toBe(parameters(0x20, 0));
      expect(filesOf('group')).toEqual({ 'group.etl': ['#1'] });
    });

    it('change while the session runs', () => {
      const codes = callsOf(sectionFor('change'), 'enableTrace').map(({ code, level }) => [code, level]);
      expect(codes).toEqual([
        [1, 3],
        [1, 4],
        [0, 0],
      ]);
      expect(filesOf('change')).toEqual({ 'change.etl': ['#20', '#22', '#26', '#20', '#26', '#44'] });
    });
  });

  it('enables a provider of this process, asks it for its state, and disables it', () => {
    const told = callsOf(sectionFor('state'), 'callback').map(({ code, level, any }) => [code, level, any]);
    expect(told).toEqual([
      [1, 4, '0x2'],
      [2, 3, `0x${'f'.repeat(16)}`],
      [0, 0, '0x0'],
    ]);
    expect(filesOf('state')).toEqual({ 'state.etl': ['Own'] });
  });

  describe('of the system', () => {
    const PRIVILEGE = { disablesAll: false, count: 1, privilege: 11, attributes: 2 };
    const profile = 'b4bf1dce7e13a64d87b03f59aa102cbc';
    const thread = 'd1a86f3d05fed0119dda00c04fd7ba7c';

    it('records the kernel and providers, with stacks of samples and switches', () => {
      const section = sectionFor('system');
      const order = section.map(({ op }) => op).filter((op) => op !== 'mark');
      expect(order.slice(0, 5)).toEqual([
        'privilege',
        'traceInformation',
        'startTrace',
        'traceInformation',
        'enableTrace',
      ]);
      expect(callsOf(section, 'privilege')).toMatchObject([{ ...PRIVILEGE, status: 0 }]);
      expect(startOf('system')).toMatchObject({ mode: 0x200_0001, enableFlags: 0x100_0017, flags: 0x20000 });
      expect(callsOf(section, 'traceInformation')).toMatchObject([
        { session: '0x0', class: 5, data: '00000000c4090000', status: 0 },
        {
          session: startOf('system')?.session,
          class: 3,
          data: `${profile}2e00000000000000${thread}2400000000000000`,
        },
      ]);
      expect(filesOf('system')).toEqual({
        'system.etl': ['kernel 46 +stack', 'kernel 36 +stack', 'kernel 1', '#1', 'kernel 1'],
      });
    });

    it('can be the NT Kernel Logger', () => {
      const start = startOf('kernel-logger');
      expect(start).toMatchObject({ mode: 1, enableFlags: 0x100_0000, status: 0 });
      expect(start?.properties.slice(2 * 24, 2 * 40)).toBe(SYSTEM_TRACE_CONTROL);
      expect(results.logger).toEqual([['logger.etl', ['kernel 46']]]);
    });

    it('says which privilege is missing, and starts nothing', () => {
      expect(callsOf(sectionFor('no-privilege'), 'privilege')).toMatchObject([
        { ...PRIVILEGE, status: 1300 },
      ]);
      expect(startOf('no-privilege')).toBeUndefined();
      expect(results['no-privilege']).toBe(
        'This user lacks the privilege SeSystemProfilePrivilege (Win32 error 1300): an administrator in an elevated ' +
          'process has it.',
      );
    });

    it('ends when its stacks are refused', () => {
      expect(results['no-stacks']).toMatch(/^Windows does not record stacks .* \(Win32 error 87\)\.$/);
      expect(callsOf(sectionFor('no-stacks'), 'controlTrace')).toMatchObject([{ code: 1, status: 0 }]);
    });
  });

  it('says in a sentence what Windows refuses', () => {
    expect(results.refusals).toEqual([
      'Access denied (Win32 error 5): this user may not record with ETW, which needs an administrator or a member of ' +
        'Performance Log Users.',
      'An ETW session named r is already running (Win32 error 183).',
      'This user may not query the ETW session (Win32 error 5): an administrator may.',
      'Windows did not change the file of the ETW session (Win32 error 87).',
      'This user may not end the ETW session (Win32 error 5): an administrator may.',
      'The provider b3864c38-4273-58c5-545b-8b3608343471 is already in the maximum number of sessions (Win32 error 1450).',
      'Windows did not flush the ETW session (Win32 error 87).',
      'C:\\none\\x.etl cannot be written: there is no such folder (Win32 error 3).',
    ]);
  });
});
