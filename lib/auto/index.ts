/**
 * `tracewright/auto`: activities of requests and queries without a line of code. Loading it is enough, as by
 * `node --import tracewright/auto app.js`; `instrument` says what is on and off.
 */
import { startPortFromEnvironment } from '../diagnostics/start-from-environment.ts';
import { instrument } from './instrument.ts';

export { instrument } from './instrument.ts';
export type { InstrumentationName, InstrumentOptions, TraceparentOptions } from './settings.ts';

instrument();
startPortFromEnvironment();
