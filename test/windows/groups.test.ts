/** Groups of providers, and tags, at the Win32 interface. */
import { describe, expect, it } from 'vitest';
import { callsOf } from './etw-call.ts';
import { runProgram, skipReason, suiteName } from './run-program.ts';

/** The size, the name, and a trait of 19 bytes and type 1: the group's GUID in struct order. */
const TRAITS = `2b00${Buffer.from('MyCompany.MyComponent\0').toString('hex')}13000133221100554477668899aabbccddeeff`;

interface Groups {
  readonly states: readonly (readonly [string, ...boolean[]])[];
  readonly guids: readonly string[];
}

describe.skipIf(skipReason !== undefined)(suiteName('a group of providers'), { timeout: 90_000 }, () => {
  it('is told to ETW, byte for byte, and enabled together in either format', async () => {
    const { result, calls } = await runProgram<Groups>('programs/groups.mjs', { recorder: true });
    expect(result.states).toEqual([
      ['before', false, false, false],
      ['group', true, true, false],
      ['group and provider', true, true, false],
      ['provider', false, false, false],
      ['other keywords', false, false, false],
      ['by its GUID', false, false, false],
      ['late', true],
    ]);

    const [describedGuid, manifestGuid] = result.guids;
    const traitsOf = (guid: string | undefined) => {
      const { handle } = callsOf(calls, 'register').find(({ provider }) => provider === guid) ?? {};
      return callsOf(calls, 'setInformation').filter((call) => call.handle === handle);
    };
    expect(traitsOf(describedGuid)).toMatchObject([{ class: 2, data: TRAITS, status: 0 }]);
    expect(traitsOf(manifestGuid)).toMatchObject([{ class: 2, data: expect.stringMatching(/eeff$/) }]);

    const written = callsOf(calls, 'write').filter(
      ({ descriptor }) => Buffer.from(descriptor, 'hex').readUInt16LE(0) === 1,
    );
    expect(written.map(({ provider, delivered }) => [provider, delivered])).toEqual([
      [describedGuid, true],
      [manifestGuid, true],
    ]);
    // Traits; size, the event's tag in four bytes, its name; the field's name, type and tag; the payload.
    const [described, inManifest] = written.map(({ data }) => data.map(({ bytes }) => bytes));
    const metadata = `1300 ffffff70 ${Buffer.from('Note\0').toString('hex')} 6e00 8480 80808021`;
    expect(described).toEqual([TRAITS, metadata.replaceAll(' ', ''), '01']);
    expect(inManifest).toEqual(['02']);
  });
});
