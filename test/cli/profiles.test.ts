/** Profiles of a server that `tracewright collect` recorded, beside what `view --cpu` says of the same trace. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkCpuprofile } from '../export/cpuprofile-rules.ts';
import { checkOtlpProfiles, NO_DECODER } from '../export/otlp-profiles-rules.ts';
import { checkPprof, NO_PPROF, type ShownSample } from '../export/pprof-rules.ts';
import { Collector } from '../integrations/collector.ts';
import { named } from '../platforms.ts';
import { RunningCommand } from './run-tracewright.ts';

const SERVER = fileURLToPath(new URL('programs/profiled-server.mjs', import.meta.url));
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const BURN = 'programs/profiled-server.mjs.burnCpu';
/** Each test starts several processes, also on a machine under load. */
const TIMEOUT_MS = 120_000;
const folder = mkdtempSync(join(tmpdir(), 'tracewright-profiles-'));
const file = (name: string) => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true }));

async function run(...args: string[]) {
  const { status, stdout, stderr } = await new RunningCommand(args, {
    cwd: folder,
    env: { TMPDIR: folder },
  }).end();
  expect({ args, status, stderr }).toMatchObject({ status: 0 });
  return { stdout, stderr };
}

interface ViewRow {
  readonly name?: string;
  readonly self?: number;
  readonly total?: number;
  readonly activity?: string;
  readonly nobody?: string;
  readonly inside?: readonly string[];
  readonly selfMSec?: number;
}

let rows: readonly ViewRow[] = [];
const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
/** The time of the samples that a sentence is true of. */
const cpuOf = (samples: readonly ShownSample[], isWanted: (sample: ShownSample) => boolean) =>
  sum(samples.filter(isWanted).map(({ cpuNs }) => cpuNs));

const skipped = NO_PPROF ?? NO_DECODER;

describe.skipIf(skipped !== undefined)(
  named('profiles of a recorded server', skipped),
  {
    timeout: TIMEOUT_MS,
  },
  () => {
    beforeAll(async () => {
      await run('collect', '--cpu', '-o', 'server.nettrace', '--', process.execPath, SERVER);
      const { stdout } = await run('view', '--cpu', '--json', 'server.nettrace');
      rows = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    }, TIMEOUT_MS);

    /** In milliseconds, by activity. */
    const selfTimes = () => {
      const times = new Map<string | undefined, number>();
      for (const { activity, nobody, selfMSec = 0 } of rows) {
        if (activity === undefined && nobody === undefined) continue;
        times.set(activity, (times.get(activity) ?? 0) + selfMSec);
      }
      return times;
    };

    it('have in pprof the times of activities and the shares of functions that view --cpu shows', async () => {
      await run('export', 'server.nettrace', '-o', 'server.pb.gz');
      const { samples } = checkPprof(readFileSync(file('server.pb.gz')));
      for (const [activity, msec] of selfTimes()) {
        const ns = cpuOf(samples, ({ labels }) => labels.activity === activity);
        expect([activity, Math.abs(ns / 1e6 - msec) < 0.01]).toEqual([activity, true]);
      }
      const functions = rows.filter(({ self }) => self !== undefined);
      const all = sum(functions.map(({ self = 0 }) => self));
      const counted = sum(samples.map(({ count }) => count));
      expect(Math.abs(counted - all)).toBeLessThanOrEqual(1);
      const of = (isWanted: (sample: ShownSample) => boolean) =>
        sum(samples.filter(isWanted).map(({ count }) => count));
      // pprof has whole samples: of some hundreds, a few are counted for a neighbour in the tree of calls.
      for (const { name = '', self = 0, total = 0 } of functions) {
        const shares = [
          (of((each) => each.functions[0] === name) - self) / all,
          (of((each) => each.functions.includes(name)) - total) / all,
        ];
        expect([name, ...shares.map((share) => Math.abs(share) < 0.03)]).toEqual([name, true, true]);
      }
    });

    it('have in pprof the route, the path and the ids of each request', async () => {
      await run('export', 'server.nettrace', '-o', 'server.pprof');
      const { samples, functions } = checkPprof(readFileSync(file('server.pprof')));
      expect([...functions].find((name) => name.startsWith(`${BURN} `))).toMatch(
        /profiled-server\.mjs:\d\d$/,
      );
      const { stdout } = await run('dump', '--json', '--event', 'RequestStart', 'server.nettrace');
      const requests = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
        .filter(({ payload }) => payload.pathAndQuery !== undefined);
      expect(requests).toHaveLength(20);
      const labelled = samples.filter(({ labels }) => labels.activity_path !== undefined);
      const inRequests = labelled.filter(({ labels }) => labels.route !== undefined);
      for (const { labels } of inRequests) {
        const path = `${labels.activity_path}/`;
        const request = requests.find(({ activityPath }) => path.startsWith(`${activityPath}/`));
        const kind = request?.payload.pathAndQuery === '/orders/17' ? 'orders' : 'users';
        expect(labels).toMatchObject({
          route: `GET /${kind}/:id`,
          trace_id: TRACE,
          span_id: request?.payload.spanId,
          activity: path === `${request?.activityPath}/` ? 'Node.Http/Request' : 'Profiled-Service/Price',
        });
      }
      // Three quarters of the requests' time, by the program.
      const orders = cpuOf(samples, ({ labels }) => labels.route === 'GET /orders/:id');
      const users = cpuOf(samples, ({ labels }) => labels.route === 'GET /users/:id');
      expect(orders).toBeGreaterThan(users);
    });

    it('have in a .cpuprofile the time of view --cpu, and the function where it is', async () => {
      await run('export', 'server.nettrace', '-o', 'server.cpuprofile');
      const { self, frames, durationUs } = checkCpuprofile(readFileSync(file('server.cpuprofile'), 'utf8'));
      const busyUs = durationUs - (self.get('(idle)') ?? 0);
      const wantedMs = sum([...selfTimes().values()]);
      // Each sample begins at a whole microsecond.
      expect(Math.abs(busyUs / 1000 - wantedMs) / wantedMs).toBeLessThan(0.01);
      const burn = frames.find(({ functionName }) => functionName === 'burnCpu');
      const source = readFileSync(SERVER, 'utf8').split('\n');
      expect(burn?.url).toBe(SERVER);
      expect(source[burn?.lineNumber ?? -1]?.slice(burn?.columnNumber)).toMatch(/^\(ms\)/);
    });

    it.each(['server.profiles.jsonl', 'server.profiles.pb'])(
      'have the same time in OTLP, as %s',
      async (name) => {
        await run('export', 'server.nettrace', '-o', name);
        const bytes = readFileSync(file(name));
        const [profile] = checkOtlpProfiles(name.endsWith('.pb') ? bytes : String(bytes));
        const ns = sum((profile?.samples ?? []).map(({ cpuNs }) => cpuNs));
        expect(Math.abs(ns / 1e6 - sum([...selfTimes().values()]))).toBeLessThan(0.1);
        expect(profile?.resource['service.name']).toBe('profiled-server.mjs');
        for (const { link, attributes } of profile?.samples ?? [])
          expect(link?.traceId).toBe(attributes['tracewright.route'] === undefined ? link?.traceId : TRACE);
      },
    );

    it.each(['direct.pb.gz', 'direct.cpuprofile', 'direct.profiles.jsonl'])(
      'are written by collect without a trace, as %s',
      async (name) => {
        const { stderr } = await run('collect', '-o', name, '--', process.execPath, SERVER, '3');
        expect(stderr).toMatch(new RegExp(`^Collected .* into ${name}\\. `));
        const bytes = readFileSync(file(name));
        const functions = name.endsWith('.gz')
          ? checkPprof(bytes).samples.map((sample) => sample.functions[0])
          : name.endsWith('.cpuprofile')
            ? checkCpuprofile(String(bytes)).frames.map(({ functionName }) => `${functionName}`)
            : checkOtlpProfiles(String(bytes))[0]?.samples.map((sample) => sample.functions[0]);
        expect(functions?.some((each) => each?.endsWith('burnCpu'))).toBe(true);
      },
    );

    it('go to a collector beside the spans, and link to them', async () => {
      const collector = await Collector.open();
      const { stderr } = await run(
        ...['collect', '--cpu', '--otlp', collector.url, '--', process.execPath, SERVER, '3'],
      );
      const of = (path: string) => collector.received.filter((each) => each.path === path);
      const profiles = of('/v1development/profiles').flatMap(({ body }) => checkOtlpProfiles(body));
      expect(stderr).toContain(`Sent 1 profile to ${collector.url}/v1development/profiles.`);
      const samples = profiles.flatMap((profile) => profile.samples);
      const spans = Buffer.concat(of('/v1/traces').map(({ body }) => body));
      const links = samples.flatMap(({ link }) => (link === undefined ? [] : [link]));
      expect(links.length).toBeGreaterThan(0);
      for (const { spanId } of links) expect(spans.includes(Buffer.from(spanId, 'hex'))).toBe(true);
      await collector.close();
    });

    it('are refused by a collector that takes only spans, which is an error', async () => {
      const collector = await Collector.open();
      collector.answer = (response, { path }) => response.writeHead(path === '/v1/traces' ? 200 : 404).end();
      const { stderr } = await new RunningCommand(
        ['collect', '--cpu', '--otlp', collector.url, '--', process.execPath, SERVER, '1'],
        { cwd: folder, env: { TMPDIR: folder } },
      ).end();
      expect(stderr).toContain(
        `Profiles were not sent (1 refused). ${collector.url} answered with status 404.`,
      );
      await collector.close();
    });
  },
);
