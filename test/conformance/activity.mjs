/**
 * Conformance with `activity/`: activity ids and paths, produced by the original .NET trackers and printed by the
 * original PerfView.
 *
 * - `tracker.jsonl`: random scenarios of starts, stops, options and forked flows -> the ids of each event
 * - `path-vectors.txt`: long paths, large numbers, overflow, ids set by hand -> ids and printed paths
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  readPathVectorSections,
  readTrackerScenarios,
  replayPathVectorSection,
  replayTrackerScenario,
} from './activity-replay.mjs';

export const name = 'activity';

export function applies(dir) {
  return existsSync(join(dir, 'activity'));
}

export function run(dir, report) {
  runCases(join(dir, 'activity', 'tracker.jsonl'), readTrackerScenarios, report, (scenario) => ({
    id: `tracker/${scenario.id}-${scenario.flavor}`,
    differences: replayTrackerScenario(scenario),
  }));
  runCases(join(dir, 'activity', 'path-vectors.txt'), readPathVectorSections, report, (section) => ({
    id: `path-vectors/${section.title} ${section.flavor}`,
    differences: replayPathVectorSection(section),
  }));
}

function runCases(file, read, report, replay) {
  if (!existsSync(file)) return;
  for (const recorded of read(readFileSync(file, 'utf8'))) {
    report.try(file, () => {
      const { id, differences } = replay(recorded);
      if (differences.length === 0) report.pass(id);
      else report.fail(id, differences.join(' '));
    });
  }
}
