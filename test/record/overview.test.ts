/** What the overview makes of the lists of Windows, and of the files of tracefs. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ListedEtwSession } from '../../lib/platform/addon-functions.ts';
import { RecorderError } from '../../lib/platform/recorder-error.ts';
import { etwOverview, type Lister } from '../../lib/record/etw-overview.ts';
import { tracefsOverview } from '../../lib/record/tracefs-overview.ts';
import { providerGuid } from '../../lib/wire/provider-guid.ts';

const KERNEL_PROCESS = '22fb2cd6-0e7b-422b-a0c7-2fad1fd0e716';
const OURS = providerGuid('MyCompany-MyService');
const UNKNOWN = '01234567-89ab-cdef-0123-456789abcdef';

const SESSION: ListedEtwSession = {
  ...{ id: 7, name: 'tracewright', file: 'C:\\a.etl', mode: 0x101, clock: 1, enableFlags: 0 },
  ...{ bufferSize: 64, buffers: 16, minimumBuffers: 8, maximumBuffers: 32, freeBuffers: 3 },
  ...{ maximumFileSize: 0, flushTimer: 0, buffersWritten: 9 },
  ...{ eventsLost: 5, buffersLost: 1, realTimeBuffersLost: 2 },
};
const enabledBy = { sessionId: 7, level: 5, anyKeyword: 0x10n, allKeyword: 0n, properties: 4 };

describe('the overview of Windows', () => {
  const lists: Lister = {
    sessions: () => [SESSION, { ...SESSION, id: 8, name: 'EventLog-10', file: '' }],
    processNames: () => new Map([[812, 'node.exe']]),
    registeredProviders: () => ({
      entries: [{ guid: KERNEL_PROCESS, name: undefined, schemaSource: 0 }],
      isWhole: true,
    }),
    runningProviders: () => ({ entries: [OURS, KERNEL_PROCESS, UNKNOWN], isWhole: true }),
    instances: (guid) => {
      if (guid === UNKNOWN) return undefined;
      const entries = [
        { processId: 812, flags: 0, enabledBy: [enabledBy] },
        { processId: 4, flags: 0, enabledBy: [enabledBy, { ...enabledBy, sessionId: 99, properties: 0 }] },
        { processId: 0, flags: 2, enabledBy: [enabledBy] },
      ];
      return { entries, isWhole: guid === OURS };
    },
  };

  it('names providers by their registration, tracewright’s own list, or the name asked for', () => {
    const { providers } = etwOverview(['MyCompany-MyService'], lists);
    expect(providers.map(({ name, guid, source }) => [name, guid, source])).toEqual([
      ['Microsoft-Windows-Kernel-Process', KERNEL_PROCESS, 'manifest'],
      ['MyCompany-MyService', OURS, undefined],
      [UNKNOWN, UNKNOWN, undefined],
    ]);
  });

  it('tells who runs a provider, and each session that has enabled it once', () => {
    const { providers } = etwOverview([], lists);
    const ours = providers.find(({ guid }) => guid === OURS);
    expect(ours?.processes).toEqual([
      { processId: 4, name: undefined },
      { processId: 812, name: 'node.exe' },
    ]);
    const enabling = { level: 5, keywords: 0x10n, allKeywords: 0n };
    expect(ours?.enabledBy).toEqual([
      { session: 'tracewright', ...enabling, hasStacks: true },
      { session: 'session 99', ...enabling, hasStacks: false },
    ]);
  });

  it('says what this user may not see, and what came incomplete', () => {
    expect(etwOverview([], lists).providerNotes).toEqual([
      'This user may not see who uses 1 of the running providers.',
      'Windows returned 1 incomplete list: what it lacks is not shown.',
    ]);
  });

  it('has the sessions in order, with their modes and losses', () => {
    expect(etwOverview([], lists).sessions).toEqual([
      expect.not.objectContaining({ file: expect.anything() }),
      {
        name: 'tracewright',
        number: 7,
        mode: ['sequential file', 'real time'],
        modeBits: 0x101,
        file: 'C:\\a.etl',
        buffers: 16,
        bufferKiB: 64,
        lostEvents: 5,
        lostBuffers: 3,
      },
    ]);
  });
});

describe('the overview of Linux', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tracewright-test-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const NOBODY = { recording: [], registered: [], hidden: 0 };
  const tracefs = {
    path: (path: string) => join(folder, path),
    read: (path: string) => readFileSync(join(folder, path)),
  };
  function files(texts: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(texts)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  }
  const stats = (overrun: number) =>
    `entries: 3\noverrun: ${overrun}\ncommit overrun: 1\ndropped events: 0\n`;

  it('shows instances, and the main buffer only while it is used', () => {
    files({
      current_tracer: 'nop\n',
      set_event: '',
      'instances/tracewright-1/current_tracer': 'nop\n',
      'instances/tracewright-1/tracing_on': '1\n',
      'instances/tracewright-1/options/overwrite': '1\n',
      'instances/tracewright-1/buffer_size_kb': '7 (expanded: 1408)\n',
      'instances/tracewright-1/per_cpu/cpu0/stats': stats(4),
      'instances/tracewright-1/per_cpu/cpu1/stats': stats(0),
      'instances/other/tracing_on': '0\n',
      'instances/other/options/overwrite': '0\n',
    });
    expect(tracefsOverview(tracefs, NOBODY).sessions).toEqual([
      {
        name: 'other',
        mode: ['trace instance', 'stops when full', 'paused'],
        ...{ buffers: 0, bufferKiB: 0, lostEvents: 0 },
      },
      {
        name: 'tracewright-1',
        process: expect.objectContaining({ processId: 1 }),
        mode: ['trace instance', 'overwrites the oldest'],
        ...{ buffers: 2, bufferKiB: 1408, lostEvents: 6 },
      },
    ]);
    files({ current_tracer: 'function\n' });
    const names = tracefsOverview(tracefs, NOBODY).sessions.map(({ name, mode }) => [name, mode[2]]);
    expect(names).toContainEqual(['main', 'tracer function']);
  });

  it('groups tracepoints by provider, with who uses them', () => {
    files({
      user_events_status: [
        'Demo_L4K0 # Used by ftrace perf',
        'Demo_L5K2',
        'Odd name # Used by other',
        'Demo_L5K1f # Used by ftrace',
        '',
        'Active: 4',
        'Busy: 3',
      ].join('\n'),
      'instances/one/set_event': 'user_events:Demo_L4K0\nsched:sched_switch\nsched:sched_wakeup\n',
    });
    const { providers, providerNotes } = tracefsOverview(tracefs, NOBODY);
    expect(providerNotes).toEqual([]);
    const tracepoint = 'Demo_L4K0';
    expect(providers).toEqual([
      {
        name: 'Demo',
        source: 'user_events',
        tracepoints: ['Demo_L4K0', 'Demo_L5K2', 'Demo_L5K1f'],
        enabledBy: [
          { session: 'one', tracepoint, level: 4, keywords: 0n },
          { session: 'perf', tracepoint, level: 4, keywords: 0n },
          { session: 'ftrace', tracepoint: 'Demo_L5K1f', level: 5, keywords: 0x1fn },
        ],
      },
      {
        name: 'Odd name',
        source: 'user_events',
        tracepoints: ['Odd name'],
        enabledBy: [{ session: 'other', tracepoint: 'Odd name' }],
      },
      {
        name: 'sched',
        source: 'kernel',
        tracepoints: ['sched_switch', 'sched_wakeup'],
        enabledBy: [
          { session: 'one', tracepoint: 'sched_switch' },
          { session: 'one', tracepoint: 'sched_wakeup' },
        ],
      },
    ]);
  });

  it('shows who has perf events or user_events open, and that others may be hidden', () => {
    files({ user_events_status: '\n\nActive: 0\n' });
    const perf = { processId: 12, name: 'perf' };
    const { sessions, sessionNotes, providerNotes } = tracefsOverview(tracefs, {
      recording: [perf],
      registered: [{ processId: 30, name: 'node' }],
      hidden: 2,
    });
    const hidden =
      'Only root sees who uses perf events and user_events: processes of other users are not listed.';
    expect(sessions).toEqual([{ name: 'perf', process: perf, mode: ['perf events'] }]);
    expect(sessionNotes).toEqual([hidden]);
    expect(providerNotes).toEqual([hidden, 'Processes that have user_events open: node (30).']);
  });

  it('says that a kernel has no user_events', () => {
    expect(tracefsOverview(tracefs, NOBODY)).toEqual({
      sessions: [],
      providers: [],
      sessionNotes: [],
      providerNotes: ['This kernel has no user_events, or does not let this user list them.'],
    });
  });

  it('does not hide that a file is not the kernel’s', () => {
    const forged = () => {
      throw new RecorderError('/x is not a file of tracefs.');
    };
    expect(() => tracefsOverview({ ...tracefs, read: forged }, NOBODY)).toThrow('is not a file of tracefs');
  });
});
