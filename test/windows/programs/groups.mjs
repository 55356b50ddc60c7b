// Two providers of a group, in both formats, and one of no group: what a session of the group enables, also before.
import { setTimeout as sleep } from 'node:timers/promises';
import { defineEventSource, event } from 'tracewright';
import { disable, disableGroup, enable, enableGroup, mark } from '../recorder/recorder.mjs';

const GROUP = '00112233-4455-6677-8899-aabbccddeeff';
const EVENTS = { Note: event({ n: 'uint8' }, { keywords: 0x2n, tag: 0xffffff0, fieldTags: { n: 0x21 } }) };
const described = defineEventSource('MyCompany.MyComponent', EVENTS, { groupGuid: GROUP });
const inManifest = defineEventSource('Tracewright-Group-Manifest', EVENTS, {
  groupGuid: GROUP,
  etwFormat: 'manifest',
});
const apart = defineEventSource('Tracewright-Group-None', EVENTS);
const enabled = () => [described, inManifest, apart].map((source) => source.Note.enabled);
const states = [];
const note = async (text) => {
  await sleep(20);
  states.push([text, ...enabled()]);
};
await note('before');
enableGroup(GROUP, { any: 0x2n });
await note('group');
described.Note({ n: 1 });
inManifest.Note({ n: 2 });
apart.Note({ n: 3 });
enable(described.guid, { any: 0x4n });
await note('group and provider');
disableGroup(GROUP);
await note('provider');
disable(described.guid);
enableGroup(GROUP, { any: 0x4n });
await note('other keywords');
// A group is no provider.
enable(GROUP);
await note('by its GUID');
disable(GROUP);
enableGroup(GROUP);
mark('late');
const late = defineEventSource('Tracewright-Group-Late', EVENTS, { groupGuid: GROUP });
states.push(['late', late.Note.enabled]);
disableGroup(GROUP);
console.log(JSON.stringify({ states, guids: [described.guid, inManifest.guid, apart.guid] }));
