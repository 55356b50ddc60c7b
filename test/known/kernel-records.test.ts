import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Layout } from '../../lib/wire/etl/record-type.ts';
import { decodePacked } from '../../lib/wire/packed/decode.ts';
import { dataFolder, SKIP_REASON } from '../conformance/data-folder.ts';
import { type DataRecord, describe as describeRecord, misfit, recordsOf } from './kernel-data.ts';

/** What PerfView shows otherwise, and why. */
const DIFFERENCES: Readonly<Record<string, readonly string[]>> = {
  'It works them out of other events.': [
    'DiskIO/FlushBuffers has no ElapsedTimeMSec',
    'DiskIO/Read has no DiskServiceTimeMSec',
    'DiskIO/Read has no ElapsedTimeMSec',
    'DiskIO/Read has no FileName',
    'DiskIO/Write has no DiskServiceTimeMSec',
    'DiskIO/Write has no ElapsedTimeMSec',
    'DiskIO/Write has no FileName',
    'Memory/HardFault has no ElapsedTimeMSec',
    'Memory/HardFault has no FileName',
    'SystemConfig/Services has another ProcessName',
  ],
  'It takes them from the header.': [
    'PerfInfo/Sample has no ProcessorNumber',
    'Thread/Start has no ParentProcessID',
    'Thread/Start has no ParentThreadID',
    'Thread/Stop has no ParentProcessID',
    'Thread/Stop has no ParentThreadID',
  ],
  'It makes two or three fields of one.': [
    'DiskIO/Read has no Priority',
    'DiskIO/Write has no Priority',
    'Image/DCStart has no BuildTime',
    'Image/DCStop has no BuildTime',
    'Image/Load has no BuildTime',
    'Image/Unload has no BuildTime',
    'ImageID has no BuildTime',
    'ImageID/FileVersion has no BuildTime',
    'PerfInfo/Sample has no ExecutingDPC',
    'PerfInfo/Sample has no ExecutingISR',
    'PerfInfo/Sample has no Priority',
  ],
  'It shows the names of flags, times as local ones, and paths with drive letters.': [
    'DiskIO/FlushBuffers has another IrpFlags',
    'DiskIO/Read has another IrpFlags',
    'DiskIO/Write has another IrpFlags',
    'EventTrace has another BootTime',
    'EventTrace has another EndTime',
    'EventTrace has another StartTime',
    'Image/DCStart has another FileName',
    'Image/DCStop has another FileName',
    'Image/Load has another FileName',
    'Image/Unload has another FileName',
    'Process/DCStart has another Flags',
    'Process/DCStop has another Flags',
    'Process/Defunct has another Flags',
    'Process/Start has another Flags',
    'Process/Stop has another Flags',
    'SysConfig/BuildInfo has another InstallDate',
  ],
  'Versions from 4 on have the field; it shows none as empty.': [
    'Thread/Start has no ThreadName',
    'Thread/Stop has no ThreadName',
  ],
  'It shows the affinity, which versions from 3 on have there, as the address of the start.': [
    'Thread/Start has no StartAddr',
    'Thread/Stop has no StartAddr',
  ],
  'It takes the upper half of the size, which is as wide as a pointer, for the process.': [
    'ImageID has another ProcessID',
  ],
  'It reads version 2 as if it were version 0: the context is process and size.': [
    'UdpIp/Recv has no context',
    'UdpIp/Recv has no dsize',
    'UdpIp/Send has no context',
    'UdpIp/Send has no dsize',
  ],
  'It shows the address, of eight bytes in one of three events, with a sign.': [
    'SystemConfig/NIC has another PhysicalAddr',
  ],
  'It has a name for an opcode that nobody knows.': ['SysConfig/Opcode(37) is not there'],
};

const folder = join(dataFolder ?? '', 'etl');
const MERGED = 'net.4.5.2.x64';

describe.skipIf(dataFolder === undefined)(`kernel events in real traces (${SKIP_REASON})`, () => {
  const records = new Map<string, DataRecord[]>();
  beforeAll(() => {
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.etl'))) {
      records.set(
        file,
        [...recordsOf(join(folder, file))].filter(({ layout }) => layout !== Layout.Event),
      );
    }
  });

  it('have exactly the known fields, without an extra byte', () => {
    let fitting = 0;
    const others = new Map<string, number>();
    for (const record of [...records.values()].flat()) {
      const description = describeRecord(record);
      const wrong = description === undefined ? 'unknown' : misfit(description, record);
      if (wrong === undefined) {
        fitting++;
        continue;
      }
      const key = `${description?.name ?? `${record.group ?? record.guid}/${record.opcode}`}: ${wrong}`;
      others.set(key, (others.get(key) ?? 0) + 1);
    }
    // Nobody says what is in the 16 bytes of zeros of SysConfig's opcode 37; PerfView shows nothing of it either.
    expect(Object.fromEntries(others)).toEqual({ '9b79ee91-b5fd-41c0-a243-4248e266e9d0/37: unknown': 1 });
    expect(fitting).toBe(111_339);
  });

  it('have the names and values that PerfView shows', () => {
    const merged = records.get(`${MERGED}.etl`) ?? [];
    const start = merged[0]?.time ?? 0n;
    const byName = recordsByName(merged);
    const differences = new Set<string>();
    let values = 0;
    for (const line of baselineLines()) {
      const candidates = byName.get(line.name) ?? [];
      const event = candidates.find(
        ({ time, payload }) => payload.length === line.size && isShownTime(time - start, line.time),
      );
      if (event === undefined) {
        differences.add(`${line.name} is not there`);
        continue;
      }
      candidates.splice(candidates.indexOf(event), 1);
      for (const [field, shown] of line.fields) {
        const value = valuesOf(event)[field];
        if (value === undefined) differences.add(`${line.name} has no ${field}`);
        else if (!isShownAs(value, shown)) differences.add(`${line.name} has another ${field}`);
        else values++;
      }
    }
    expect([...differences].sort()).toEqual(Object.values(DIFFERENCES).flat().sort());
    expect(values).toBe(1031);
  });
});

interface BaselineLine {
  readonly name: string;
  /** In milliseconds since the start. */
  readonly time: number;
  readonly size: number;
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/** `EVENT 28.609: Windows Kernel/Image/DCStart PID=4; ...; DataLen=158; ImageBase=0x77710000; ...; ` */
function baselineLines(): BaselineLine[] {
  const text = readFileSync(join(folder, `${MERGED}.baseline.txt`), 'utf8');
  const lines = text.matchAll(
    /^EVENT ([\d.,]+): (?:Windows Kernel|MSNT_SystemTrace|KernelTraceControl)\/(\S+) .*?DataLen=(\d+); ?(.*)$/gm,
  );
  return [...lines].map(([, time = '', name = '', size, fields = '']) => ({
    name,
    time: Number(time.replaceAll(',', '')),
    size: Number(size),
    fields: [...fields.matchAll(/(\w+)=(.*?); /g)].map(([, field = '', value = '']) => [field, value]),
  }));
}

function recordsByName(records: readonly DataRecord[]): Map<string, DataRecord[]> {
  const byName = new Map<string, DataRecord[]>();
  for (const record of records) {
    const name = describeRecord(record)?.name ?? '';
    const same = byName.get(name);
    if (same === undefined) byName.set(name, [record]);
    else same.push(record);
  }
  return byName;
}

/** Shown times are rounded to microseconds; the trace's unit is 100 ns. */
function isShownTime(time: bigint, shown: number): boolean {
  return Math.abs(Number(time) - shown * 10_000) <= 10;
}

function valuesOf(record: DataRecord): Record<string, unknown> {
  const fields = describeRecord(record)?.fields ?? [];
  return decodePacked(fields, record.payload, record.pointerSize).payload;
}

/** Whether a value is what PerfView shows: its numbers have signs and commas, and long texts end in dots. */
function isShownAs(value: unknown, shown: string): boolean {
  if (shown.endsWith('...')) return typeof value === 'string' && value.startsWith(shown.slice(0, -3));
  const plain = shown.replaceAll(',', '');
  if (typeof value === 'number' || typeof value === 'bigint') return numberShown(value, plain);
  return String(value) === shown;
}

function numberShown(value: number | bigint, plain: string): boolean {
  if (!/^(-?\d+|0x[\da-f]+)$/.test(plain)) return false;
  const expected = BigInt(plain);
  return BigInt(value) === expected || (expected < 0 && BigInt.asIntN(32, BigInt(value)) === expected);
}
