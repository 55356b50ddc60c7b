/** Ctrl-C while a command reads: what has been read up to there is still shown. */

export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';

  constructor() {
    super('Interrupted: what has been read up to here is shown.');
  }
}

/**
 * The items until the first Ctrl-C, which ends them with an error; a second one ends the process, as ever.
 *
 * @param close ends the waiting for an item that does not come
 * @throws InterruptedError
 */
export async function* untilInterrupted<T>(
  items: AsyncIterable<T>,
  close: () => Promise<void>,
): AsyncGenerator<T, void, undefined> {
  let interrupt = (): void => {};
  const interruption = new Promise<undefined>((resolve) => {
    interrupt = () => resolve(undefined);
  });
  process.once('SIGINT', interrupt);
  const iterator = items[Symbol.asyncIterator]();
  let isInterrupted = false;
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), interruption]);
      if (next === undefined) {
        isInterrupted = true;
        throw new InterruptedError();
      }
      if (next.done) return;
      yield next.value;
    }
  } finally {
    process.off('SIGINT', interrupt);
    if (isInterrupted) {
      // The item that is still waited for fails or comes; nobody takes it.
      iterator.return?.(undefined).catch(() => {});
      await close();
    } else {
      await iterator.return?.(undefined);
    }
  }
}
