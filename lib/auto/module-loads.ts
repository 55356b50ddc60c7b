/** Modules that this thread loads, each in the one that loads it. */
import { isBuiltin } from 'node:module';
import type { Activity } from '../activity/activity.ts';
import { sharedActivities } from '../activity/shared.ts';
import { failureFields, NO_FAILURE, shortened } from '../base/thrown-fields.ts';
import type { Observation } from '../runtime/observation.ts';
import { activityEventsOf } from '../source/activity-events.ts';
import { subscribed } from './channels.ts';
import type { Settings } from './settings.ts';
import type { Sources } from './sources.ts';

interface LoadMessage {
  /** Both are the name in the code: `id` of `require`, `url` of `import`. */
  readonly id?: string;
  readonly url?: string;
  readonly parentFilename?: string;
  readonly parentURL?: string;
  readonly error?: unknown;
}

const MAX_TEXT = 1000;
/** Modules that are known to be loaded: a call for one of them loads nothing. */
const MAX_KNOWN = 50_000;
const PACKAGE = /^(?:@[^/\\]+[/\\])?[^/\\]+/;
const IN_PACKAGES = /^.*[/\\]node_modules[/\\]/;

/**
 * Sources, checked by running them: Node.js 22, 24 and 26 publish `module.require` and `module.import`; 20 publishes
 * neither. `module.require` also reports calls for modules that have been loaded, and built-in ones.
 */
export function moduleLoads(events: Sources['modules'], settings: Settings): Observation {
  const loads = activityEventsOf(events, 'Load');
  const { flow } = sharedActivities();
  const known = new Set<string>();
  const activities = new WeakMap<LoadMessage, Activity>();
  /** Of the loads whose code is running, innermost last. A module's timers and servers are not inside its load. */
  const running: LoadMessage[] = [];

  const begin = (kind: string, message: LoadMessage) => {
    const name = String(message.id ?? message.url ?? '');
    const parent = String(message.parentFilename ?? message.parentURL ?? '');
    const key = `${parent.slice(0, parent.search(/[^/\\]*$/))}\0${name}`;
    if (!loads.startEnabled || isBuiltin(name) || known.has(key)) return;
    if (known.size >= MAX_KNOWN) known.clear();
    known.add(key);
    const outer = running.at(-1);
    const context = outer === undefined ? flow.context : activities.get(outer);
    const activity = loads.beginIn(context, () => ({
      name: shortened(name, MAX_TEXT),
      package: shortened(packageOf(name, parent), MAX_TEXT),
      kind,
      parent: shortened(parent, MAX_TEXT),
    }));
    if (activity === undefined) return;
    activities.set(message, activity);
    running.push(message);
  };
  const returned = (message: LoadMessage) => {
    const index = running.lastIndexOf(message);
    if (index >= 0) running.length = index;
  };
  const end = (message: LoadMessage) => {
    const activity = activities.get(message);
    if (activity === undefined) return;
    activities.delete(message);
    const { error } = message;
    loads.endBegun(activity, () => (error === undefined ? NO_FAILURE : failureFields(error)));
  };
  return {
    isWanted: () => settings.isOn('modules') && loads.startEnabled,
    start: () =>
      subscribed({
        'tracing:module.require:start': (message: LoadMessage) => begin('require', message),
        'tracing:module.require:end': (message: LoadMessage) => {
          returned(message);
          end(message);
        },
        'tracing:module.import:start': (message: LoadMessage) => begin('import', message),
        'tracing:module.import:end': returned,
        'tracing:module.import:asyncStart': end,
      }),
  };
}

/** Returns an empty text for the application's own modules. */
function packageOf(name: string, parent: string): string {
  const isPath = /^(?:[./\\#]|[a-z][\w+.-]*:|[A-Za-z]:)/.test(name);
  if (!isPath) return PACKAGE.exec(name)?.[0] ?? '';
  const path = /^[.#]/.test(name) ? parent : name;
  const inside = path.replace(IN_PACKAGES, '');
  return inside === path ? '' : (PACKAGE.exec(inside)?.[0] ?? '').replace('\\', '/');
}
