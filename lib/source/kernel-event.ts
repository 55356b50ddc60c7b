/** An event of a definition as the operating system's tracer takes it. */
import type { EnabledWord } from '../platform/kernel.ts';
import type { EventEncoder } from '../wire/event-encoder.ts';
import { scratch } from '../wire/scratch.ts';
import type { SourceContext } from './source-context.ts';

export interface KernelEvent {
  readonly encoder: EventEncoder;
  /** Bytes at the start of what is encoded that are for the addon, and not part of the event. */
  readonly headSize: number;
  /** What the tracer knows the event by, for reasons: a tracepoint, or a provider. */
  readonly name: string;
  /** What the tracer is told of it when it is registered. */
  readonly definition: Uint8Array;
  readonly sizes: SizeLimits;
}

/** Bytes of an event, from its header to the end of its payload. */
export interface SizeLimits {
  /** Larger ones are dropped. */
  readonly most: number;
  /** Larger ones are taken by one recorder and not by the other. */
  readonly mostForAll: number;
  /** Who sets the limits, for reasons: the rest of a sentence about an event that was too large. */
  readonly said: string;
}

/** Makes the event known to the kernel, which then says by the word's bit 0 whether it is recorded. */
export function registerEvent(
  { kernel, account }: SourceContext,
  word: EnabledWord,
  event: KernelEvent,
): void {
  const problem = kernel.register(word, event.name, event.definition, scratch);
  if (problem !== undefined && problem !== kernel.reason) account.tell(event.name, () => problem);
}
