/**
 * The log read by Tx's own tests on Windows, with the results of Windows' consumer API. Source: Tx (LINQ to logs and
 * traces), Tx.Windows.Tests.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../../lib/trace/trace-event.ts';
import { dataFolder, SKIP_REASON } from '../../conformance/data-folder.ts';
import { type ReadTrace, readEtl } from './read-etl.ts';

const path = join(dataFolder ?? '', 'etl', 'HTTP_Server.etl');
const isThere = dataFolder !== undefined && existsSync(path);

describe.skipIf(!isThere)(`HTTP_Server.etl (${SKIP_REASON})`, () => {
  let trace: ReadTrace;
  let manifest: string;
  let first: TraceEvent;

  beforeAll(async () => {
    manifest = readFileSync(path.replace(/\.etl$/, '.man'), 'utf8');
    trace = await readEtl(readFileSync(path), [manifest]);
    first = trace.events[0] as TraceEvent;
  });

  it('has 2041 events', () => {
    expect(trace.error).toBeUndefined();
    expect(trace.events.length).toBe(2041);
  });

  it('starts with the event that is first in time, from the middle of the file', () => {
    expect(first).toMatchObject({
      providerGuid: 'dd5ef90a-6398-47a4-ad34-4dcecdef795f',
      id: 21,
      version: 0,
      channel: 16,
      level: 4,
      opcode: 28,
      task: 4,
      keywords: 0x8000_0000_0000_0010n,
      activityId: '00000100-0000-0003-193d-42fb30bbcb01',
      processId: 0,
      threadId: 0,
      processor: 3,
    });
    expect(first.payloadBytes.length).toBe(72);
    // FILETIME 129402940472257591.
    expect(first.timestamp).toBe((129_402_940_472_257_591n - 116_444_736_000_000_000n) * 100n);
  });

  it('has as many requests as were parsed and sent', () => {
    const count = (id: number) => trace.events.filter((event) => event.id === id).length;
    expect([count(2), count(12)]).toEqual([291, 289]);
  });

  it('is described by its manifest', () => {
    const parse = trace.events.find(({ id }) => id === 2);
    expect(parse).toMatchObject({ provider: 'Microsoft-Windows-HttpService', payloadProblem: undefined });
    expect(parse?.payload).toEqual({
      RequestObj: 18_446_738_026_454_074_672n,
      HttpVerb: 4,
      Url: 'http://georgis2:80/windir.txt',
    });
  });

  it('has messages formatted by its manifest', () => {
    const parse = trace.events.find(({ id }) => id === 2);
    expect(parse?.message).toBe(
      'Parsed request (request pointer 0xfffffa80037c4530, method 4) with URI http://georgis2:80/windir.txt.',
    );
  });
});
