// The thread's activity id, with all five control codes, in two threads.
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { descriptor, probe, register } from './probe.mjs';

const GET = 1;
const SET = 2;
const CREATE = 3;
const GET_SET = 4;
const CREATE_SET = 5;

/** The id's bytes after the call; the status, unless it is 0. */
function control(code, start = 0) {
  const id = Buffer.alloc(16, start);
  return probe.activityIdControl(code, id) || id.toString('hex');
}

const results = [
  control(GET),
  control(SET, 0x11),
  control(GET),
  control(GET_SET, 0x22),
  control(GET),
  new Set([control(CREATE), control(CREATE)]).size,
  control(GET),
  control(CREATE_SET),
  control(GET) === '22'.repeat(16),
  control(0),
  control(6),
  probe.activityIdControl(GET, undefined),
];

if (isMainThread) {
  control(SET, 0x33);
  const inWorker = await new Promise((resolve, reject) => {
    new Worker(new URL(import.meta.url)).on('message', resolve).on('error', reject);
  });
  probe.write(register().handle, descriptor(4, 0n), undefined, undefined, []);
  console.log(JSON.stringify({ inMain: results, inWorker, after: control(GET) }));
} else {
  parentPort.postMessage(results);
}
