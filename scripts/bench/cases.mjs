// The cases, in report order.
import { nodes } from '../nodes.mjs';
import { peerCases, peerGroups } from './cases-beside-peers.mjs';
import { sessionCases, sessionGroups } from './cases-of-sessions.mjs';
import { siteCases, siteGroups } from './cases-of-sites.mjs';
import { writeCases, writeGroups } from './cases-of-writes.mjs';

/**
 * A case, measured in separate processes.
 * @typedef {object} Case
 * @property {string} id
 * @property {string} group
 * @property {string} title
 * @property {string} [against] the case that it is compared with
 * @property {string} [beside] a case compared with the same one: this case's additional cost is shown as a share of
 * that case's
 * @property {{ module: string, workload: string, arguments?: readonly unknown[] }} [node]
 * @property {{ threads: number }} [c]
 * @property {{ framework: string, variant: string }} [server] a server that receives requests
 * @property {{ specifier: string }} [imported] a module that is only imported
 * @property {string} [target] devNull, passedTracer or tracepoint
 * @property {string} [program] another Node.js than this one
 * @property {number} [longer] how many times longer its rounds are
 */

export const groups = {
  disabled: 'A disabled event, without the loop around it',
  ...siteGroups,
  devNull: 'An enabled event: 3 fields and an activity id, to /dev/null',
  tracepoint: 'The same to a real tracepoint that ftrace records, on a kernel with user events',
  activities: 'An activity (Start and Stop: two events and the id), enabled, to /dev/null',
  awaits: 'An `await`',
  ...peerGroups,
  ...sessionGroups,
  ...writeGroups,
};

/** The empty loop's time is subtracted from these. */
export const groupsWithoutLoop = ['disabled', 'countersIdle'];

/** The unit of a group's times, if not nanoseconds. */
export const units = { imports: 'ms', servers: 'µs', automatic: 'µs' };

/** These require the peers. */
export const groupsOfPeers = [...Object.keys(peerGroups), 'servers', 'automatic'];

const disabledForms = {
  samePayload: 'the same payload object',
  objectLiteral: 'an object literal',
  lazyPayload: 'a lazy payload',
  enabled: '.enabled',
  noPayload: 'no payload',
  start: 'a Start event',
  scope: 'an activity() scope',
};

const disabled = [
  {
    id: 'empty-loop',
    group: 'disabled',
    title: 'the loop alone',
    node: { module: 'disabled', workload: 'emptyLoop' },
  },
  ...Object.entries(disabledForms).flatMap(([form, title]) => [
    {
      id: `empty-${form}`,
      group: 'disabled',
      title: `empty function: ${title}`,
      node: { module: 'disabled', workload: 'emptyCall', arguments: [form] },
    },
    {
      id: `disabled-${form}`,
      group: 'disabled',
      title,
      against: `empty-${form}`,
      node: { module: 'disabled', workload: 'event', arguments: [form] },
    },
  ]),
];

/** Compared with the bare C loop on a target; guest.mjs measures those of the tracepoint. */
const writes = (target, prefix) => [
  { id: `${prefix}-c`, group: target, title: 'C, write(2) of the same bytes', target, c: { threads: 1 } },
  {
    id: `${prefix}-c-threads`,
    group: target,
    title: 'C, in a process with two threads (as Node has)',
    target,
    against: `${prefix}-c`,
    c: { threads: 2 },
  },
  {
    id: `${prefix}-event`,
    group: target,
    title: 'an event',
    target,
    against: `${prefix}-c`,
    node: { module: 'enabled', workload: 'event', arguments: ['samePayload'] },
  },
];

const enabled = [
  ...writes('devNull', 'null'),
  {
    id: 'null-addon',
    group: 'devNull',
    title: "the addon's write alone, with the same number of bytes",
    target: 'devNull',
    against: 'null-c',
    node: { module: 'enabled', workload: 'addonWrite', arguments: [92] },
  },
  {
    id: 'null-own',
    group: 'devNull',
    title: "an event, compared with the addon's write alone",
    target: 'devNull',
    against: 'null-addon',
    node: { module: 'enabled', workload: 'event', arguments: ['samePayload'] },
  },
  {
    id: 'null-event-literal',
    group: 'devNull',
    title: 'an event, an object literal',
    target: 'devNull',
    against: 'null-c',
    node: { module: 'enabled', workload: 'event', arguments: ['objectLiteral'] },
  },
  {
    id: 'null-event-by-turns',
    group: 'devNull',
    title: 'two kinds of events, alternating',
    target: 'devNull',
    against: 'null-c',
    node: { module: 'enabled', workload: 'byTurns' },
  },
  {
    id: 'null-event-no-activity',
    group: 'devNull',
    title: 'an event without an activity',
    target: 'devNull',
    against: 'null-c',
    node: { module: 'enabled', workload: 'withoutActivity' },
  },
  {
    id: 'passed-event',
    group: 'devNull',
    title: "an event to the tracepoint of a tool's session",
    target: 'passedTracer',
    against: 'null-c',
    node: { module: 'passed-tracer', workload: 'event', arguments: ['/dev/null'] },
  },
  ...writes('tracepoint', 'tracepoint'),
];

const activityForms = {
  bare: 'Start, Stop',
  handle: 'Start, handle.stop()',
  scope: 'activity(), synchronous work',
  asyncScope: 'await activity(), async work',
  placed: 'activity(), while somebody asks where it starts',
};

const activities = [
  ...Object.entries(activityForms).map(([workload, title]) => ({
    id: `activity-${workload}`,
    group: 'activities',
    title,
    target: 'devNull',
    against: 'null-event',
    node: { module: 'activities', workload },
  })),
  {
    id: 'activity-tracker',
    group: 'activities',
    title: 'the tracker alone',
    node: { module: 'activities', workload: 'tracker' },
  },
];

const awaitForms = {
  nobodyListens: 'a source with activities, no listener',
  listening: 'while something listens',
  switching: 'while something listens to activity switches',
  takingTurns: 'the same, and two activities take turns',
  running: 'while something listens to activity runs',
  pooling: 'the same, and to the thread pool',
  listenerGone: 'after the last listener has left',
};

/** Of another version of Node.js, only what a listener changes. */
const FORMS_ELSEWHERE = ['listening', 'switching', 'takingTurns', 'running', 'pooling'];

const [ownMajor] = process.versions.node.split('.');

function awaitsOf(major, program) {
  const isOwn = major === ownMajor;
  const [suffix, prefix] = isOwn ? ['', ''] : [`-${major}`, `Node.js ${major}: `];
  const forms = Object.entries(awaitForms).filter(([form]) => isOwn || FORMS_ELSEWHERE.includes(form));
  const common = { group: 'awaits', ...(isOwn ? {} : { program }) };
  return [
    {
      ...common,
      id: `await-plain${suffix}`,
      title: `${prefix}without tracewright`,
      node: { module: 'awaits', workload: 'plain' },
    },
    ...forms.map(([workload, title]) => ({
      ...common,
      id: `await-${workload}${suffix}`,
      title: `${prefix}${title}`,
      against: `await-plain${suffix}`,
      node: { module: 'awaits', workload },
    })),
  ];
}

const awaits = Object.entries({ ...nodes, [ownMajor]: process.execPath })
  .sort(([a], [b]) => Number(b === ownMajor) - Number(a === ownMajor))
  .flatMap(([major, program]) => awaitsOf(major, program));

/** @type {readonly Case[]} */
export const cases = [
  ...disabled,
  ...siteCases,
  ...enabled,
  ...activities,
  ...awaits,
  ...peerCases,
  ...sessionCases,
  ...writeCases,
];
