/** The agent on live programs for as long as one likes: it has every event, and what that costs it does not grow. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linuxOnly, named } from '../platforms.ts';
import { isSoak, showSoak, soakFor } from '../soak.ts';
import { eventsInAll, Fleet } from './fleet.ts';

const { seconds, timeout } = soakFor(2);
const PROCESSES = isSoak ? 200 : 4;
/** Programs that start at the same time. */
const STARTING = 4;
/** Events per second and program. */
const RATE = 100;

const notHere = linuxOnly('/proc, where the agent finds the processes of containers');

describe.skipIf(notHere !== undefined)(named('the agent under load', notHere), { timeout }, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = new Fleet();
    while (fleet.programs.length < PROCESSES) await fleet.start(STARTING, RATE);
  }, timeout);
  afterAll(() => fleet?.end());

  it('has every event of all programs in a whole file', async () => {
    const agent = await fleet.collect();
    await fleet.until('attached_processes', PROCESSES);
    await sleep(seconds * 1000);
    const { cpu_seconds_total: cpuSeconds = 0 } = await fleet.metrics();
    const status = readFileSync(`/proc/${agent.processId}/status`, 'utf8');
    const peakMB = Number(/^VmHWM:\s*(\d+)/m.exec(status)?.[1]) / 1000;
    const { sent } = await fleet.endAgent();
    const cost = { percent: (100 * cpuSeconds) / seconds, usPerEvent: (1e6 * cpuSeconds) / sent, peakMB };
    showSoak(`the agent on ${PROCESSES} programs`, { sent, ...cost });
    expect(sent).toBeGreaterThan(0);
    expect(await eventsInAll(fleet.traces)).toEqual({ events: sent, lost: 0 });
    expect(fleet.partial).toEqual([]);
  });
});
