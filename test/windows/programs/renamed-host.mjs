// Runs another program in a copy of node.exe by another name, as Electron and single executables have.
import { execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';

copyFileSync(process.execPath, 'host.exe');
process.stdout.write(execFileSync('host.exe', ['programs/package.mjs']));
