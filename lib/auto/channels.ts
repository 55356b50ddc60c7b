/** Subscribing to channels of node:diagnostics_channel, in the midst of code that is not to notice. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { thrownTextWithStack } from '../base/value-text.ts';

export type ChannelHandler<Message> = (message: Message) => void;

/** Handlers by channel; of each channel the message is as its publisher documents it, or so we take it. */
// biome-ignore lint/suspicious/noExplicitAny: what a channel's messages are is known to its handler alone
export type ChannelHandlers = Readonly<Record<string, ChannelHandler<any>>>;

const failed = new Set<string>();

/**
 * Calls the handlers for each message from now on. One that throws, as when a publisher has changed its messages, is
 * reported once: Node.js would end the process.
 *
 * @returns ends it
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
          `A message of the channel ${channel} was not understood: ${thrownTextWithStack(error)}`,
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
