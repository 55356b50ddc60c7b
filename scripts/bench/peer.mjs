// Loads what tracewright is compared with.
import { createRequire } from 'node:module';

export const requirePeer = createRequire(new URL('peers/package.json', import.meta.url));
