/** What becomes of files that are whole: tables, however often it is begun again. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentCounters } from '../../lib/agent/agent-counters.ts';
import { DiskBudget } from '../../lib/agent/disk-budget.ts';
import { removePartialTables, Shipping } from '../../lib/agent/shipping.ts';
import type { SpanShipping } from '../../lib/agent/span-shipping.ts';
import { filesOf, readHyparquet } from '../view/parquet/parquet-folder.ts';
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
  readonly send?: SpanShipping['send'];
}

/** Ships a file with ten events, to its end. */
async function ship(options: ShipOptions = {}) {
  const { keepNettrace = false, limit = 1e9, bytes = new AgentTrace().section('A', 10) } = options;
  const { send } = options;
  const spans = send && ({ send } as SpanShipping);
  const path = join(folder, 'shop@7-all-1.nettrace');
  writeFileSync(path, bytes);
  const tables = join(folder, 'parquet');
  const counters = new AgentCounters();
  const disk = new DiskBudget([folder], { limit, whenFull: 'refuseNew' }, counters);
  const said: string[] = [];
  const parquet = { folder: tables, keepNettrace };
  const shipping = new Shipping({ parquet, disk, counters, say: (sentence) => said.push(sentence) });
  shipping.add({ path, size: bytes.length, service: 'shop', spans });
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
    const sent: [boolean, string][] = [];
    const send = async (path: string, service: string) => void sent.push([existsSync(path), service]);
    const { path, tables } = await ship({ send });
    expect(sent).toEqual([[true, 'shop']]);
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
