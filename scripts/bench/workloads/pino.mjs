// The counterpart of an event in a file: a line by pino, with the same three fields.
import { once } from 'node:events';
import { requirePeer } from '../peer.mjs';
import { payload } from '../source.mjs';
import { fileLoop, linesOf } from './file.mjs';

const pino = requirePeer('pino');

/** @param options of the destination */
const pinoLoop = (options) => {
  let hasCounted = false;
  return fileLoop((path) => {
    const destination = pino.destination({ dest: path, append: false, ...options });
    const logger = pino(destination);
    let lines = 0;
    return {
      run: (loop) =>
        loop(() => {
          logger.info(payload, 'CacheMiss');
          lines++;
        }),
      close: async () => {
        destination.end();
        await once(destination, 'close');
        // Only once, since reading the file is not part of writing it
        if (hasCounted) return lines;
        hasCounted = true;
        return linesOf(path);
      },
    };
  });
};

/** pino's default: each line is written when it is logged. */
export const sync = () => pinoLoop({ sync: true });

/** The fast way in its documentation: 4 KiB at a time, in the background. */
export const async = () => pinoLoop({ sync: false, minLength: 4096 });
