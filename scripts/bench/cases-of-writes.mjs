// What writing costs besides the time of one event on this Node.js: texts of several scripts, instruction counts,
// and awaits on other versions of Node.js.
import { nodes } from '../nodes.mjs';

export const writeGroups = {
  texts: 'An event with a text of 1,200 bytes, or an address, to /dev/null',
  instructions: "Instructions of the process, counted by Valgrind's callgrind",
};

const textForms = {
  ascii: 'ASCII',
  latin: 'Latin-1: é',
  cjk: 'CJK',
  emoji: 'emoji',
  concatenated: 'ASCII, concatenated for each event',
  ipv4: 'an IPv4 address, as text',
  ipv6: 'an IPv6 address, as text',
};

const texts = Object.entries(textForms).map(([form, title]) => ({
  id: `text-${form}`,
  group: 'texts',
  title,
  target: 'devNull',
  ...(form === 'ascii' ? {} : { against: 'text-ascii' }),
  node: { module: 'texts', workload: 'text', arguments: [form] },
}));

const instructions = [
  {
    id: 'instructions-event',
    title: 'an event to /dev/null',
    target: 'devNull',
    node: { module: 'enabled', workload: 'event', arguments: ['samePayload'] },
  },
  {
    id: 'instructions-session',
    title: 'an event into a session',
    node: { module: 'session', workload: 'inSessions', arguments: [1] },
  },
  {
    id: 'instructions-activity',
    title: 'an activity (Start and Stop) into a session',
    node: { module: 'session', workload: 'activitiesInSession' },
  },
].map((each) => ({ ...each, group: 'instructions', isCounted: true }));

const [own] = process.versions.node.split('.');

const awaitForms = {
  listening: 'while something listens',
  switching: 'while something listens to activity switches',
  takingTurns: 'the same, and two activities take turns',
};

const awaits = Object.entries(nodes)
  .filter(([major]) => major !== own)
  .flatMap(([major, program]) => [
    {
      id: `await-plain-${major}`,
      group: 'awaits',
      title: `Node.js ${major}: without tracewright`,
      program,
      node: { module: 'awaits', workload: 'plain' },
    },
    ...Object.entries(awaitForms).map(([workload, title]) => ({
      id: `await-${workload}-${major}`,
      group: 'awaits',
      title: `Node.js ${major}: ${title}`,
      program,
      against: `await-plain-${major}`,
      node: { module: 'awaits', workload },
    })),
  ]);

/** @type {readonly import('./cases.mjs').Case[]} */
export const writeCases = [...texts, ...instructions, ...awaits];
