/** Watches the process for what a recording is wanted for: a blocked event loop, a full heap, an error, a signal. */
import { getHeapStatistics } from 'node:v8';
import { thrownText } from '../base/value-text.ts';
import type { OnTrigger } from './activity-watch.ts';

export interface ProcessTriggers {
  /** The event loop was blocked for longer than this many milliseconds. */
  readonly eventLoopDelayMs?: number | undefined;
  /** The used part of V8's heap limit, from 0 to 1. */
  readonly heap?: number | undefined;
  readonly uncaughtException?: boolean | undefined;
  /** The signal, for example `SIGUSR2`, no longer ends the process. */
  readonly signal?: NodeJS.Signals | undefined;
}

const MIN_INTERVAL_MS = 20;
const HEAP_INTERVAL_MS = 250;

/**
 * @param onLastChance called instead of `onTrigger` if the process may end immediately afterwards
 * @returns stops watching
 */
export function watchProcess(
  triggers: ProcessTriggers,
  onTrigger: OnTrigger,
  onLastChance: OnTrigger,
): () => void {
  const { eventLoopDelayMs, heap, uncaughtException, signal } = triggers;
  const ends: (() => void)[] = [];
  if (eventLoopDelayMs !== undefined) ends.push(watchEventLoop(eventLoopDelayMs, onTrigger));
  if (heap !== undefined) ends.push(watchHeap(heap, onTrigger));
  if (uncaughtException === true) {
    const tell = (error: unknown): void => {
      onLastChance('exception', () => `An exception was not caught: ${thrownText(error)}`);
    };
    process.on('uncaughtExceptionMonitor', tell);
    ends.push(() => process.off('uncaughtExceptionMonitor', tell));
  }
  if (signal !== undefined) {
    const tell = (): void => onTrigger('signal', () => `The process received ${signal}.`);
    process.on(signal, tell);
    ends.push(() => process.off(signal, tell));
  }
  return () => {
    for (const end of ends) end();
  };
}

function watchEventLoop(limitMs: number, onTrigger: OnTrigger): () => void {
  const intervalMs = Math.max(MIN_INTERVAL_MS, limitMs / 4);
  let turnedAt = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    const delay = now - turnedAt - intervalMs;
    turnedAt = now;
    if (delay > limitMs) {
      onTrigger('event-loop', () => `The event loop was blocked for ${delay.toFixed(0)} ms.`);
    }
  }, intervalMs).unref();
  return () => clearInterval(timer);
}

function watchHeap(limit: number, onTrigger: OnTrigger): () => void {
  // Once each time that the limit is reached.
  let isThere = false;
  const timer = setInterval(() => {
    const { used_heap_size: used, heap_size_limit: size } = getHeapStatistics();
    const wasThere = isThere;
    isThere = used > size * limit;
    if (isThere && !wasThere) {
      onTrigger('heap', () => `The heap is ${((used / size) * 100).toFixed(0)} % full.`);
    }
  }, HEAP_INTERVAL_MS).unref();
  return () => clearInterval(timer);
}
