/** Subscribes to channels of node:diagnostics_channel, inside code that must not notice. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { thrownTextWithStack } from '../base/value-text.ts';
import { allActivityEventsOf } from '../source/activity-events.ts';

type ChannelHandler<Message> = (message: Message) => void;

/** Handlers by channel. Each expects the message that the channel's publisher documents. */
// biome-ignore lint/suspicious/noExplicitAny: only a channel's handler knows the type of its messages
export type ChannelHandlers = Readonly<Record<string, ChannelHandler<any>>>;

/** An event source. */
export interface Events {
  isEnabled(): boolean;
}

/** Whether somebody wants an event of the source, or its activities to be there. */
export function isAnyWanted(events: Events): boolean {
  if (events.isEnabled()) return true;
  for (const activity of allActivityEventsOf(events).values()) if (activity.startEnabled) return true;
  return false;
}

const failed = new Set<string>();

/**
 * Calls the handlers for each message from now on. A handler that throws, for example because a publisher has changed
 * its messages, is reported once: otherwise Node.js would end the process.
 *
 * @returns unsubscribes
 */
export function subscribed(handlers: ChannelHandlers): () => void {
  const guarded = Object.entries(handlers).map(([channel, handler]) => {
    const guard = (message: unknown) => {
      try {
        handler(message);
      } catch (error) {
        if (failed.has(channel)) return;
        failed.add(channel);
        process.emitWarning(
          `A message of the channel ${channel} cannot be interpreted: ${thrownTextWithStack(error)}`,
          'TracewrightWarning',
        );
      }
    };
    subscribe(channel, guard);
    return () => unsubscribe(channel, guard);
  });
  return () => {
    for (const end of guarded) end();
  };
}
