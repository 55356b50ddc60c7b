/** Ctrl-C while a command reads: what has been read so far is still shown. */
import { END_SIGNALS } from './stop-request.ts';

export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';

  constructor() {
    super('Interrupted: only the events read so far are shown.');
  }
}

/**
 * The items until the first termination signal, which ends them with an error; a second signal ends the process, as
 * usual.
 *
 * @param close ends the wait for an item that never comes
 * @throws InterruptedError
 */
export async function* untilInterrupted<T>(
  items: AsyncIterable<T>,
  close: () => Promise<void>,
): AsyncGenerator<T, void, undefined> {
  const iterator = items[Symbol.asyncIterator]();
  let isInterrupted = false;
  let giveUpWaiting = (): void => {};
  const stopListening = () => {
    for (const signal of END_SIGNALS) process.off(signal, interrupt);
  };
  const interrupt = () => {
    isInterrupted = true;
    stopListening();
    giveUpWaiting();
  };
  for (const signal of END_SIGNALS) process.on(signal, interrupt);
  try {
    for (;;) {
      // One promise per item: a single one, raced against each, would retain every item until the end.
      const next = await new Promise<IteratorResult<T, unknown> | undefined>((resolve, reject) => {
        giveUpWaiting = () => resolve(undefined);
        iterator.next().then(resolve, reject);
      });
      if (isInterrupted || next === undefined) throw new InterruptedError();
      if (next.done) return;
      yield next.value;
    }
  } finally {
    stopListening();
    if (isInterrupted) {
      // The pending item may still fail or arrive; it is ignored.
      iterator.return?.(undefined).catch(() => {});
      await close();
    } else {
      await iterator.return?.(undefined);
    }
  }
}
