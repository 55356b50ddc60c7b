/** Recorded runs of the original .NET trackers and the original PerfView, replayed on ours. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as activity from '../../lib/activity/activity.ts';
import * as guid from '../../lib/activity/guid.ts';
import * as path from '../../lib/activity/path.ts';
import * as writer from '../../lib/activity/path-writer.ts';
import * as perfview from '../../lib/activity/perfview-path.ts';
import * as tracker from '../../lib/activity/tracker.ts';
import {
  readPathVectorSections,
  readTrackerScenarios,
  replayPathVectorSection,
  replayTrackerScenario,
} from '../../scripts/conformance/activity-replay.mjs';

const lib = { ...activity, ...guid, ...path, ...writer, ...perfview, ...tracker };
const data = process.env.TRACEWRIGHT_DATA;
const required = process.env.TRACEWRIGHT_REQUIRE?.split(',').includes('data') ?? false;
const read = (name: string): string => {
  if (data === undefined)
    throw new Error('TRACEWRIGHT_REQUIRE contains data, but TRACEWRIGHT_DATA is not set.');
  return readFileSync(join(data, 'activity', name), 'utf8');
};

describe.skipIf(data === undefined && !required)(
  'recordings of .NET (skipped unless TRACEWRIGHT_DATA is set)',
  () => {
    it('of random scenarios replay with the same ids', () => {
      const scenarios = readTrackerScenarios(read('tracker.jsonl'));
      expect(scenarios.length).toBe(80);
      for (const scenario of scenarios) {
        const name = `scenario ${scenario.id} ${scenario.flavor}`;
        expect(replayTrackerScenario(lib, scenario), name).toEqual([]);
      }
    });

    it('with printed paths replay with the same ids and print identically', () => {
      const sections = readPathVectorSections(read('path-vectors.txt'));
      expect(sections.length).toBe(32);
      for (const section of sections) {
        expect(replayPathVectorSection(lib, section), `${section.title} ${section.flavor}`).toEqual([]);
      }
    });
  },
);
