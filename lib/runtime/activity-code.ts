/** Where the application starts activities, as events, for those who ask for their keyword. */
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Guid } from '../activity/guid.ts';
import { sharedActivities } from '../activity/shared.ts';
import { type CallSite, callSites } from '../base/call-sites.ts';
import { packageFolder } from '../base/package-files.ts';
import { writerOf } from '../source/event-functions.ts';
import { ACTIVITY_CODE, type RuntimeEvents } from './events.ts';
import { isAskedFor, type Observation } from './observation.ts';

/** An application's frame may be below those of several libraries. */
const MAX_FRAMES = 40;
const MAX_LENGTH = 1000;
const PACKAGES = `${sep}node_modules${sep}`;
/** Of this package, installed or in its own tests. */
const OWN_FOLDERS = ['dist', 'lib'].map((name) => join(packageFolder(), name) + sep);

export function activityCode(events: RuntimeEvents): Observation {
  const writer = writerOf(events.ActivityCode);
  return {
    isWanted: () => isAskedFor(events, writer, ACTIVITY_CODE),
    start: () => {
      const { flow } = sharedActivities();
      const observer = (id: Guid) => {
        const sites = callSites(MAX_FRAMES, observer);
        const site = applicationSite(sites);
        if (site !== undefined) writer.write(fieldsOf(site), id, undefined, undefined);
      };
      flow.onStart = observer;
      return () => {
        if (flow.onStart === observer) flow.onStart = undefined;
      };
    },
  };
}

function applicationSite(sites: readonly CallSite[]): CallSite | undefined {
  // In a bundle, the file of this package is also the application's: its frames cannot be told apart.
  const own = sites[0]?.getFileName();
  return sites.find((site) => {
    const file = site.getFileName();
    return file != null && file !== own && isApplication(pathOf(file));
  });
}

function isApplication(path: string): boolean {
  if (path === '' || path.startsWith('node:') || path.includes(PACKAGES)) return false;
  return !OWN_FOLDERS.some((folder) => path.startsWith(folder));
}

function fieldsOf(site: CallSite) {
  return {
    function: (site.getFunctionName() ?? '').slice(0, MAX_LENGTH),
    file: pathOf(site.getFileName() ?? '').slice(0, MAX_LENGTH),
    line: site.getLineNumber() ?? 0,
    column: site.getColumnNumber() ?? 0,
  };
}

function pathOf(file: string): string {
  if (!file.startsWith('file:')) return file;
  try {
    return fileURLToPath(file);
  } catch {
    return file;
  }
}
