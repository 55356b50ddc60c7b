// Runs a program as a user without access to the kernel's tracer, passes it three descriptors of user_events_data as 3,
// 4 and 5, and performs its requests to the tracer: `privileged-tool.mjs PROGRAM ARGUMENT...`.
import { spawn } from 'node:child_process';
import { closeSync, constants, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import * as tracefs from './tracefs.mjs';

const PAGE_SIZE = 4096;

const tools = {
  setRecorded: tracefs.setRecorded,
  setBufferKiB: tracefs.setBufferKiB,
  /** Waits until somebody records the tracepoints. */
  untilEnabled: (names) =>
    tracefs.until(() => names.every(isRecordedByPerf), `${names.join(', ')} to be recorded`),
  gone: (name) => tracefs.until(() => !tracefs.isKnown(name), `${name} to go`),
  /** The ring buffers' pages, as the kernel keeps them, and how they begin. */
  pages: () => ({
    header: readFileSync(`${tracefs.TRACEFS}/events/header_page`, 'utf8'),
    pages: readdirSync(`${tracefs.TRACEFS}/per_cpu`).flatMap(pagesOf),
  }),
};

/** The file tells who uses an event: `# Used by ftrace perf`. */
function isRecordedByPerf(name) {
  const status = readFileSync(`${tracefs.TRACEFS}/user_events_status`, 'utf8');
  return new RegExp(`^${name} #.*\\bperf\\b`, 'm').test(status);
}

function pagesOf(cpu) {
  const path = `${tracefs.TRACEFS}/per_cpu/${cpu}/trace_pipe_raw`;
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const pages = [];
  const page = Buffer.alloc(PAGE_SIZE);
  try {
    while (readSync(file, page) > 0) pages.push(page.toString('hex'));
  } catch (error) {
    // Nothing more is there.
    if (error.code !== 'EAGAIN') throw error;
  }
  closeSync(file);
  return pages;
}

const [program, ...args] = process.argv.slice(2);
const passed = [3, 4, 5].map(() => openSync(`${tracefs.TRACEFS}/user_events_data`, constants.O_RDWR));
const target = spawn(process.execPath, [program, ...args], {
  stdio: ['ignore', 'inherit', 'inherit', ...passed, 'ipc'],
  serialization: 'advanced',
  uid: 65534,
  gid: 65534,
});
// The tracepoints are to be the target's alone.
for (const descriptor of passed) closeSync(descriptor);
target.on('message', async ({ name, args }) => {
  try {
    target.send({ result: await tools[name](...args) });
  } catch (error) {
    target.send({ error: error.message });
  }
});
target.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
