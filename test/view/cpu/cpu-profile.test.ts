import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SymbolFolders } from '../../../lib/symbols/symbol-folders.ts';
import { CodeMappings } from '../../../lib/trace/code-mappings.ts';
import type { TraceEvent } from '../../../lib/trace/trace-event.ts';
import { CpuProfile, isCpuSample } from '../../../lib/view/cpu/cpu-profile.ts';
import { FrameNames } from '../../../lib/view/cpu/frame-names.ts';
import { guidBytes } from '../../../lib/wire/guid.ts';
import { pdbBytes } from '../../wire/pdb/pdb-bytes.ts';

const event = (parts: Partial<TraceEvent>) =>
  ({ provider: '', name: '', payload: {}, processId: 42, timestamp: 100n, ...parts }) as TraceEvent;
const sample = (timestamp: bigint, ...stack: bigint[]) =>
  event({ provider: 'perf', name: 'cpu-clock', stack, timestamp });
const V8 = '57277741-3638-4a4b-bdba-0ac6e45da56c';

const method = (timestamp: bigint, start: bigint, name: string) =>
  event({
    name: 'MethodLoadVerbose',
    timestamp,
    payload: {
      MethodStartAddress: start,
      MethodSize: 0x10,
      MethodNamespace: 'Space.Class',
      MethodName: name,
    },
  });

function costsOf(events: readonly TraceEvent[], mappings?: CodeMappings) {
  const profile = new CpuProfile(new FrameNames());
  for (const each of events) profile.add(each);
  return profile.costs(new Map([[42, 'app']]), mappings);
}
const functionsOf = (...given: Parameters<typeof costsOf>) =>
  costsOf(...given).functions.map(({ frame, total, self }) => [frame.name, total, self]);

describe('CPU samples', () => {
  it('do not include those of an idle thread, unlike those of native code', () => {
    const names = new FrameNames();
    const profile = new CpuProfile(names);
    const named = (start: bigint, MethodName: string) =>
      event({
        name: 'Method/DCStartVerbose',
        payload: { MethodStartAddress: start, MethodSize: 0x10, MethodNamespace: 'native', MethodName },
      });
    const v8 = (address: bigint) =>
      event({ provider: 'Microsoft-DotNETCore-SampleProfiler', payload: { Type: 1 }, stack: [address] });
    const [idle, program] = [v8(0x18n), v8(0x28n)];
    for (const each of [named(0x10n, '(idle)'), named(0x20n, '(program)'), idle, program]) profile.add(each);
    expect([names.isIdle(idle), names.isNative(idle)]).toEqual([true, false]);
    expect([names.isIdle(program), names.isNative(program)]).toEqual([false, true]);
    expect(profile.costs(new Map()).samples).toBe(1);
  });

  it('of several events of perf are not added up: as in perf report, each event has its own', () => {
    const profile = new CpuProfile(new FrameNames());
    const counting = (name: string, address: bigint) =>
      profile.add(event({ provider: 'perf', name, stack: [address] }));
    for (let i = 0; i < 3; i++) counting('cycles', 1n);
    counting('branch-misses', 1n);
    counting('branch-misses', 2n);
    expect(profile.counted).toEqual(['cycles', 'branch-misses']);
    const counts = (counted: string) =>
      profile.costs(new Map(), undefined, counted).functions.map(({ frame, self }) => [frame.name, self]);
    expect(counts('cycles')).toEqual([['0x1', 3]]);
    expect(counts('branch-misses')).toEqual([
      ['0x1', 1],
      ['0x2', 1],
    ]);
  });

  it("are those of Windows' Idle thread only while it serves a DPC or an interrupt, as TraceEvent counts", () => {
    const ofThread = (threadId: number, Flags: number) =>
      event({ provider: 'Windows Kernel', name: 'PerfInfo/Sample', threadId, payload: { Flags } });
    const given = [ofThread(0, 0), ofThread(0, 8), ofThread(0, 1), ofThread(0, 2), ofThread(7, 0)];
    expect(given.map((each) => isCpuSample(each))).toEqual([false, false, true, true, true]);
  });

  it('are counted by function and in a call tree', () => {
    const events = [
      method(1n, 0x1000n, 'Main'),
      method(1n, 0x2000n, 'Hot'),
      sample(2n, 0x2001n, 0x1001n),
      sample(3n, 0x2002n, 0x2003n, 0x1001n),
      sample(4n, 0x1002n),
    ];
    expect(functionsOf(events)).toEqual([
      ['Space.Class.Hot', 2, 2],
      ['Space.Class.Main', 3, 1],
    ]);
    const [root] = costsOf(events).roots;
    expect(root).toMatchObject({ frame: { name: 'app (42)' }, total: 3, self: 0 });
    const [main] = [...(root?.callees.values() ?? [])];
    expect(main).toMatchObject({ frame: { name: 'Space.Class.Main' }, total: 3, self: 1 });
    expect([...(main?.callees.values() ?? [])]).toMatchObject([
      { frame: { name: 'Space.Class.Hot' }, total: 2, self: 1 },
    ]);
  });

  it('have the names of the code that was there at the time', () => {
    const events = [
      method(1n, 0x1000n, 'Old'),
      sample(2n, 0x1001n),
      method(10n, 0x1000n, 'New'),
      sample(12n, 0x1002n),
    ];
    expect(functionsOf(events)).toEqual([
      ['Space.Class.Old', 1, 1],
      ['Space.Class.New', 1, 1],
    ]);
  });

  it("have the names of V8's functions in ETW, with the script", () => {
    const script = { ScriptContextID: 5n, SourceID: 7n };
    const events = [
      event({ providerGuid: V8, name: 'SourceLoad', payload: { ...script, Url: 'file:///a.js' } }),
      event({
        providerGuid: V8,
        name: 'MethodLoad',
        timestamp: 1n,
        payload: {
          ...script,
          MethodStartAddress: 0x1000n,
          MethodSize: 16n,
          MethodName: 'f',
          Line: 3,
          Column: 4,
        },
      }),
      sample(2n, 0x1001n),
    ];
    expect(functionsOf(events)).toEqual([['f file:///a.js:3:4', 1, 1]]);
  });

  it('have the module and the position in it if nothing names the function', () => {
    const mappings = new CodeMappings(new Map(), () => 0n);
    const mapping = {
      pid: 42,
      start: 0x5000n,
      length: 0x1000n,
      fileOffset: 0x2000n,
      filename: '/usr/lib/libx.so',
    };
    mappings.add(mapping, 1n);
    mappings.add({ ...mapping, start: 0x9000n, filename: '//anon' }, 1n);
    const image = event({
      name: 'Image/Load',
      payload: { ImageBase: 0x7000n, ImageSize: 0x100n, FileName: '\\Device\\Windows\\ntdll.dll' },
    });
    expect(
      functionsOf([image, sample(2n, 0x5010n), sample(3n, 0x7008n), sample(4n, 0x9001n)], mappings),
    ).toEqual([
      ['libx.so+0x2010', 1, 1],
      ['ntdll.dll+0x8', 1, 1],
      ['0x9001', 1, 1],
    ]);
  });

  it('in a Windows image have the names of its PDB, if it is given', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tracewright-pdb-'));
    const guid = '31985172-45d8-44ed-b92b-943840f8c3d8';
    const procedures = [{ name: 'app::hot', section: 1, offset: 0x10, size: 0x20 }];
    const pdb = pdbBytes({ guid: guidBytes(guid), age: 1, sections: [0x1000], procedures, publics: [] });
    writeFileSync(join(folder, 'app.pdb'), pdb);
    const image = (base: bigint, processId: number) => [
      event({
        name: 'Image/Load',
        processId,
        payload: { ImageBase: base, ImageSize: 0x9000n, FileName: 'C:\\app.exe' },
      }),
      event({
        name: 'ImageID/DbgID_RSDS',
        payload: {
          ImageBase: base,
          ProcessID: processId,
          GuidSig: guid,
          Age: 1,
          PDBFileName: 'D:\\b\\app.pdb',
        },
      }),
    ];
    const names = new FrameNames(new SymbolFolders([folder]));
    const kernel = 0xffff_f800_0000_0000n;
    for (const each of [...image(0x40_0000n, 42), ...image(kernel, 0)]) names.add(each);
    const nameAt = (address: bigint) => names.frameOf(42, address, 200n).name;
    expect([0x40_1018n, 0x40_1030n, kernel + 0x1010n].map(nameAt)).toEqual([
      'app::hot',
      'app.exe+0x1030',
      'app::hot',
    ]);
    rmSync(folder, { recursive: true });
  });

  it('of a forked process have the mappings of the one that forked it', () => {
    const mappings = new CodeMappings(new Map(), () => 0n);
    mappings.add({ pid: 1, start: 0x5000n, length: 0x1000n, fileOffset: 0n, filename: '/bin/app' }, 1n);
    mappings.addFork(42, 1);
    mappings.addFork(1, 42);
    // Its threads.
    mappings.addFork(42, 42);
    expect(functionsOf([sample(2n, 0x5010n), sample(2n, 0x8000n)], mappings)).toEqual([
      ['app+0x10', 1, 1],
      ['0x8000', 1, 1],
    ]);
  });

  it('of Windows do not include Idle', () => {
    const idle = event({ provider: 'Windows Kernel', name: 'PerfInfo/Sample', threadId: 0, stack: [1n] });
    expect(costsOf([idle]).samples).toBe(0);
  });
});
