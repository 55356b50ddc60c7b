/** The DLL of a manifest: its resources, byte by byte where Microsoft's compiler has made the same. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { compileManifest } from '../../../../lib/wire/manifest/resource/compile.ts';
import { nodeManifest } from './node-manifest.ts';
import { resourcesOf } from './read-dll.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('the DLL of a manifest', () => {
  it("has the bytes of Microsoft's compiler: those in node.exe 12 and 14, of the same manifest", () => {
    const resources = resourcesOf(compileManifest(nodeManifest()));
    expect(
      resources.map(({ type, id, language, data }) => [type, id, language, data.length, sha256(data)]),
    ).toEqual([
      ['WEVT_TEMPLATE', 1, 0x409, 5442, '53a88541d2d6c98c7c37868988288ae460d03cca492a69582ffaf5b3a6df6741'],
      [11, 1, 0x409, 1268, '1a0cb57ea4e2be45cae9b50b306ef9933215b6660e05a4224881148decb96c1e'],
    ]);
  });
});
