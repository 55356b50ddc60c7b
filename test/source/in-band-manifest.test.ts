/** The manifest that a provider writes into traces: one for all of its definitions. */
import { describe, expect, it } from 'vitest';
import { event, valueMap } from '../../lib/index.ts';
import { Subscriptions } from '../../lib/listen/subscriptions.ts';
import { LISTENABLE } from '../../lib/listen/written-event.ts';
import { Tracer } from '../../lib/platform/tracer.ts';
import { Account } from '../../lib/source/account.ts';
import { eventSchemas } from '../../lib/source/event-schemas.ts';
import { writeManifestInBand } from '../../lib/source/in-band-manifest.ts';
import type { ManifestSource } from '../../lib/wire/manifest/generate.ts';
import { ManifestAssembly } from '../../lib/wire/manifest/in-band.ts';
import { parseManifest } from '../wire/manifest/parse-manifest.ts';
import { FakeAddon } from './fake-addon.ts';

/** Of the addon's part of an event, which the fake one keeps without its first 4 bytes. */
const HEAD_SIZE = 32;

/** A provider whose definitions a fake ETW records. */
function recorded() {
  const addon = new FakeAddon({ platform: 'etw' });
  const tracer = new Tracer(addon);
  tracer.open();
  const provider = { name: 'Provider', guid: '00112233-4455-6677-8899-aabbccddeeff' };
  const subscriptions = new Subscriptions('Provider', () => {});
  const source = { ...provider, [LISTENABLE]: subscriptions };
  const account = new Account();
  const context = { provider, tracer, account, throwOnErrors: false, subscriptions, source: () => source };
  const open = (events: Parameters<typeof eventSchemas>[1], more: Partial<ManifestSource> = {}) => {
    const schemas = eventSchemas('Provider', events, more.keywordNames ?? {}, []);
    return writeManifestInBand(context, { ...provider, events: schemas, keywordNames: {}, ...more });
  };
  const written = () => {
    const assembly = new ManifestAssembly();
    const documents = addon.events.splice(0).map((bytes) => assembly.add(bytes.subarray(HEAD_SIZE)));
    return documents.filter((xml) => xml !== undefined);
  };
  return { addon, account, open, written };
}

describe('the manifest of a provider with two definitions', () => {
  it('describes the events, keywords, maps and texts of both, also after one is closed', () => {
    const { addon, open, written } = recorded();
    const state = (name: string) => valueMap('State', { [name]: 1 });
    const closeFirst = open(
      { Note: event({ state: state('Idle') }, { keywords: 1n, message: 'At {0}' }) },
      { keywordNames: { Net: 1n }, messages: { 'en-US': { keyword_Net: 'The net' } } },
    );
    addon.record(true);
    const closeSecond = open(
      { Note: event({ state: state('Busy') }, { id: 2, keywords: 2n }) },
      { keywordNames: { Disk: 2n } },
    );
    const [xml = '', ...others] = written();
    expect(others).toEqual([]);
    const { events, keywords } = parseManifest(xml);
    const maps = events.map(({ id, fields }) => [id, fields[0]?.map?.entries.map(({ name }) => name)]);
    expect(maps.slice(1)).toEqual([
      [1, ['Idle']],
      [2, ['Busy']],
    ]);
    expect(keywords.map(({ name }) => name)).toEqual(expect.arrayContaining(['Net', 'Disk']));
    expect(xml).toContain('The net');

    closeSecond();
    closeFirst();
    expect(written()).toEqual([xml, xml]);
    // Defined again later: what the trace contains already remains described.
    open({ Same: event({ state: state('Idle') }, { id: 3 }) });
    addon.record(true);
    open({ Later: event({}, { id: 4 }) });
    const described = written().map((document) => parseManifest(document).events.map(({ id }) => id));
    expect(described).toEqual([[0, 1, 2, 3, 4]]);
  });

  it('is not written without a session, nor twice for the same definition', () => {
    const { addon, open, written } = recorded();
    const close = open({ Note: event() });
    expect(written()).toEqual([]);
    addon.record(true);
    open({ Note: event() });
    expect(written()).toEqual([]);
    close();
    expect(written()).toHaveLength(1);
  });

  it('that has no room even in small chunks is counted', () => {
    const { addon, account, open, written } = recorded();
    const close = open({ Note: event() });
    addon.record(true);
    addon.writeError = 234;
    close();
    expect(written()).toEqual([]);
    expect(account.stats().dropped).toEqual({ tooLargeForSession: 1 });
  });
});
