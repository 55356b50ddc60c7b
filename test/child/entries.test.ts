/** What else is loaded with an entry of the package: an application pays only for what it uses. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../dist/cjs', import.meta.url));

function loadedBy(entry: string): string[] {
  const program = `require(${JSON.stringify(join(folder, entry))}); console.log('loaded:' + Object.keys(require.cache))`;
  // The command line prints its usage, too.
  const [, paths = ''] =
    /^loaded:(.*)$/m.exec(execFileSync(process.execPath, ['-e', program]).toString()) ?? [];
  return paths
    .split(',')
    .map((path) => basename(path).replace(/-[\w-]{8}\.cjs$/, '.cjs'))
    .sort();
}

/** Modules of Node.js that an empty program does not load. */
function builtinsLoadedBy(entry: string): string[] {
  const program = `
    const before = new Set(process.moduleLoadList);
    require(${JSON.stringify(join(folder, entry))});
    console.log(JSON.stringify(process.moduleLoadList.filter((name) => !before.has(name))));`;
  const loaded: string[] = JSON.parse(execFileSync(process.execPath, ['-e', program]).toString());
  return loaded.map((name) => name.replace('NativeModule ', ''));
}

describe('loading', () => {
  it('takes a byte for each character of the text, which V8 keeps', () => {
    const files = readdirSync(folder).filter((name) => name.endsWith('.cjs'));
    const wide = files.filter((name) => /[^\0-\xff]/.test(readFileSync(join(folder, name), 'utf8')));
    expect(wide).toEqual([]);
  });

  it.each(['index.cjs', 'auto.cjs', 'trace.cjs', 'diagnostics.cjs'])(
    '%s loads no node:crypto, which takes as long as all of the package',
    (entry) => {
      const loaded = builtinsLoadedBy(entry);
      expect(loaded).not.toContain('crypto');
      expect(loaded).not.toContain('internal/crypto/hash');
    },
  );

  it('the index loads what writes events, in three files, and opens the port if requested', () => {
    expect(loadedBy('index.cjs')).toEqual(['base.cjs', 'index.cjs', 'write.cjs']);
  });

  it('sessions are loaded with the first one', () => {
    const program = `
      const { startSession } = require(${JSON.stringify(join(folder, 'index.cjs'))});
      const before = new Set(Object.keys(require.cache));
      startSession({ providers: '*', output: require('node:os').devNull }).close().then(({ problem }) => {
        const loaded = Object.keys(require.cache).filter((path) => !before.has(path));
        console.log(JSON.stringify([problem, ...loaded.map((path) => path.split(/[\\\\/]/).at(-1))]));
      });`;
    const [problem, ...loaded] = JSON.parse(execFileSync(process.execPath, ['-e', program]).toString());
    expect(problem).toBeNull();
    expect(loaded).toContain('sessions.cjs');
  });

  it('automatic activities load the process context only if it is asked for', () => {
    expect(loadedBy('auto.cjs')).toEqual(['auto.cjs', 'base.cjs', 'call-sites.cjs', 'write.cjs']);
  });

  it('the trace reader loads nothing that writes events, and opens no port', () => {
    expect(loadedBy('trace.cjs')).toEqual(['base.cjs', 'read.cjs', 'trace.cjs']);
  });

  it('the command line loads neither before a command needs it', () => {
    expect(loadedBy('cli.cjs')).not.toContain('write.cjs');
    expect(loadedBy('cli.cjs')).not.toContain('read.cjs');
  });
});
