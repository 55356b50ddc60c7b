/** What becomes of files that are whole: tables, however often it is begun again. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentCounters } from '../../lib/agent/agent-counters.ts';
import { DiskBudget } from '../../lib/agent/disk-budget.ts';
import { MemoryBudget } from '../../lib/agent/memory-budget.ts';
import type { OtlpShipping } from '../../lib/agent/otlp-shipping.ts';
import { FileChain, removePartialTables, Shipping } from '../../lib/agent/shipping.ts';
import { TraceFile } from '../../lib/agent/trace-file.ts';
import { TraceSections } from '../../lib/agent/trace-sections.ts';
import type { OtlpFeed } from '../../lib/export/otlp-feed.ts';
import { filesOf, readHyparquet } from '../export/parquet/parquet-folder.ts';
import { AgentTrace } from './agent-trace.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tracewright-shipping-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

interface ShipOptions {
  readonly keepNettrace?: boolean;
  readonly limit?: number;
  readonly bytes?: Uint8Array;
  /** Takes spans. */
  readonly send?: OtlpShipping['send'];
}

/** Ships a file with ten events, to its end. */
async function ship(options: ShipOptions = {}) {
  const { keepNettrace = false, limit = 1e9, bytes = new AgentTrace().section('A', 10) } = options;
  const { send } = options;
  const spans = send && ({ send } as OtlpShipping);
  const path = join(folder, 'shop@7-all-1.nettrace');
  writeFileSync(path, bytes);
  const tables = join(folder, 'parquet');
  const counters = new AgentCounters();
  const disk = new DiskBudget([folder], { limit, whenFull: 'refuseNew' }, counters);
  const said: string[] = [];
  const say = (sentence: string) => said.push(sentence);
  const memory = new MemoryBudget(1e9, counters, say);
  const parquet = { folder: tables, keepNettrace };
  const shipping = new Shipping({ parquet, profiles: folder, disk, memory, counters, say });
  const chain = new FileChain({
    service: 'shop',
    resource: { 'service.name': 'shop' },
    spans,
    isProfile: false,
  });
  shipping.add({ path, size: bytes.length, chain });
  shipping.end(chain);
  await shipping.close(20_000);
  return { path, tables, counters, said, used: counters.diskUsed };
}

describe('a whole file', () => {
  it('becomes tables, and is removed', async () => {
    const { path, tables, counters } = await ship();
    expect(existsSync(path)).toBe(false);
    expect(await readHyparquet(tables, 'events')).toHaveLength(10);
    expect(filesOf(tables, 'events')[0]).toContain('/service=shop/shop@7-all-1-');
    expect(counters.parquetFiles).toBe(filesOf(tables).length);
    expect(counters.shipping).toBe(0);
  });

  it('has the same tables when an agent that was killed had made them already', async () => {
    const { tables, used } = await ship();
    const before = filesOf(tables);
    mkdirSync(join(tables, '.partial'));
    writeFileSync(join(tables, '.partial', 'half.parquet'), 'PAR1');
    removePartialTables(tables);
    const again = await ship();
    expect(filesOf(tables)).toEqual(before);
    expect(await readHyparquet(tables, 'events')).toHaveLength(10);
    expect(again.used).toBe(used);
  });

  it('goes to the collector first, if a trigger had it written', async () => {
    const sent: [boolean, object][] = [];
    const send: OtlpShipping['send'] = async (path, resource) => {
      sent.push([existsSync(path), resource]);
      return { close: () => {} } as OtlpFeed;
    };
    const { path, tables } = await ship({ send });
    expect(sent).toEqual([[true, { 'service.name': 'shop' }]]);
    expect([existsSync(path), filesOf(tables, 'events').length]).toEqual([false, 1]);
    const failed = await ship({ send: () => Promise.reject(new Error('No way.')) });
    expect([existsSync(failed.path), failed.counters.errors.get('otlp')]).toEqual([true, 1]);
  });

  it('stays beside its tables if that is wanted', async () => {
    const { path, tables } = await ship({ keepNettrace: true });
    expect(existsSync(path)).toBe(true);
    expect(filesOf(tables, 'events')).toHaveLength(1);
  });

  it('stays when there is no room for its tables, or when it cannot be read', async () => {
    const full = await ship({ limit: 10_000 });
    expect(existsSync(full.path)).toBe(true);
    expect(full.said).toEqual([
      `${full.path} cannot be shipped: the disk budget has no room for its tables.`,
    ]);
    const broken = await ship({ bytes: Buffer.from('It is no trace.') });
    expect(existsSync(broken.path)).toBe(true);
    expect(broken.counters.errors.get('parquet')).toBe(1);
    expect(readdirSync(folder)).toEqual(['shop@7-all-1.nettrace']);
  });
});

describe('the files of a session', () => {
  const id = (n: number) => `${String(n).padStart(8, '0')}-0000-0000-0000-00000000abcd`;
  /** Requests that stop in the section in which they start, in the next, after two more, and never. */
  const sections = (): Buffer[] => {
    const trace = new AgentTrace();
    return [
      trace.boundaries([
        ['RequestStart', id(1)],
        ['QueryStart', id(1)],
        ['RequestStart', id(2)],
        ['RequestStop', id(2)],
      ]),
      trace.boundaries([
        ['RequestStart', id(3)],
        ['QueryStop', id(1)],
        ['RequestStart', id(4)],
      ]),
      trace.section('Other', 5),
      trace.boundaries([
        ['RequestStop', id(3)],
        ['RequestStop', id(1)],
      ]),
    ];
  };

  /** Ships a file for each so many sections. */
  async function shipped(perFile: number) {
    const traces = mkdtempSync(join(folder, 'traces-'));
    const counters = new AgentCounters();
    const memory = new MemoryBudget(1e9, counters, () => {});
    const disk = new DiskBudget([traces], { limit: 1e9, whenFull: 'refuseNew' }, counters);
    const tables = join(traces, 'parquet');
    const parquet = { folder: tables, keepNettrace: false };
    const shipping = new Shipping({
      parquet,
      profiles: folder,
      disk,
      memory,
      counters,
      say: expect.unreachable,
    });
    const source = {
      hostName: 'node1',
      podName: 'shop-7',
      agentRule: 'r',
      resourceAttributes: '{"service.version":"1.2"}',
    };
    const chain = new FileChain({
      service: 'shop',
      processName: 'shop.js',
      source,
      resource: {},
      spans: undefined,
      isProfile: false,
    });
    const parsed = new TraceSections();
    let file: TraceFile | undefined;
    let count = 0;
    const end = async () => {
      if (file === undefined) return;
      await file.commit();
      disk.add(file.path, file.size);
      shipping.add({ path: file.path, size: file.size, chain });
      file = undefined;
    };
    for (const { section } of parsed.push(Buffer.concat(sections()))) {
      file ??= new TraceFile(join(traces, `shop@7-r-${count}.nettrace`));
      file.append(section, 1);
      if (++count % perFile === 0) await end();
    }
    await end();
    shipping.end(chain);
    await shipping.close(20_000);
    expect([counters.memoryUsed, counters.shipping]).toEqual([0, 0]);
    return tables;
  }

  const activities = async (tables: string) => {
    const rows = await readHyparquet(tables, 'activities');
    return rows
      .map(({ name, seq, parent_seq, dur_ns, self_ns, state }) => ({
        name,
        seq,
        parent_seq,
        dur_ns,
        self_ns,
        state,
      }))
      .sort((a, b) => Number(a.seq) - Number(b.seq));
  };

  it('have each activity once and whole, however they are cut', async () => {
    const whole = await activities(await shipped(4));
    expect(whole.map(({ state }) => state)).toEqual(['stopped', 'stopped', 'stopped', 'stopped', 'open']);
    expect(whole[0]).toMatchObject({ name: 'Request', dur_ns: 8_000_005n, parent_seq: null });
    expect(whole[1]).toMatchObject({ name: 'Query', parent_seq: 0n });
    for (const perFile of [1, 2, 3]) expect(await activities(await shipped(perFile))).toEqual(whole);
  });

  it('are one trace in the tables, which say whose it is', async () => {
    const tables = await shipped(1);
    for (const table of ['events', 'activities', 'processes', 'losses']) {
      const rows = await readHyparquet(tables, table);
      expect(rows.length).toBeGreaterThan(0);
      expect(new Set(rows.map(({ trace }) => trace)).size).toBe(1);
      expect(rows[0]).toMatchObject({
        host_name: 'node1',
        pod_name: 'shop-7',
        agent_rule: 'r',
        container_id: null,
      });
      expect(rows[0]).toMatchObject({ resource_attributes: '{"service.version":"1.2"}' });
    }
    expect(await readHyparquet(tables, 'processes')).toEqual([
      expect.objectContaining({ pid: 7n, name: 'shop.js' }),
    ]);
    expect(filesOf(tables, 'events')).toHaveLength(4);
  });
});
