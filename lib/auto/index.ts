/**
 * `tracewright/auto`: activities for requests and queries, without a line of code. Loading it is enough: `node --import
 * tracewright/auto app.js`. `instrument` turns parts on and off.
 */
import { startPortFromEnvironment } from '../diagnostics/start-from-environment.ts';
import { keepActivities } from '../source/keep-activities.ts';
import { instrument } from './instrument.ts';
import { optionsOfText } from './settings.ts';

export { instrument, instrumentMongoClient, setRoute } from './instrument.ts';
export type { MongoClientLike } from './mongodb.ts';
export type { InstrumentationName, InstrumentOptions } from './settings.ts';

instrument(optionsOfText(process.env.TRACEWRIGHT_AUTO ?? ''));
startPortFromEnvironment();
if (process.env.TRACEWRIGHT_KEEP_ACTIVITIES === '1') keepActivities();
