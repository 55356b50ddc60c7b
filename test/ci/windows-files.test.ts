/** The files for Windows' tools identify the provider of the README's first example as ETW does. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { providerGuid } from '../../lib/wire/provider-guid.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const provider = 'MyCompany-MyService';

function references(xml: string, attribute: string): string[] {
  return Array.from(xml.matchAll(new RegExp(`\\b${attribute}="([^"]*)"`, 'g')), ([, value = '']) => value);
}

describe('the files for Windows', () => {
  it("match the provider of the README's first example", () => {
    expect(/defineEventSource\('([^']*)'/.exec(read('README.md'))?.[1]).toBe(provider);
    expect(read('docs/tracewright.wprp')).toContain(`<EventProvider Id="EventProvider" Name="*${provider}"`);
    const guids = new Set(references(read('docs/tracewright.regions.xml'), 'Provider'));
    expect([...guids]).toEqual([`{${providerGuid(provider)}}`]);
    expect(read('docs/windows.md')).toContain(providerGuid(provider));
  });

  it('have a profile with the name that the commands use, with existing parts', () => {
    const profile = read('docs/tracewright.wprp');
    const ids = references(profile, 'Id');
    for (const [, used = ''] of profile.matchAll(/<\w+Id Value="([^"]*)"/g)) expect(ids).toContain(used);
    for (const base of references(profile, 'Base')) expect(ids).toContain(base);
    const [, documented] = /tracewright\.wprp!(\w+)/.exec(read('docs/windows.md')) ?? [];
    expect(documented).toBe('tracewright');
    const session = read('scripts/ci/etw-session.mjs');
    const recorded = Array.from(session.matchAll(/\bprofile\('(\w+)'\)/g), ([, name]) => name);
    expect(recorded).toEqual(['tracewright', 'events']);
    for (const name of recorded) expect(profile).toContain(`Name="${name}"`);
  });

  it('have regions from a Start to its Stop, by the ids of these events', () => {
    const [, definition = ''] =
      /defineEventSource\('MyCompany-MyService', \{(.*?)^\}\);/ms.exec(read('README.md')) ?? [];
    const names = Array.from(definition.matchAll(/^ {2}(\w+): event\(/gm), ([, name]) => name);
    const regions = read('docs/tracewright.regions.xml');
    const numbers = references(regions, 'Id').map((id) => names[Number(id) - 1]);
    expect(numbers).toEqual(['RequestStart', 'RequestStop']);
  });
});
