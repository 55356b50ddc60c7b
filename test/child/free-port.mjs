// A port of loopback for a program that takes no other: one that the system gives to nobody who asks for any port, as
// other tests do at the same time.
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below what Linux (32,768), Windows and macOS (49,152) choose from by default. */
const FIRST = 20_000;
const COUNT = 12_000;

/** @returns {Promise<number>} */
export async function freePort() {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    const taker = createServer().listen(port, '127.0.0.1');
    try {
      await once(taker, 'listening');
    } catch {
      // Somebody has it.
      continue;
    }
    taker.close();
    await once(taker, 'close');
    return port;
  }
}
