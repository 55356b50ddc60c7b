/** What processes share: the disk and the memory of the agent. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentCounters } from '../../lib/agent/agent-counters.ts';
import { DiskBudget } from '../../lib/agent/disk-budget.ts';
import { MemoryBudget, type Ring } from '../../lib/agent/memory-budget.ts';
import { sparingly } from '../../lib/agent/notices.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tracewright-budgets-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the disk', () => {
  const files = () => readdirSync(folder).sort();

  /** A budget for ten files of 100 bytes, and so many processes. */
  function budget(processes: number, whenFull: 'removeOldest' | 'refuseNew' = 'removeOldest') {
    const counters = new AgentCounters();
    counters.processes = processes;
    const disk = new DiskBudget([folder], { limit: 1000, whenFull }, counters);
    const write = (name: string): boolean => {
      const path = join(folder, name);
      if (!disk.take(path, 100)) return false;
      writeFileSync(path, 'x'.repeat(100));
      disk.release(path, 100);
      disk.add(path, 100);
      return true;
    };
    return { counters, write };
  }

  it('keeps the files of other processes, however much one writes', () => {
    const { counters, write } = budget(5);
    const others = ['a@1-r-1', 'b@2-r-1', 'c@3-r-1', 'd@4-r-1'];
    for (const name of others) write(name);
    for (let i = 100; i < 200; i++) write(`hog@5-r-${i}`);
    expect(files()).toEqual(expect.arrayContaining(others));
    expect(files()).toContain('hog@5-r-199');
    expect([files().length, counters.filesRemoved, counters.diskUsed]).toEqual([10, 94, 1000]);
  });

  it('makes room for a process from those that have more than their share', () => {
    const { write } = budget(2);
    for (let i = 0; i < 10; i++) write(`hog@1-r-${i}`);
    for (let i = 0; i < 5; i++) write(`late@2-r-${i}`);
    expect(files().filter((name) => name.startsWith('late'))).toHaveLength(5);
    expect(files()).toContain('hog@1-r-9');
  });

  it('belongs to a process that is alone, and the oldest goes first', () => {
    const { write } = budget(1);
    for (let i = 0; i < 12; i++) write(`app@1-r-${String(i).padStart(2, '0')}`);
    expect(files()[0]).toBe('app@1-r-02');
    expect(files()).toHaveLength(10);
  });

  it('has room for others where nothing is removed', () => {
    const { write } = budget(2, 'refuseNew');
    const written = (name: string) => Array.from({ length: 10 }, (_, i) => write(`${name}-r-${i}`));
    expect(written('hog@1').filter(Boolean)).toHaveLength(5);
    expect(written('late@2').filter(Boolean)).toHaveLength(2);
  });
});

describe('the memory', () => {
  it('is taken from the largest ring when it is used up, and then refused', () => {
    const counters = new AgentCounters();
    const said: string[] = [];
    const memory = new MemoryBudget(
      100,
      counters,
      sparingly((sentence) => said.push(sentence)),
    );
    const ringOf = (count: number): Ring => {
      const ring = {
        size: count * 10,
        dropOldest() {
          ring.size -= 10;
          memory.release(10);
        },
      };
      memory.add(ring);
      memory.take(ring.size);
      return ring;
    };
    const [small, large] = [ringOf(2), ringOf(8)];
    expect(memory.take(30)).toBe(true);
    expect([small.size, large.size]).toEqual([20, 50]);
    expect(said).toHaveLength(1);
    memory.remove(large);
    expect([memory.take(40), small.size]).toEqual([false, 0]);
    expect(counters.memoryUsed).toBe(80);
  });
});
