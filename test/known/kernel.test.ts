import { describe, expect, it } from 'vitest';
import { allEvents } from '../../lib/known/event-table.ts';
import { classicEvent, KERNEL_TABLES, kernelEvent, kernelGroupGuid } from '../../lib/known/kernel.ts';
import { decodePacked } from '../../lib/wire/packed/decode.ts';
import { fixedSizeOf } from '../../lib/wire/packed/value.ts';
import { Bytes } from '../wire/perf-data/file-bytes.ts';

const PROCESS = '3d6fa8d0-fe05-11d0-9dda-00c04fd7ba7c';
const IMAGE = '2cb15d1d-5fc1-11d2-abe1-00a0c911f518';

const bytes = () => new Bytes(true);

const all = KERNEL_TABLES.flatMap(allEvents);

describe('the tables of kernel events', () => {
  it('use existing types', () => {
    const sized = ['utf16', 'ansi', 'utf8', 'binary', 'wbemSid'];
    const wrong = all.flatMap(({ name: event, fields }) =>
      fields
        .filter(({ type }) => fixedSizeOf(type, 8) === undefined && !sized.includes(type))
        .map((field) => `${event}: ${field.name} ${field.type}`),
    );
    expect(wrong).toEqual([]);
  });

  it('have fields with distinct names, and counts from an earlier field', () => {
    const wrong = all.flatMap(({ name: event, fields }) =>
      fields
        .filter(({ name, count }, index) => {
          const earlier = fields.slice(0, index).map((field) => field.name);
          const isUnknown = typeof count === 'string' && count !== '*' && !earlier.includes(count);
          return name === '' || earlier.includes(name) || isUnknown;
        })
        .map((field) => `${event}: ${field.name}`),
    );
    expect(wrong).toEqual([]);
  });

  it('have the GUID of each group and class once, in lower case', () => {
    const guids = KERNEL_TABLES.map(({ guid }) => guid);
    expect(new Set(guids).size).toBe(guids.length);
    for (const guid of guids) expect(guid).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });
});

describe('kernel events', () => {
  it('have the names that PerfView shows', () => {
    expect(kernelEvent(3, 1, 4)).toMatchObject({ provider: 'Windows Kernel', name: 'Process/Start' });
    expect(kernelEvent(5, 36, 2)?.name).toBe('Thread/CSwitch');
    expect(kernelEvent(5, 50, 2)?.name).toBe('Dispatcher/ReadyThread');
    expect(kernelEvent(15, 46, 2)?.name).toBe('PerfInfo/Sample');
    expect(kernelEvent(0, 0, 2)?.name).toBe('EventTrace');
  });

  it('for image loading are in the process group, and in a separate class', () => {
    expect(kernelEvent(3, 10, 2)?.name).toBe('Image/Load');
    expect(classicEvent(IMAGE, 10, 2)).toMatchObject({ name: 'Image/Load' });
  });

  it('are the same if their records carry the class', () => {
    expect(classicEvent(PROCESS, 1, 4)).toBe(kernelEvent(3, 1, 4));
  });

  it('have the class of their group, known or not', () => {
    expect(kernelGroupGuid(3)).toBe(PROCESS);
    expect(kernelGroupGuid(0x12)).toBe('e43445e0-0903-48c3-b878-ff0fccebdd04');
    expect(kernelGroupGuid(0x77)).toBeUndefined();
    expect(kernelEvent(0x12, 0x20, 2)).toBeUndefined();
  });

  it("have pointers of their writer's size", () => {
    const fields = kernelEvent(1, 12, 2)?.fields ?? [];
    expect(decodePacked(fields, bytes().u32(0x81234567).done(), 4).payload).toEqual({ Irp: 0x81234567 });
    const wide = bytes().u64(0xfffffa8301234567n).done();
    expect(decodePacked(fields, wide, 8).payload).toEqual({ Irp: 0xfffffa8301234567n });
  });

  it('have network addresses and ports in network order', () => {
    const payload = bytes()
      .u32(4)
      .u32(173)
      .raw([239, 255, 255, 250, 10, 128, 0, 117, 0x07, 0x6c, 0xec, 0x19])
      .u32(0)
      .u64(0);
    expect(decodePacked(kernelEvent(8, 11, 2)?.fields ?? [], payload.done(), 8).payload).toEqual({
      PID: 4,
      size: 173,
      daddr: '239.255.255.250',
      saddr: '10.128.0.117',
      dport: 1900,
      sport: 60441,
      seqnum: 0,
      connid: 0n,
    });
  });

  it('with stacks have as many frames as the payload', () => {
    const payload = bytes().u64(99).u32(7).u32(8).u64(0x1000).u64(0x2000).done();
    expect(decodePacked(kernelEvent(24, 32, 2)?.fields ?? [], payload, 8).payload).toEqual({
      EventTimeStamp: 99n,
      StackProcess: 7,
      StackThread: 8,
      Stack: [0x1000n, 0x2000n],
    });
  });
});
