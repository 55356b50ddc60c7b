/** The answers to the twelve questions of docs/fleets.md, by what `view` makes of the traces instead of SQL. */
import { activityKey } from '../../lib/view/activity-key.ts';
import type { ActivityNode } from '../../lib/view/activity-tree.ts';
import { criticalPath } from '../../lib/view/critical-path.ts';
import type { FleetTrace } from './fleet.ts';

type Row = readonly (string | number | null)[];
type Fields = Readonly<Record<string, string | number>>;

/** An activity with its fields and the process it ran in. */
class Ran {
  readonly from: FleetTrace;
  readonly node: ActivityNode;
  readonly start: Fields;
  readonly stop: Fields;

  constructor(from: FleetTrace, node: ActivityNode) {
    this.from = from;
    this.node = node;
    this.start = (node.payload ?? {}) as Fields;
    this.stop = (node.stopPayload ?? {}) as Fields;
  }

  get ms(): number {
    return (this.node.activity.durationNs ?? 0) / 1e6;
  }

  get path(): string {
    return pathOf(this.node);
  }

  get hasFailed(): boolean {
    return Number(this.stop.statusCode) >= 500;
  }
}

function pathOf({ activity }: ActivityNode): string {
  return activityKey(activity.id, activity.processId)?.text ?? '';
}

function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil((percent * sorted.length) / 100) - 1] as number;
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const byColumn = (index: number) => (a: Row, b: Row) => Number(b[index]) - Number(a[index]);
const byText = (a: Row, b: Row) => (a.join('\n') < b.join('\n') ? -1 : 1);

export function fleetAnswers(fleet: readonly FleetTrace[]): Row[][] {
  const all = fleet.flatMap((from) => from.nodes.map((node) => new Ran(from, node)));
  const called = (name: string) => all.filter(({ node }) => node.activity.name === name);
  const isStopped = ({ node }: Ran) => node.activity.state === 'stopped';
  const requests = called('Node.Http/Request').filter(isStopped);
  const queries = called('Node.Database/Command').filter(isStopped);
  const events = fleet.flatMap((from) => from.events.map((event) => ({ from, event })));

  const byRoute = grouped(requests, ({ stop }) => String(stop.route));
  const durations = byRoute.map(([route, ran]): Row => {
    const ms = ran.map((each) => each.ms);
    return [route, ran.length, percentile(ms, 50), percentile(ms, 99), Math.max(...ms)];
  });

  const users = new Map(
    events
      .filter(({ event }) => event.name === 'SignedIn')
      .map(({ from, event }) => [`${from.trace} ${event.activityId}`, String(event.payload.user)]),
  );
  const failures = grouped(
    requests.filter(({ hasFailed }) => hasFailed),
    ({ from, node }) => users.get(`${from.trace} ${node.activity.id}`) ?? '',
  ).map(([user, ran]): Row => [user, ran.length]);

  const slowest = [...requests].sort((a, b) => b.ms - a.ms);
  const rates = grouped(requests, ({ from }) => `${from.service} ${from.date}`).map(([key, ran]): Row => {
    return [...key.split(' '), ran.length, ran.filter(({ hasFailed }) => hasFailed).length];
  });

  const made = byRoute.map(([route, ran]): Row => {
    const counts = ran.map(
      ({ node }) => node.children.filter(({ activity }) => activity.provider === 'Node.Database').length,
    );
    return [route, ran.length, sum(counts), Math.max(...counts)];
  });

  const byQuery = grouped(queries, ({ start }) => String(start.text)).map(([text, ran]): Row => {
    const ms = ran.map((each) => each.ms);
    return [text, ran.length, sum(ms), percentile(ms, 95)];
  });

  const sampled = fleet.flatMap(({ service, sampled }) => sampled.map(({ name }) => `${name}\n${service}`));
  const cpu = grouped(sampled, (key) => key).map(([key, samples]): Row => {
    return [...key.split('\n'), samples.length, samples.length];
  });

  const collections = grouped(
    events.filter(({ event }) => event.name === 'GarbageCollection'),
    ({ from, event }) => `${from.service}\n${event.payload.kind}`,
  ).map(([key, found]): Row => {
    const ms = found.map(({ event }) => Number(event.payload.durationMSec));
    return [...key.split('\n'), ms.length, sum(ms), Math.max(...ms)];
  });

  const unended = called('Node.Http/Request')
    .filter((ran) => !isStopped(ran))
    .map(({ from, node, path, start }): Row => {
      return [from.service, from.trace, path, node.activity.state, start.pathAndQuery as string];
    });

  const callees = new Map(
    requests.map((ran) => [`${ran.start.traceId} ${ran.start.parentSpanId}`, ran] as const),
  );
  const pairs = called('Node.Http/ClientRequest').flatMap((caller) => {
    const callee = callees.get(`${caller.start.traceId} ${caller.start.spanId}`);
    return callee === undefined || !isStopped(caller) ? [] : [{ caller, callee }];
  });
  const calls = grouped(pairs, ({ caller, callee }) => `${caller.from.service} ${callee.from.service}`).map(
    ([key, found]): Row => {
      const underWay = found.map(({ caller, callee }) => caller.ms - callee.ms);
      const ms = found.map(({ caller }) => caller.ms);
      return [...key.split(' '), found.length, percentile(ms, 99), percentile(underWay, 50)];
    },
  );

  const path = criticalPath((slowest[0] as Ran).node, 0)
    .filter(({ depth }) => depth === 1)
    .map(({ node, durationNs }): Row => [node.activity.name, pathOf(node), durationNs / 1e6]);

  const losses = grouped(fleet, ({ service }) => service).map(([service, traces]): Row => {
    return [service, traces.length, sum(traces.map(({ lostEvents }) => lostEvents)), 0, 0];
  });

  return [
    durations.sort(byColumn(3)),
    failures.sort(byColumn(1)),
    slowest
      .slice(0, 10)
      .map((ran) => [ran.from.service, ran.from.trace, ran.path, ran.start.pathAndQuery as string, ran.ms]),
    rates,
    made.sort(byColumn(2)),
    byQuery.sort(byColumn(2)),
    cpu.sort(byColumn(2)),
    collections,
    unended.sort((a, b) => byText(a.slice(1, 3), b.slice(1, 3))),
    calls,
    path,
    losses.sort(byColumn(2)),
  ];
}
