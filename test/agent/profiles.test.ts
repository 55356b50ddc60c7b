/** Rules with profiles: samples for a part of each interval, in files of pprof, from live programs. */
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkOtlpProfiles, NO_DECODER } from '../export/otlp-profiles-rules.ts';
import { checkPprof, NO_PPROF } from '../export/pprof-rules.ts';
import { linuxOnly, named } from '../platforms.ts';
import { Fleet, PROVIDER } from './fleet.ts';

/** Events in a second: enough for samples. */
const RATE = 10_000;
const NS_PER_MS = 1e6;
/** Of the fleet's program. */
const EVENTS_PER_REQUEST = 10;
/** Processes and the agent take their time on a busy machine. */
const WAIT = { timeout: 60_000, interval: 50 };

const noPprof =
  linuxOnly('/proc, where the agent finds the processes of containers') ?? NO_PPROF ?? NO_DECODER;
let fleet: Fleet;

/** What a collector of OpenTelemetry gets: profiles in the protocol, and the ids of spans, in JSON. */
async function startCollector(protocol: string) {
  const received: Buffer[] = [];
  const spans: string[] = [];
  const collector = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts);
    if (request.url === '/v1development/profiles') received.push(body);
    else for (const [, id = ''] of String(body).matchAll(/"spanId":"(\w{16})"/g)) spans.push(id);
    response.setHeader('content-type', 'application/json').end(protocol === 'http/json' ? '{}' : '');
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  return { url, received, spans, close: () => new Promise((resolve) => collector.close(resolve)) };
}

const profiles = () => {
  const folder = join(fleet.folder, 'profiles');
  return readdirSync(folder).map((name) => join(folder, name));
};

describe.skipIf(noPprof !== undefined)(named("the agent's profiles", noPprof), { timeout: 120_000 }, () => {
  beforeAll(async () => {
    fleet = new Fleet();
    await fleet.start(2, RATE, { OTEL_SERVICE_NAME: 'shop' });
  });
  afterEach(() => fleet.reset());
  afterAll(() => fleet.end());

  it('cover the duration of each interval, have activities, and take the place of the traces', async () => {
    await fleet.collect({}, { profile: { intervalMs: 8000, durationMs: 1000 }, file: { maxAgeMs: 100 } });
    await vi.waitFor(
      async () => expect((await fleet.metrics()).profiles_written_total).toBeGreaterThanOrEqual(4),
      WAIT,
    );
    const { status } = await fleet.endAgent();
    expect(status).toBe(0);
    expect(fleet.traces).toEqual([]);
    expect(profiles().length).toBeGreaterThanOrEqual(4);
    const byProcess = new Map<string, bigint[]>();
    for (const path of profiles()) {
      const [, process = ''] = /^shop@(\d+)-fleet-\w+-1-stream\.pb\.gz$/.exec(basename(path)) ?? [];
      const { samples, timeNanos, durationNanos } = checkPprof(readFileSync(path));
      expect(durationNanos / NS_PER_MS).toBeLessThan(6000);
      expect(samples.every(({ labels }) => labels.process_id === process)).toBe(true);
      expect(samples.some(({ labels }) => labels.activity === `${PROVIDER}/Request`)).toBe(true);
      byProcess.set(process, [...(byProcess.get(process) ?? []), timeNanos]);
    }
    expect(byProcess.size).toBe(2);
    for (const times of byProcess.values()) {
      const [first = 0n, second = 0n] = times.sort((a, b) => Number(a - b));
      expect(Number(second - first) / NS_PER_MS).toBeGreaterThan(6000);
    }
  });

  it('ask for nothing between two of them', async () => {
    await fleet.collect({}, { profile: { intervalMs: 3_600_000, durationMs: 500 } });
    await fleet.until('profiles_written_total', 2);
    const sessions = 'sessions{rule="fleet"}';
    await vi.waitFor(async () => expect(await fleet.metrics()).toMatchObject({ [sessions]: 0 }), WAIT);
    expect(await fleet.metrics()).toMatchObject({ attached_processes: 2, processes_missed_total: 0 });
    await fleet.report();
    // The programs write only while somebody listens.
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await fleet.report()).toBe(0);
    expect((await fleet.endAgent()).status).toBe(0);
  });

  it('end with their process, between two of them or in one', async () => {
    await fleet.start(1, RATE, { OTEL_SERVICE_NAME: 'short' });
    await fleet.collect({}, { profile: { intervalMs: 1000, durationMs: 500 } });
    await fleet.until('profiles_written_total', 3);
    fleet.programs.pop()?.kill();
    await vi.waitFor(
      async () => expect(await fleet.metrics()).toMatchObject({ attached_processes: 2 }),
      WAIT,
    );
    expect((await fleet.metrics())['errors_total{kind="profile"}']).toBe(0);
  });

  it.each(['http/json', 'http/protobuf'])(
    'go to a collector as well, linked to the spans that go there, by %s',
    async (protocol) => {
      const { url, received, spans, close } = await startCollector(protocol);
      vi.stubEnv('OTEL_EXPORTER_OTLP_PROFILES_PROTOCOL', protocol);
      // The programs are in a request for some milliseconds of each second.
      await fleet.collect({ otlp: { url } }, { profile: { intervalMs: 3_600_000, durationMs: 5000 } });
      vi.unstubAllEnvs();
      await fleet.until('profiles_sent_total', 2);
      await fleet.until('profiles_written_total', 2);
      expect((await fleet.endAgent()).status).toBe(0);
      await close();
      const seen = received.flatMap((body) =>
        checkOtlpProfiles(protocol === 'http/json' ? String(body) : body),
      );
      expect(seen.map(({ resource }) => resource['service.name'])).toEqual(['shop', 'shop']);
      for (const { samples } of seen) {
        const linked = samples.flatMap(({ link }) => link?.spanId ?? []);
        expect(linked.length).toBeGreaterThan(0);
        expect(linked.filter((id) => !spans.includes(id))).toEqual([]);
      }
    },
  );

  it('go to a collector for one rule, where another rule sends the spans', async () => {
    const { url, received, spans, close } = await startCollector('http/json');
    const match = { environment: { TMPDIR: fleet.ports } };
    const rules = [
      { name: 'spans', providers: PROVIDER, match },
      { name: 'profiles', providers: PROVIDER, match, profile: { intervalMs: 3_600_000, durationMs: 1000 } },
    ];
    vi.stubEnv('OTEL_EXPORTER_OTLP_PROFILES_PROTOCOL', 'http/json');
    await fleet.collect({ otlp: { url }, rules });
    vi.unstubAllEnvs();
    await fleet.until('profiles_sent_total', 2);
    const { status, sent } = await fleet.endAgent();
    await close();
    expect(status).toBe(0);
    const seen = received.flatMap((body) => checkOtlpProfiles(String(body)));
    expect(seen.map(({ resource }) => resource['service.name'])).toEqual(['shop', 'shop']);
    // Their ids as spans are derived in the other session.
    for (const { samples } of seen) expect(samples.filter(({ link }) => link !== undefined)).toEqual([]);
    // The rule with profiles has the same activities, and sends none of them again.
    expect(spans.length).toBeGreaterThan(0);
    expect(spans.length).toBeLessThanOrEqual(sent / EVENTS_PER_REQUEST);
  });

  it('are made of the traces that a killed agent has left', async () => {
    const rule = { profile: { intervalMs: 3_600_000, durationMs: 60_000 } };
    const first = await fleet.collect({}, rule);
    await fleet.until('events_received_total{rule="fleet"}', 1000);
    await new Promise((resolve) => setTimeout(resolve, 500));
    first.kill();
    await first.end();
    const half = join(fleet.folder, 'profiles', 'shop@1-fleet-1.pb.gz.0123456789ab.partial');
    writeFileSync(half, 'half');
    expect(fleet.partial.length).toBeGreaterThan(0);
    await fleet.collect({}, rule);
    await fleet.until('files_salvaged_total', 1);
    await fleet.until('profiles_written_total', 1);
    expect(profiles()).not.toContain(half);
    const whole = profiles().filter((path) => path.endsWith('.pb.gz'));
    for (const path of whole) checkPprof(readFileSync(path));
  });
});
