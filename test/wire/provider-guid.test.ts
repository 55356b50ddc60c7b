/** GUIDs derived from provider names, as by .NET and Microsoft's TraceLogging libraries. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { guidText } from '../../lib/wire/guid.ts';
import { providerGuid } from '../../lib/wire/provider-guid.ts';

describe('the GUID of a provider', () => {
  it.each([
    ['MyCompany.MyComponent', 'ce5fa4ea-ab00-5402-8b76-9f76ac858fb5'],
    ['MyProvider', 'b3864c38-4273-58c5-545b-8b3608343471'],
    ['MyProviderName', 'b7aa4d18-240c-5f41-5852-817dbf477472'],
    ['OtherProviderName', '8ec53ac6-09b4-535e-5d19-e499de8832b4'],
    ['sample', '73e5f193-d48c-5cd7-6eed-84fbce74000f'],
    ['OpenTelemetry', 'c8fa2d35-9029-570b-7f78-a8bc116a49b2'],
    ['a', '015335b4-41d6-5d99-07c3-a140d76d05e3'],
    ['', '4445ee6c-fd5a-5b15-047a-5866ffa76aa6'],
    ['System.Runtime', '49592c0f-5a05-516d-aa4b-a64e02026c89'],
    ['System.Diagnostics.Metrics', '20752bc4-c151-50f5-f27b-df92d8af5a61'],
    ['Microsoft-Diagnostics-DiagnosticSource', 'adb401e1-5296-51f8-c125-5fda75826144'],
    ['Microsoft-Extensions-Logging', '3ac73b97-af73-50e9-0822-5da4367920d0'],
    ['System.Net.Http', 'd30b5633-7ef1-5485-b4e0-94979b102068'],
    ['Node.Runtime', '3102f772-ef77-5312-9495-18363a28a066'],
    ['Microsoft-Windows-DotNETRuntime', '5e5bb766-bbfc-5662-0548-1d44fad9bb56'],
    ['Contoso-Sample-Basic', 'dddf1c03-393f-5012-541f-3d93063e3f8c'],
    ['Contoso-TL', 'd8ab3315-74e2-55fa-3b77-a540924c0183'],
    ['Demo-Activities', '082256f5-7e74-534a-d7aa-b5a2c4825e57'],
    ['é', '8fef6893-bcb2-520e-3556-19e1ff510ee2'],
    ['Straße', '591935bd-9bbd-5997-a315-51e34558623c'],
  ])('%j is %s', (name, guid) => {
    expect(providerGuid(name)).toBe(guid);
  });

  it.each([
    ['MyProvider', 'MYPROVIDER'],
    ['é', 'É'],
    ['ÿ', 'Ÿ'],
    // The three forms of a digraph have one upper case.
    ['ǆ', 'Ǆ'],
    ['ǅ', 'Ǆ'],
    // Letters whose full upper case is two characters, and whose simple one is one.
    ['ᾀ', 'ᾈ'],
    ['ᾧ', 'ᾯ'],
    ['ᾳ', 'ᾼ'],
    ['ῃ', 'ῌ'],
    ['ῳ', 'ῼ'],
  ])('is the same for %s and %s', (one, other) => {
    expect(providerGuid(one)).toBe(providerGuid(other));
  });

  it.each([
    // .NET's invariant culture leaves these two alone.
    ['ı', 'I'],
    ['ſ', 'S'],
    // No single upper case.
    ['ß', 'SS'],
    ['ŉ', 'ʼN'],
    ['ﬁ', 'FI'],
    ['ᾈ', 'ἈΙ'],
    // Outside of the basic plane nothing is mapped.
    ['𐐨', '𐐀'],
  ])('differs for %s and %s', (one, other) => {
    expect(providerGuid(one)).not.toBe(providerGuid(other));
  });
});

it('is the SHA-1 that Node.js computes, for names of every length up to several blocks', () => {
  for (let length = 0; length < 150; length++) {
    const name = 'TRACEWRIGHT-'.repeat(13).slice(0, length);
    const utf16 = Buffer.from(name, 'utf16le').swap16();
    const namespace = Buffer.from('482C2DB2C39047C887F81A15BFC130FB', 'hex');
    const hash = createHash('sha1').update(namespace).update(utf16).digest();
    hash[7] = ((hash[7] as number) & 0x0f) | 0x50;
    expect(providerGuid(name)).toBe(guidText(hash.subarray(0, 16)));
  }
});
