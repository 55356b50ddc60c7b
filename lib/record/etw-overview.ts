/** The overview of a Windows machine: its ETW sessions, and the providers that are registered, running or enabled. */

import { windowsProvider } from '../known/windows-provider.ts';
import type { ListedEtwSession } from '../platform/addon-functions.ts';
import { EtwLists } from '../platform/etw-lists.ts';
import type { ProviderEnabling, ProviderInstance, ProviderList } from '../wire/etw/provider-lists.ts';
import { sessionModeWords } from '../wire/etw/session-properties.ts';
import { providerGuid } from '../wire/provider-guid.ts';
import {
  byName,
  type OverviewEnabling,
  type OverviewProvider,
  type OverviewSession,
  type TraceOverview,
} from './trace-overview.ts';

/** TRACE_PROVIDER_INSTANCE_INFO has this flag if a session has enabled the provider, and no process runs it yet. */
const PRE_ENABLED = 2;
/** EVENT_ENABLE_PROPERTY_STACK_TRACE. */
const STACKS = 4;
const SOURCES: Readonly<Record<number, string>> = { 0: 'manifest', 1: 'MOF' };
const NO_INSTANCES: ProviderList<ProviderInstance> = { entries: [], isWhole: true };

/** What Windows and its version of tracewright know of a provider by its GUID. */
interface Described {
  readonly name: string | undefined;
  readonly source?: string | undefined;
}

/**
 * @param names of providers that no list names, because they describe themselves
 * @throws RecorderError
 */
export function etwOverview(names: readonly string[], lists: Lister = new EtwLists()): TraceOverview {
  const sessions = lists.sessions();
  const sessionNames = new Map(sessions.map(({ id, name }) => [id, name]));
  const processNames = lists.processNames();
  const registered = lists.registeredProviders();
  const running = lists.runningProviders();
  const described = new Map<string, Described>(names.map((name) => [providerGuid(name), { name }]));
  for (const { guid, name, schemaSource } of registered.entries) {
    described.set(guid, { name, source: SOURCES[schemaSource] });
  }
  const isRunning = new Set(running.entries);
  const registeredGuids = registered.entries.map(({ guid }) => guid);
  let hidden = 0;
  let damaged = [registered, running].filter(({ isWhole }) => !isWhole).length;
  const providers = [...new Set([...registeredGuids, ...running.entries])].map((guid): OverviewProvider => {
    const instances = isRunning.has(guid) ? lists.instances(guid) : NO_INSTANCES;
    if (instances === undefined) hidden++;
    else if (!instances.isWhole) damaged++;
    const entries = instances?.entries ?? [];
    const { name, source } = described.get(guid) ?? { name: undefined };
    return {
      name: name ?? windowsProvider(guid)?.name ?? guid,
      guid,
      ...(source && { source }),
      processes: processesOf(entries).map((processId) => ({
        processId,
        name: processNames.get(processId),
      })),
      enabledBy: enablingsOf(entries).map((one) => enablingOf(one, sessionNames)),
    };
  });
  return {
    sessions: byName(sessions.map(sessionOf)),
    providers: [
      ...byName(providers.filter(({ name, guid }) => name !== guid)),
      ...byName(providers.filter(({ name, guid }) => name === guid)),
    ],
    sessionNotes: [],
    providerNotes: [
      ...(hidden === 0 ? [] : [`This user may not see who uses ${hidden} of the running providers.`]),
      ...(damaged === 0
        ? []
        : [
            `Windows returned ${damaged} incomplete ${damaged === 1 ? 'list: what it lacks' : 'lists: what they lack'} is not shown.`,
          ]),
    ],
  };
}

/** Windows, or a test. */
export type Lister = Pick<
  EtwLists,
  'sessions' | 'registeredProviders' | 'runningProviders' | 'instances' | 'processNames'
>;

function sessionOf(session: ListedEtwSession): OverviewSession {
  const { id, name, file, mode, buffers, bufferSize, eventsLost, buffersLost, realTimeBuffersLost } = session;
  return {
    name,
    number: id,
    mode: sessionModeWords(mode),
    modeBits: mode,
    ...(file !== '' && { file }),
    buffers,
    bufferKiB: bufferSize,
    lostEvents: eventsLost,
    lostBuffers: buffersLost + realTimeBuffersLost,
  };
}

function processesOf(instances: readonly ProviderInstance[]): number[] {
  const running = instances.filter(({ flags }) => (flags & PRE_ENABLED) === 0);
  return [...new Set(running.map(({ processId }) => processId))].sort((a, b) => a - b);
}

/** Each session once: it is listed for every process. */
function enablingsOf(instances: readonly ProviderInstance[]): ProviderEnabling[] {
  const bySession = new Map<number, ProviderEnabling>();
  for (const enabling of instances.flatMap(({ enabledBy }) => enabledBy)) {
    bySession.set(enabling.sessionId, enabling);
  }
  return [...bySession.values()];
}

function enablingOf(
  { sessionId, level, anyKeyword, allKeyword, properties }: ProviderEnabling,
  sessionNames: ReadonlyMap<number, string>,
): OverviewEnabling {
  return {
    session: sessionNames.get(sessionId) ?? `session ${sessionId}`,
    level,
    keywords: anyKeyword,
    allKeywords: allKeyword,
    hasStacks: (properties & STACKS) !== 0,
  };
}
