import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Layout } from '../../../lib/wire/etl/record-type.ts';
import { parseEventMapInfo } from '../../../lib/wire/etw/event-map-info.ts';
import { parseTraceEventInfo } from '../../../lib/wire/etw/trace-event-info.ts';
import type { EventDescription } from '../../../lib/wire/packed/field.ts';
import { dataFolder, SKIP_REASON } from '../../conformance/data-folder.ts';
import { type DataRecord, misfit, recordsOf } from '../../known/kernel-data.ts';

const META_DATA = 'bbccf6c1-6cd1-48c4-80ff-839482e37671';
const EVENT_INFO = 32;

const keyOf = (guid: string | undefined, id: number, version: number) => `${guid} ${id} ${version}`;

describe.skipIf(dataFolder === undefined)(`descriptions in a merged trace (${SKIP_REASON})`, () => {
  it('fit the events that they describe', () => {
    const events: DataRecord[] = [];
    const descriptions = new Map<string, EventDescription>();
    let infos = 0;
    const maps = new Set<string>();
    for (const record of recordsOf(join(dataFolder ?? '', 'etl', 'net.4.5.2.x64.etl'))) {
      if (record.layout === Layout.Event) events.push(record);
      if (record.guid !== META_DATA) continue;
      if (record.opcode === EVENT_INFO) {
        infos++;
        const info = parseTraceEventInfo(record.payload);
        if (info !== undefined)
          descriptions.set(keyOf(info.providerGuid, info.id, info.version), info.description);
      } else {
        maps.add(parseEventMapInfo(record.payload)?.map.name ?? 'none');
      }
    }
    expect([infos, descriptions.size, maps.size, maps.has('none')]).toEqual([61, 61, 17, false]);

    let fitting = 0;
    const others = new Set<string>();
    for (const event of events) {
      const description = descriptions.get(keyOf(event.guid, event.id, event.version));
      if (description === undefined) continue;
      if (misfit(description, event) === undefined) fitting++;
      else others.add(description.name);
    }
    // The manifest of .NET's runtime says that a stack has two frames, whatever it has.
    expect([...others]).toEqual(['CLRStack/CLRStackWalk']);
    expect(fitting).toBe(51_411);
  });
});
