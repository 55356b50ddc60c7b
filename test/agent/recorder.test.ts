/** What becomes of a session's sections: files that are whole at any time, rings, and limits. */
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AgentCounters } from '../../lib/agent/agent-counters.ts';
import { salvageFolder } from '../../lib/agent/agent-folder.ts';
import { DiskBudget } from '../../lib/agent/disk-budget.ts';
import { MemoryBudget } from '../../lib/agent/memory-budget.ts';
import { Recorder } from '../../lib/agent/recorder.ts';
import { readAgentSettings } from '../../lib/agent/settings/agent-settings.ts';
import { TraceSections } from '../../lib/agent/trace-sections.ts';
import { AgentTrace, readEvents } from './agent-trace.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tracewright-agent-'));
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 1e12 });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

const whole = () => readdirSync(folder).filter((name) => name.endsWith('.nettrace'));
const partial = () => readdirSync(folder).filter((name) => !name.endsWith('.nettrace'));

const eventsIn = (name = '') => readEvents(join(folder, name));

class Recording {
  readonly counters = new AgentCounters();
  readonly trace = new AgentTrace();
  readonly files: string[] = [];
  gaps = 0;
  readonly said: string[] = [];
  readonly disk: DiskBudget;
  readonly recorder: Recorder;
  readonly #sections = new TraceSections();

  constructor(
    rule: object,
    limit = 1e6,
    whenFull: 'removeOldest' | 'refuseNew' = 'removeOldest',
    memoryLimit = 1e9,
  ) {
    const json = JSON.stringify({ folder, rules: [{ name: 'r', providers: 'P', ...rule }] });
    const [settings] = readAgentSettings(json, 'a').rules;
    this.disk = new DiskBudget([folder], { limit, whenFull }, this.counters);
    this.recorder = new Recorder({
      rule: settings as NonNullable<typeof settings>,
      folder,
      name: 'app',
      disk: this.disk,
      memory: new MemoryBudget(memoryLimit, this.counters, () => {}),
      counters: this.counters,
      onFile: ({ path }) => this.files.push(path),
      onGap: () => this.gaps++,
      say: (sentence) => this.said.push(sentence),
    });
  }

  /** Its time is over. */
  async whenWhole(count: number): Promise<void> {
    later(1000);
    this.recorder.tick();
    await vi.waitFor(() => expect(this.files).toHaveLength(count));
  }

  /** A section comes. */
  take(name: string, count = 10, dropped = 0): void {
    for (const { section } of this.#sections.push(this.trace.section(name, count, dropped))) {
      this.recorder.take(section, count);
    }
  }
}

const later = (ms: number) => vi.advanceTimersByTime(ms);
/** As an administrator or a time server may, at any moment. */
const setBack = (ms: number) => vi.setSystemTime(Date.now() - ms);

describe('a stream', () => {
  it('becomes files, each a trace of its own with what describes its events', async () => {
    const recording = new Recording({ file: { maxAgeMs: 60000 } });
    recording.take('A');
    recording.take('B', 10, 5);
    later(60_000);
    recording.recorder.tick();
    recording.take('A', 20, 3);
    await recording.recorder.end();
    expect(whole()).toEqual([
      'app-20010909T014640000Z-1-stream.nettrace',
      'app-20010909T014740000Z-2-stream.nettrace',
    ]);
    expect(await eventsIn(whole()[0] ?? '')).toEqual({ events: { A: 10, B: 10 }, lost: 5 });
    expect(await eventsIn(whole()[1] ?? '')).toEqual({ events: { A: 20 }, lost: 3 });
    expect(recording.counters.written.get('r')).toBe(40);
    expect([recording.files.length, recording.gaps]).toEqual([2, 1]);
  });

  it('begins a new file in time although the clock goes back an hour', async () => {
    const recording = new Recording({ file: { maxAgeMs: 60000 } });
    recording.take('A');
    setBack(3_600_000);
    later(60_000);
    recording.recorder.tick();
    recording.take('B');
    await recording.recorder.end();
    expect(whole()).toEqual([
      'app-20010909T004740000Z-2-stream.nettrace',
      'app-20010909T014640000Z-1-stream.nettrace',
    ]);
  });

  it('has no file as long as it has no events', async () => {
    const recording = new Recording({});
    recording.take('A', 0);
    await recording.recorder.end();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('ends a file at its size', async () => {
    const recording = new Recording({ file: { maxBytes: 0.1e6 } });
    for (let i = 0; i < 30; i++) recording.take('A', 1000);
    await recording.recorder.end();
    expect(whole().length).toBeGreaterThan(2);
  });
});

describe('a file that is not whole', () => {
  it('is a trace after each section, and completed after a kill', async () => {
    const recording = new Recording({});
    recording.take('A');
    recording.take('B');
    expect(whole()).toEqual([]);
    expect(partial()).toHaveLength(1);
    expect(await eventsIn(partial()[0] ?? '')).toEqual({ events: { A: 10, B: 10 }, lost: 0 });
    expect(await salvageFolder(folder)).toBe(1);
    expect(await eventsIn(whole()[0] ?? '')).toEqual({ events: { A: 10, B: 10 }, lost: 0 });
    expect(partial()).toEqual([]);
  });

  it('loses at most its last section, wherever the kill came', async () => {
    const recording = new Recording({});
    recording.take('A');
    const [name = ''] = partial();
    const first = readFileSync(join(folder, name)).length;
    recording.take('B');
    const all = readFileSync(join(folder, name)).length;
    copyFileSync(join(folder, name), join(folder, 'copy'));
    for (let size = first; size < all; size += 7) {
      copyFileSync(join(folder, 'copy'), join(folder, 'x.nettrace.partial'));
      truncateSync(join(folder, 'x.nettrace.partial'), size);
      rmSync(join(folder, name), { force: true });
      await salvageFolder(folder);
      expect(await eventsIn('x.nettrace')).toMatchObject({ events: { A: 10 }, lost: 0 });
    }
  });

  it('is removed if it has no section, or is none of ours', async () => {
    writeFileSync(join(folder, 'a.nettrace.partial'), '');
    writeFileSync(join(folder, 'b.nettrace.partial'), 'what is this?');
    expect(await salvageFolder(folder)).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('the disk budget', () => {
  it('removes the oldest whole files for new ones', async () => {
    const recording = new Recording({ file: { maxAgeMs: 1000 } }, 20_000);
    for (let i = 1; i <= 5; i++) {
      recording.take('A', 1000);
      await recording.whenWhole(i);
    }
    expect(recording.counters.filesRemoved).toBeGreaterThan(0);
    expect(whole().at(-1)).toContain('-5-stream');
    expect(recording.counters.diskUsed).toBeLessThanOrEqual(20_000);
    expect(recording.counters.dropped.get('budget')).toBe(0);
  });

  it('refuses new events if that is wanted, and counts them', async () => {
    const recording = new Recording({ file: { maxAgeMs: 1000 } }, 30_000, 'refuseNew');
    for (let i = 0; i < 5; i++) {
      recording.take('A', 1000);
      later(1000);
    }
    await recording.recorder.end();
    const { dropped, written } = recording.counters;
    expect(dropped.get('budget')).toBeGreaterThan(0);
    expect(dropped.get('budget') + written.get('r')).toBe(5000);
    const events = await Promise.all(whole().map(eventsIn));
    expect(events.reduce((sum, { events: { A = 0 } }) => sum + A, 0)).toBe(written.get('r'));
    expect(partial()).toEqual([]);
  });

  it('counts the files that are there', async () => {
    writeFileSync(join(folder, 'old.nettrace'), 'x'.repeat(1000));
    const { counters } = new Recording({});
    expect(counters.diskUsed).toBe(1000);
  });

  it('does not lose what is whole when the folder is gone', async () => {
    const recording = new Recording({});
    rmSync(folder, { recursive: true });
    recording.take('A', 7);
    await recording.recorder.end();
    expect(recording.counters.dropped.get('disk')).toBe(7);
    expect(recording.said).toEqual([`${folder} cannot be written: ENOENT.`]);
  });
});

describe('a ring', () => {
  const ring = {
    collect: 'ring',
    durationMs: 2000,
    triggers: [{ type: 'failure' }],
    ring: { maxAgeMs: 10000 },
  };

  it('is written by a trigger, with what follows for some time', async () => {
    const recording = new Recording({ ...ring, ring: { maxAgeMs: 3000 } });
    recording.take('Old', 10);
    later(4000);
    recording.take('Before', 20);
    recording.recorder.trigger('failure');
    later(1000);
    recording.take('After', 5);
    later(2000);
    recording.take('Late', 9);
    recording.recorder.tick();
    await vi.waitFor(() => expect(whole()).toHaveLength(1));
    expect(whole()).toEqual(['app-20010909T014644000Z-1-failure.nettrace']);
    expect(await eventsIn(whole()[0] ?? '')).toEqual({ events: { Before: 20, After: 5 }, lost: 0 });
    expect(recording.gaps).toBe(1);
    const { counters } = recording;
    expect([counters.unused.get('r'), counters.held, counters.written.get('r')]).toEqual([10, 9, 25]);
    await recording.recorder.end();
    expect([counters.unused.get('r'), counters.held, counters.heldBytes]).toEqual([19, 0, 0]);
  });

  it('takes no more memory than it may', async () => {
    const recording = new Recording({ ...ring, ring: { maxBytes: 0.1e6 } });
    for (let i = 0; i < 100; i++) recording.take('A', 1000);
    expect(recording.counters.heldBytes).toBeLessThanOrEqual(1e5);
    expect(recording.counters.held + recording.counters.unused.get('r')).toBe(100_000);
  });

  it('shares the memory of all rings: the largest makes room', () => {
    const recording = new Recording({ ...ring, ring: { maxBytes: 10e6 } }, 1e6, 'refuseNew', 1e5);
    for (let i = 0; i < 100; i++) recording.take('A', 1000);
    const { counters } = recording;
    expect(counters.memoryUsed).toBeLessThanOrEqual(1e5);
    expect(counters.memoryUsed).toBe(counters.heldBytes);
    expect(counters.held).toBeGreaterThan(1000);
    expect(counters.held + counters.unused.get('r')).toBe(100_000);
  });

  it('is written as often as its limits allow', async () => {
    const recording = new Recording({ ...ring, limits: { count: 3, perHour: 2 } });
    const trigger = () => {
      recording.take('A');
      recording.recorder.trigger('failure');
      recording.take('A');
      later(5000);
      recording.recorder.tick();
    };
    for (let i = 0; i < 3; i++) trigger();
    expect([recording.counters.triggers.get('r'), recording.counters.suppressed]).toEqual([2, 1]);
    later(3_600_000);
    for (let i = 0; i < 3; i++) trigger();
    expect([recording.counters.triggers.get('r'), recording.counters.suppressed]).toEqual([3, 3]);
    await recording.recorder.end();
    expect(whole()).toHaveLength(3);
  });

  it('does not begin again while it is being written', async () => {
    const recording = new Recording(ring);
    recording.take('A');
    recording.recorder.trigger('failure');
    recording.recorder.trigger('failure');
    expect([recording.counters.triggers.get('r'), recording.counters.suppressed]).toEqual([1, 0]);
    await recording.recorder.end();
  });
});

describe('a process', () => {
  it('cannot send what is no trace, or grows without end', async () => {
    const none = new TraceSections();
    expect(none.push(Buffer.from('Nettrace is what it says it is'))).toEqual([]);
    expect(none.fault).toMatchObject({ code: 'malformed' });
    const sections = new TraceSections();
    const trace = new AgentTrace();
    expect(sections.push(trace.section('A', 1))).toHaveLength(1);
    const payload = new Uint8Array(10_000);
    for (let i = 0; i < 200 && sections.fault === undefined; i++) {
      expect(sections.push(trace.part('B', 100, payload))).toEqual([]);
    }
    expect(sections.fault?.message).toContain('It has no sequence point in 64 MB.');
  });

  it('sends its bytes in pieces of any size', async () => {
    const trace = new AgentTrace();
    const bytes = Buffer.concat([trace.section('A', 10), trace.section('B', 10)]);
    for (const size of [1, 3, 64]) {
      const sections = new TraceSections();
      const ends: number[] = [];
      for (let at = 0; at < bytes.length; at += size) {
        for (const { end } of sections.push(bytes.subarray(at, at + size))) ends.push(at + end);
      }
      expect(ends).toEqual(new TraceSections().push(bytes).map(({ end }) => end));
      expect(ends.at(-1)).toBe(bytes.length);
    }
  });
});
