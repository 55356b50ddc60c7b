/** The addon's functions in TypeScript are those that native/ registers, on each platform. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadAddon } from '../../lib/platform/addon.ts';

const root = join(import.meta.dirname, '../..');
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

const table = textOf('lib/platform/addon-functions.ts');
const sources = JSON.parse(textOf('native/sources.json')) as Readonly<Record<string, readonly string[]>>;

/** The members of interfaces of the table. */
function typed(...names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const [, members = ''] =
      new RegExp(`^export interface ${name}\\b.*\\{\\n([^]*?)^\\}`, 'm').exec(table) ?? [];
    return Array.from(members.matchAll(/^ {2}(?:readonly )?(\w+)[(:]/gm), ([, member = '']) => member);
  });
}

/** What the platform's sources export, in the words of Node-API. */
function registered(platform: string): string[] {
  return [...(sources.all ?? []), ...(sources[platform] ?? [])].flatMap((path) =>
    Array.from(
      textOf(path).matchAll(/exports\["(\w+)"\]|Add<\w+>\(exports, "(\w+)"/g),
      ([, assigned, added]) => (assigned ?? added) as string,
    ),
  );
}

const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort();
const shared = typed('TracerAddon', 'Addon');

describe("the table of the addon's functions", () => {
  it('is read by this test', () => {
    expect(shared).toContain('write');
    expect(registered('linux')).toEqual(expect.arrayContaining(['write', 'platform', 'claimEventId']));
  });

  it.each([
    ['linux', 'LinuxAddon'],
    ['windows', 'WindowsAddon'],
  ])('has what native/ registers for %s, and nothing else', (platform, name) => {
    expect(sorted([...shared, ...typed(name)])).toEqual(sorted(registered(platform)));
  });

  it('has what native/ registers for other systems, which refuse to record', () => {
    const known = new Set([...shared, ...typed('LinuxAddon')]);
    expect(registered('none').filter((name) => !known.has(name))).toEqual([]);
    expect(registered('none')).toEqual(expect.arrayContaining(shared));
  });

  it('has what the addon of this machine exports', () => {
    const addon = loadAddon();
    if ('reason' in addon) throw new Error(addon.reason);
    const name = { user_events: 'LinuxAddon', etw: 'WindowsAddon', none: '' }[addon.platform];
    const expected = name === '' ? registered('none') : [...shared, ...typed(name)];
    expect(sorted(Object.keys(addon))).toEqual(sorted(expected));
  });
});
