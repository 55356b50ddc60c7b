/**
 * The channels of the Windows Event Log to which the events of a provider go. ETW selects them by keywords: each channel
 * has one of the highest bits, in the order of the manifest, which the Event Log enables.
 *
 * Source: .NET's EventSource, and what Windows' message compiler accepts.
 */
import type { EventSchema } from '../schema.ts';

interface ChannelKind {
  /** The name is also the channel's type in the manifest. */
  readonly name: string;
  /** Whether the Event Log records it unless an administrator says otherwise. */
  readonly isEnabled: boolean;
}

const CHANNELS: ReadonlyMap<number, ChannelKind> = new Map([
  [16, { name: 'Admin', isEnabled: true }],
  [17, { name: 'Operational', isEnabled: true }],
  [18, { name: 'Analytic', isEnabled: false }],
  [19, { name: 'Debug', isEnabled: false }],
]);
const ADMIN = 16;
const INFORMATIONAL = 4;

export interface UsedChannel extends ChannelKind {
  readonly value: number;
  /** Which all of its events have. */
  readonly keyword: bigint;
}

/** The channels of the events, by number, in the order of their first events. */
export function usedChannels(events: readonly EventSchema[]): ReadonlyMap<number, UsedChannel> {
  const used = new Map<number, UsedChannel>();
  for (const { channel } of events) {
    const kind = channel === undefined ? undefined : CHANNELS.get(channel);
    if (channel === undefined || kind === undefined || used.has(channel)) continue;
    used.set(channel, { ...kind, value: channel, keyword: 1n << BigInt(63 - used.size) });
  }
  return used;
}

/** Returns the path as Event Viewer shows it. */
export function channelPath(provider: string, { name }: UsedChannel): string {
  return `${provider}/${name}`;
}

/** Why the event cannot go to its channel, as the rest of a sentence about it; undefined if it can. */
export function channelProblem({ channel, level, message }: EventSchema): string | undefined {
  if (channel !== ADMIN) return undefined;
  if (message === undefined) {
    return 'an event of the channel Admin needs a message: it tells an administrator what to do.';
  }
  if (level > INFORMATIONAL) {
    return `an event of the channel Admin has a level from 1 (Critical) to 4 (Informational), not ${level}.`;
  }
  return undefined;
}

/** Why a provider of this name cannot have channels, as the rest of a sentence about it. */
export function channelPathProblem(provider: string): string | undefined {
  const [character] = /[<>&"|\\:'?*]/.exec(provider) ?? [];
  if (character === undefined) return undefined;
  return `its events cannot go to a channel of the Event Log, whose name would contain ${character}.`;
}
