// The C part: compiles the stand-in for user_events and the bare write loop, and finds the files that can replace the
// kernel's.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, ToolError } from '../lib/run.mjs';
import { prepare } from './processes.mjs';

function compile(source, program, ...options) {
  run('cc', ['-O2', '-Wall', '-Wextra', ...options, '-o', program, join(import.meta.dirname, source)]);
}

/** Writes one event to an ordinary file, and keeps its bytes. */
function captureEvent(standIn, folder) {
  const userEventsData = join(folder, 'user_events_data');
  const bytesFile = join(folder, 'event');
  writeFileSync(userEventsData, '');
  prepare(
    { module: 'enabled', workload: 'capture', arguments: [userEventsData, bytesFile] },
    { path: userEventsData, standIn },
  );
  return bytesFile;
}

/**
 * What all comparisons with C need. Call `close` when done.
 * @returns the compiled loop, the event's bytes and the targets that can be written to; or the reason, if there is no C
 * compiler, or no addon that can write
 */
export function openStandIns() {
  const folder = mkdtempSync(join(tmpdir(), 'tracewright-bench-'));
  const close = () => rmSync(folder, { recursive: true, force: true });
  try {
    const standIn = join(folder, 'stand-in.so');
    const program = join(folder, 'write-loop');
    compile('stand-in.c', standIn, '-shared', '-fPIC');
    compile('write-loop.c', program, '-pthread');
    const bytesFile = captureEvent(standIn, folder);
    return {
      program,
      bytesFile,
      devNull: { path: '/dev/null', standIn },
      // The process has no tracer of its own; descriptors passed to it are treated as one
      passedTracer: { path: join(folder, 'none'), standIn },
      close,
    };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { reason: error.message, close };
  }
}
