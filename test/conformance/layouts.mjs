/**
 * The layouts of conformance data that tracewright can check itself against. Each is a separate module that exports:
 *
 * - `name`: the folder that it reads inside the data folder
 * - `applies(dir)`: whether the data folder `dir` contains any of it
 * - `run(dir, report)`: runs every case there; see `report.mjs`. It may be async.
 *
 * Add a new layout to this list; `npm run conformance` and `npm test` then both run it.
 */
import * as activity from './activity.mjs';
import * as activityTree from './activity-tree.mjs';
import * as etl from './etl.mjs';
import * as eventheader from './eventheader.mjs';
import * as nettrace from './nettrace.mjs';
import * as perfData from './perf-data.mjs';
import * as tracelogging from './tracelogging.mjs';

export const layouts = [activity, activityTree, etl, eventheader, nettrace, perfData, tracelogging];
