/** The events of .NET's runtime in real traces: all are described, down to the last byte. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { dotnetEvent, dotnetProviderName } from '../../lib/known/dotnet.ts';
import { openTrace } from '../../lib/trace/open-trace.ts';
import { decodePacked } from '../../lib/wire/packed/decode.ts';
import type { PackedField } from '../../lib/wire/packed/field.ts';
import { dataFolder, SKIP_REASON } from '../conformance/data-folder.ts';

/** Whatever stands behind the fields. */
const REST: PackedField = { name: 'rest', type: 'binary' };
const MANIFEST_EVENT_ID = 0xfffe;

const withRest = new Map<readonly PackedField[], readonly PackedField[]>();

/** What is wrong with the description of an event; undefined where nothing is. */
function misfit(fields: readonly PackedField[], bytes: Uint8Array): string | undefined {
  let all = withRest.get(fields);
  if (all === undefined) {
    all = [...fields, REST];
    withRest.set(fields, all);
  }
  // The pointers may be of either size: a description that fits with one of them is right.
  const tries = ([8, 4] as const).map((pointerSize) => {
    const { payload, problem } = decodePacked(all, bytes, pointerSize);
    const rest = (payload.rest as Uint8Array | undefined)?.length ?? 0;
    return problem ?? (rest === 0 ? undefined : `${rest} bytes are left.`);
  });
  return tries.includes(undefined) ? undefined : tries[0];
}

describe.skipIf(dataFolder === undefined)(`.NET in real traces (${SKIP_REASON})`, () => {
  it.each([
    ['etl/gcevents.etl', 68],
    ['etl/net.4.5.2.x64.etl', 60_000],
    ['nettrace/only_managed_samples.nettrace', 37_603],
    ['nettrace/eventpipe-dotnetcore6.0-win-x64-executioncheckpoints.nettrace', 3],
  ])(
    '%s has more than that many events, and no byte that no field explains',
    { timeout: 120_000 },
    async (file, count) => {
      const misfits = new Set<string>();
      let described = 0;
      for await (const event of await openTrace(join(dataFolder ?? '', file))) {
        const { providerGuid = '', id, version } = event;
        if (dotnetProviderName(providerGuid) === undefined || id === MANIFEST_EVENT_ID) continue;
        const description = dotnetEvent(providerGuid, id, version);
        const problem =
          description === undefined
            ? 'Nothing describes it.'
            : misfit(description.fields, event.payloadBytes);
        if (problem !== undefined) misfits.add(`${event.provider} ${id} v${version}: ${problem}`);
        described++;
      }
      expect([...misfits]).toEqual([]);
      expect(described).toBeGreaterThanOrEqual(count);
    },
  );

  /** Fields that TraceEvent computes, or shows though the payload lacks them. */
  const COMPUTED = ['OptimizationTier', 'ModuleILFileName', 'MethodFlags', 'ReJITID'];

  it('has the names and values that TraceEvent shows', async () => {
    const path = join(dataFolder ?? '', 'nettrace', 'only_managed_samples');
    const lines = gunzipSync(readFileSync(`${path}.expected.jsonl.gz`))
      .toString()
      .trim()
      .split('\n');
    const differences = new Set<string>();
    let index = 0;
    for await (const event of await openTrace(`${path}.nettrace`)) {
      const expected = JSON.parse(lines[index++] ?? '{}');
      const description = dotnetEvent(expected.providerGuid, expected.id, expected.version);
      if (description === undefined) throw new Error(`Nothing describes ${expected.name}.`);
      const { name, taskName, opcodeName, fields } = description;
      expect([name, taskName, opcodeName]).toEqual([expected.name, expected.taskName, expected.opcodeName]);
      const { payload } = decodePacked(fields, event.payloadBytes, 8);
      for (const [field, value] of Object.entries<string | number | { value: number }>(expected.payload)) {
        const number = typeof value === 'object' ? value.value : value;
        if (String(payload[field]) !== String(number)) differences.add(field);
      }
    }
    expect(index).toBe(37_603);
    expect([...differences].filter((field) => !COMPUTED.includes(field))).toEqual([]);
  });
});
