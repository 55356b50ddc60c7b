// Runs another program in a copy of node.exe with a different name, as with Electron and single executables.
import { execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';

copyFileSync(process.execPath, 'host.exe');
process.stdout.write(execFileSync('host.exe', ['programs/package.mjs']));
