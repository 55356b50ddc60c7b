/**
 * The agent on live programs for as long as one likes: it has every event, and what that costs it does not grow; nor do
 * hostile processes among them change that.
 */
import type { ChildProcess } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { linuxOnly, named } from '../platforms.ts';
import { isSoak, showSoak, soakFor } from '../soak.ts';
import { AgentTrace } from './agent-trace.ts';
import { eventsInAll, Fleet, PROVIDER } from './fleet.ts';

const { seconds, timeout } = soakFor(2);
const PROCESSES = isSoak ? 200 : 4;
/** Programs that start at the same time. */
const STARTING = 4;
/** Events per second and program. */
const RATE = 100;
const HOSTILE = 12;
/** Of what they send without a sequence point. */
const MEGABYTES = 60;
/** The system lets a text be this long, and all of them together 2 MB. */
const LONGEST_TEXT = 120_000;
const TEXTS = 8;
const ANSWER_MS = 1000;
const PAUSE_MS = 50;
const MAX_PEAK_MB = 900;

const notHere = linuxOnly('/proc, where the agent finds the processes of containers');

describe.skipIf(notHere !== undefined)(named('the agent under load', notHere), { timeout }, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = new Fleet();
    while (fleet.programs.length < PROCESSES) await fleet.start(STARTING, RATE);
  }, timeout);
  afterEach(() => fleet.reset());
  afterAll(() => fleet?.end());

  it('has every event of all programs in a whole file', async () => {
    const agent = await fleet.collect();
    await fleet.until('attached_processes', PROCESSES);
    await sleep(seconds * 1000);
    const { cpu_seconds_total: cpuSeconds = 0 } = await fleet.metrics();
    const peakMB = peakOf(agent.processId);
    const { sent } = await fleet.endAgent();
    const cost = { percent: (100 * cpuSeconds) / seconds, usPerEvent: (1e6 * cpuSeconds) / sent, peakMB };
    showSoak(`the agent on ${PROCESSES} programs`, { sent, ...cost });
    expect(sent).toBeGreaterThan(0);
    expect(await eventsInAll(fleet.traces)).toEqual({ events: sent, lost: 0 });
    expect(fleet.partial).toEqual([]);
  });

  it('answers at once beside hostile processes, and has every event of the others', async () => {
    const hostile = await startHostile(fleet);
    try {
      const all = { TMPDIR: fleet.ports };
      const texts = Array.from({ length: TEXTS }, (_, n) => [
        `BAIT${n}`,
        n === TEXTS - 1 ? '*a*b*c*' : '*a*a*',
      ]);
      const rules = [
        { name: 'fleet', providers: PROVIDER, match: { environment: all } },
        // Nothing matches: it only takes time to find out.
        {
          name: 'bait',
          providers: PROVIDER,
          match: { environment: { ...all, ...Object.fromEntries(texts) } },
        },
      ];
      const agent = await fleet.collect({ rules });
      // Those that never answer have no session.
      await fleet.until('attached_processes', PROCESSES);
      const { answers, slowestMs, heldMs } = await ask(fleet);
      const metrics = await fleet.metrics();
      const peakMB = peakOf(agent.processId);
      const { sent, written } = await fleet.endAgent();
      showSoak(`beside ${HOSTILE} hostile processes`, { answers, slowestMs, heldMs, peakMB, sent, metrics });
      expect(heldMs).toBeLessThan(ANSWER_MS);
      expect(peakMB).toBeLessThan(MAX_PEAK_MB);
      expect(written).toBeGreaterThanOrEqual(sent);
      expect((await eventsInAll(fleet.traces)).events).toBe(sent);
    } finally {
      for (const child of hostile) child.kill('SIGKILL');
    }
  });
});

function peakOf(processId: number): number {
  const status = readFileSync(`/proc/${processId}/status`, 'utf8');
  return Number(/^VmHWM:\s*(\d+)/m.exec(status)?.[1]) / 1000;
}

/** As many of each kind. */
async function startHostile(fleet: Fleet): Promise<ChildProcess[]> {
  const [trace, file] = [new AgentTrace(), join(fleet.root, 'endless.nettrace')];
  for (let megabyte = 0; megabyte < MEGABYTES; megabyte++) {
    appendFileSync(file, trace.part('Endless', 1000, new Uint8Array(1000)), { mode: 0o644 });
  }
  const texts = Array.from({ length: TEXTS }, (_, n) => [`BAIT${n}`, 'a'.repeat(LONGEST_TEXT)]);
  const env = { TRACE: file, ...Object.fromEntries(texts) };
  const kinds = Array.from({ length: HOSTILE / 3 }, () => ['silent', 'endless', 'wordy'] as const).flat();
  return Promise.all(kinds.map((kind) => fleet.startHostile(kind, env)));
}

/** Asks for the metrics again and again. @returns the longest time of an answer, and of one that the agent held up itself */
async function ask(fleet: Fleet) {
  let [answers, slowestMs, heldMs, cpuBefore] = [0, 0, 0, 0];
  let hasRefused = false;
  // At least until the first of them has sent too much.
  for (const end = performance.now() + seconds * 1000; performance.now() < end || !hasRefused; answers++) {
    const asked = performance.now();
    const { cpu_seconds_total: cpuSeconds = 0, ...metrics } = await fleet.metrics();
    hasRefused = (metrics['errors_total{kind="session"}'] ?? 0) > 0;
    const took = performance.now() - asked;
    slowestMs = Math.max(slowestMs, took);
    // On a busy machine, the agent may wait for a processor.
    if (answers > 0) heldMs = Math.max(heldMs, Math.min(took, 1000 * (cpuSeconds - cpuBefore)));
    cpuBefore = cpuSeconds;
    await sleep(PAUSE_MS);
  }
  return { answers, slowestMs, heldMs };
}
