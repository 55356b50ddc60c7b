/** Types of activity-replay.mjs, for the tests that replay on the sources. */
import type * as activity from '../../lib/activity/activity.ts';
import type * as guid from '../../lib/activity/guid.ts';
import type * as path from '../../lib/activity/path.ts';
import type * as writer from '../../lib/activity/path-writer.ts';
import type * as perfview from '../../lib/activity/perfview-path.ts';
import type * as tracker from '../../lib/activity/tracker.ts';

export type ActivityModules = typeof activity &
  typeof guid &
  typeof path &
  typeof writer &
  typeof perfview &
  typeof tracker;

export interface TrackerScenario {
  readonly id: number;
  readonly flavor: string;
}

export interface PathVectorSection {
  readonly title: string;
  readonly flavor: string;
  readonly lines: readonly unknown[];
}

export function readTrackerScenarios(text: string): TrackerScenario[];
export function replayTrackerScenario(lib: ActivityModules, scenario: TrackerScenario): string[];
export function readPathVectorSections(text: string): PathVectorSection[];
export function replayPathVectorSection(lib: ActivityModules, section: PathVectorSection): string[];
