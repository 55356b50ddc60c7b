import { describe, expect, it } from 'vitest';
import {
  type Bytes,
  fileBytes,
  finishedRound,
  ids,
  pipeBytes,
  record,
} from '../../wire/perf-data/file-bytes.ts';
import { readBytes } from './read.ts';

const withTime = (type: number, timeNs: bigint, fill: (body: Bytes) => void) =>
  record(true, type, (body) => {
    fill(body);
    body.pad(8);
    ids(body, timeNs);
  });
const comm = (timeNs: bigint, pid: number, name: string) =>
  withTime(3, timeNs, (body) => body.u32(pid).u32(pid).text(`${name}\0`));
const fork = (timeNs: bigint, pid: number, parent: number) =>
  withTime(7, timeNs, (body) => body.u32(pid).u32(parent).u32(pid).u32(parent).u64(timeNs));
const round = finishedRound(true);

async function namesOf(...records: readonly Uint8Array[]): Promise<Record<number, string>> {
  const [inFile, piped] = [await readBytes(fileBytes({ records })), await readBytes(pipeBytes({ records }))];
  const names = Object.fromEntries(inFile.progress.processNames);
  expect(Object.fromEntries(piped.progress.processNames)).toEqual(names);
  return names;
}

describe('process names in a perf.data', () => {
  it('are the last ones in time, even if an earlier start follows', async () => {
    const names = await namesOf(comm(1n, 5, 'sh'), comm(5n, 8, 'node'), fork(3n, 8, 5), round);
    expect(names).toEqual({ 5: 'sh', 8: 'node' });
  });

  it('are inherited from a process whose own name follows', async () => {
    expect(await namesOf(fork(4n, 9, 6), comm(2n, 6, 'bash'), round)).toEqual({ 6: 'bash', 9: 'bash' });
  });

  it('are inherited as they are when a process starts, not as they become', async () => {
    const names = await namesOf(comm(1n, 5, 'sh'), round, comm(7n, 5, 'node'), round, fork(6n, 8, 5), round);
    expect(names).toEqual({ 5: 'node', 8: 'sh' });
  });
});
