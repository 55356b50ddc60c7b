/** Ctrl-C while a command reads: what has been read so far is still shown. */
import { END_SIGNALS } from './stop-request.ts';

export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';

  constructor() {
    super('Interrupted: what has been read up to here is shown.');
  }
}

/**
 * The items until the first signal to end, which ends them with an error; a second signal ends the process, as it
 * does any other.
 *
 * @param close ends the waiting for an item that does not come
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
      // A promise for each item: one for all, raced against each, would hold on to every item until the end.
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
      // The item that is still waited for fails or comes; nobody takes it.
      iterator.return?.(undefined).catch(() => {});
      await close();
    } else {
      await iterator.return?.(undefined);
    }
  }
}
