// `node check-recording.mjs PERF_DATA PERF_SCRIPT_TEXT RESULT REQUESTS`: checks that perf recorded exactly what
// requests.mjs wrote: every event, in perf script's text and through tracewright's own reader, each with its activity.
import { readFileSync } from 'node:fs';
import { activityPath } from 'tracewright';
import { openTrace } from 'tracewright/trace';

/** Start, nested start, row, two stops. */
const eventsARequest = 5;
/** Events written before perf is certain to record have this number, or are named Ready. */
const warmUpNumber = 0xffffffff;
const mostWarmUps = 40;

/** The name of each event of a request and the path of its activity, relative to the request's path. */
function expectedEvents(path) {
  return [
    ['RequestStart', path],
    ['QueryStart', `${path}/1`],
    ['Row', `${path}/1`],
    ['QueryStop', `${path}/1`],
    ['RequestStop', path],
  ];
}

async function recordedEvents(file) {
  const events = [];
  for await (const event of await openTrace(file)) {
    if (event.name !== 'Ready' && event.payload.number !== warmUpNumber) events.push(event);
  }
  return events;
}

/**
 * @param {import('tracewright/trace').TraceEvent[]} events
 * @param {string[]} scriptLines
 * @param {{ pid: number, stats: { dropped: object } }} result the program's output
 * @param {number} requests
 * @returns {string[]} the problems, in sentences
 */
function recordingProblems(events, scriptLines, result, requests) {
  const problems = [];
  if (Object.keys(result.stats.dropped).length > 0) {
    problems.push(`The program dropped events: ${JSON.stringify(result.stats.dropped)}.`);
  }
  const wanted = eventsARequest * requests;
  if (events.length !== wanted) problems.push(`perf recorded ${events.length} events of ${wanted}.`);
  const warmUps = scriptLines.length - wanted;
  if (warmUps < 0 || warmUps > mostWarmUps) {
    problems.push(`perf script shows ${scriptLines.length} lines for ${wanted} events and the first few.`);
  }
  const foreign = scriptLines.find((line) => !line.includes('user_events:MyCompany_MyService_L'));
  if (foreign !== undefined) problems.push(`perf script shows a line of something else: ${foreign}`);
  if (events.some(({ processId }) => processId !== result.pid)) {
    problems.push(`Not all events are of the process ${result.pid}.`);
  }
  const seen = events.map((event) => `${event.name} ${activityPath(event.activityId ?? '')}`).sort();
  const expected = Array.from({ length: requests }, (_, index) => expectedEvents(`//1/${index + 1}`))
    .flat()
    .map(([name, path]) => `${name} ${path}`)
    .sort();
  const odd = seen.findIndex((text, index) => text !== expected[index]);
  if (odd >= 0)
    problems.push(`Of the events in order, "${seen[odd]}" is where "${expected[odd]}" should be.`);
  for (const event of events) {
    if (event.name !== 'QueryStart') continue;
    const related = event.relatedActivityId === undefined ? 'none' : activityPath(event.relatedActivityId);
    if (`${related}/1` !== activityPath(event.activityId ?? '')) {
      problems.push(`A QueryStart of ${activityPath(event.activityId ?? '')} is related to ${related}.`);
      break;
    }
  }
  return problems;
}

const [dataFile, scriptFile, resultFile, requests] = process.argv.slice(2);
const events = await recordedEvents(dataFile);
const scriptLines = readFileSync(scriptFile, 'utf8').trimEnd().split('\n');
const result = JSON.parse(readFileSync(resultFile, 'utf8'));
const problems = recordingProblems(events, scriptLines, result, Number(requests));
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`perf recorded all ${events.length} events, each with its activity.`);
