// A program whose main thread waits in the system, where nothing interrupts it, until its standard input ends.
import { readFileSync } from 'node:fs';
import { enableDiagnostics } from 'tracewright/diagnostics';

enableDiagnostics();
// The port has had its time to open.
setTimeout(() => {
  console.log('Blocked.');
  readFileSync(0);
}, 300);
