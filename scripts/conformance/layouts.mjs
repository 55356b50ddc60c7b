/**
 * The layouts of conformance data that tracewright can check itself against. Each is a module of its own
 * that exports:
 *
 * - `name`: the folder it reads inside the data folder
 * - `applies(dir)`: whether the data folder `dir` holds any of it
 * - `run(dir, report)`: runs every case there; see `report.mjs`. It may be async.
 *
 * A new layout is added to this list, and is then run by `npm run conformance` and by `npm test` alike.
 */
import * as activity from './activity.mjs';
import * as activityTree from './activity-tree.mjs';
import * as etl from './etl.mjs';
import * as eventheader from './eventheader.mjs';
import * as nettrace from './nettrace.mjs';
import * as perfData from './perf-data.mjs';
import * as tracelogging from './tracelogging.mjs';

export const layouts = [activity, activityTree, etl, eventheader, nettrace, perfData, tracelogging];
