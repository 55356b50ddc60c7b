/** What else is loaded with an entry of the package: an application pays only for what it uses. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../dist/cjs', import.meta.url));

/** The file's name without what changes with its contents. */
const plainName = (path: string) => basename(path).replace(/-[\w-]{8}\.cjs$/, '.cjs');

function loadedBy(entry: string): string[] {
  const program = `require(${JSON.stringify(join(folder, entry))}); console.log('loaded:' + Object.keys(require.cache))`;
  // The command line prints its usage, too.
  const [, paths = ''] =
    /^loaded:(.*)$/m.exec(execFileSync(process.execPath, ['-e', program]).toString()) ?? [];
  return paths.split(',').map(plainName).sort();
}

/** What a program loads after it has loaded entries, which set `before`. */
function loadedLater(program: string): string[] {
  const whole = `
    const load = (entry) => require(${JSON.stringify(folder)} + '/' + entry);
    let before;
    const entries = (...names) => {
      const all = Object.assign({}, ...names.map(load));
      before = new Set(Object.keys(require.cache));
      return all;
    };
    process.on('exit', () => {
      console.log(JSON.stringify(Object.keys(require.cache).filter((path) => !before.has(path))));
    });
    ${program}`;
  const paths: string[] = JSON.parse(execFileSync(process.execPath, ['-e', whole]).toString());
  return paths.map(plainName);
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
      const { startSession } = entries('index.cjs');
      startSession({ providers: '*', output: require('node:os').devNull }).close();`;
    expect(loadedLater(program)).toContain('sessions.cjs');
  });

  it.each([
    ['a manifest', "etwFormat: 'manifest'", ['manifest-format.cjs']],
    ['plain tracepoints', "userEventsFormat: 'plain'", ['plain-format.cjs']],
    ['neither', '', []],
  ])('what a source with %s needs is loaded with the first one', (_, options, files) => {
    const program = `
      const { defineEventSource, event } = entries('index.cjs');
      defineEventSource('Loading-Test', { Hit: event({ n: 'int32' }) }, { ${options} });`;
    const formats = loadedLater(program).filter((name) => /format|manifest|sessions|parts/.test(name));
    expect(formats).toEqual(files);
  });

  it('automatic activities load what observes when somebody wants an event, and else what is asked for', () => {
    const atOnce = ['auto.cjs', 'base.cjs', 'every-second.cjs', 'request-fields.cjs', 'write.cjs'];
    expect(loadedBy('auto.cjs')).toEqual(atOnce);
    const program = `
      const { startSession } = entries('auto.cjs', 'index.cjs');
      startSession({ providers: 'Node.Http', output: require('node:os').devNull }).close();`;
    expect(loadedLater(program)).toContain('automatic.cjs');
  });

  it('the trace reader loads nothing that writes events, and opens no port', () => {
    expect(loadedBy('trace.cjs')).toEqual(['base.cjs', 'read.cjs', 'shared.cjs', 'trace.cjs']);
  });

  it('the command line loads neither before a command needs it', () => {
    expect(loadedBy('cli.cjs')).not.toContain('write.cjs');
    expect(loadedBy('cli.cjs')).not.toContain('read.cjs');
  });
});
