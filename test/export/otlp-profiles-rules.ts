/** What receivers of OpenTelemetry's profiles find in a request, in JSON and, decoded by protobuf.js, in protobuf. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { installedTools } from '../consumers/application.ts';

const tools = installedTools({ protobufjs: '7.3.2' });

export const NO_DECODER = 'reason' in tools ? tools.reason : undefined;

export interface ShownOtlpSample {
  readonly functions: readonly string[];
  readonly cpuNs: number;
  readonly attributes: Readonly<Record<string, string>>;
  readonly link: { readonly traceId: string; readonly spanId: string } | undefined;
}

export interface ShownOtlpProfile {
  readonly resource: Readonly<Record<string, string>>;
  readonly sampleType: string;
  readonly timeUnixNano: string;
  readonly durationNano: string;
  readonly samples: readonly ShownOtlpSample[];
}

// biome-ignore lint/suspicious/noExplicitAny: what is decoded
type Decoded = any;

/** @throws Error that names the broken rule */
export function checkOtlpProfiles(request: string | Uint8Array): ShownOtlpProfile[] {
  const { resourceProfiles, dictionary } =
    typeof request === 'string' ? JSON.parse(request) : decoded(request);
  const { mappingTable, locationTable, functionTable, linkTable, stringTable, attributeTable, stackTable } =
    dictionary;
  for (const [first] of [mappingTable, locationTable, functionTable, attributeTable, stackTable])
    demand(JSON.stringify(first) === '{}', 'The first entry of a table is empty', first);
  demand(stringTable[0] === '', 'The first text is empty', stringTable[0]);
  const none = { traceId: '0'.repeat(32), spanId: '0'.repeat(16) };
  demand(JSON.stringify(linkTable[0]) === JSON.stringify(none), 'The first link is to nothing', linkTable[0]);
  for (const table of [stringTable, linkTable, attributeTable, stackTable]) {
    const texts = new Set(table.map((entry: unknown) => JSON.stringify(entry)));
    demand(texts.size === table.length, 'The entries of a table are different', table);
  }
  const entry = (table: Decoded[], index: number): Decoded => {
    demand(index >= 0 && index < table.length, 'An index is in its table', index);
    return table[index];
  };
  const nameOf = (location: number) => {
    const { lines } = entry(locationTable, location);
    return entry(stringTable, entry(functionTable, lines[0].functionIndex).nameStrindex);
  };
  const value = ({ stringValue, intValue }: Decoded) => stringValue ?? String(intValue);
  return resourceProfiles.map(({ resource, scopeProfiles }: Decoded) => {
    const [{ profiles }] = scopeProfiles;
    const [{ sampleType, samples, timeUnixNano, durationNano }] = profiles;
    return {
      resource: Object.fromEntries(resource.attributes.map((each: Decoded) => [each.key, value(each.value)])),
      sampleType: `${entry(stringTable, sampleType.typeStrindex)}/${entry(stringTable, sampleType.unitStrindex)}`,
      timeUnixNano,
      durationNano,
      samples: samples.map(({ stackIndex, attributeIndices = [], linkIndex = 0, values }: Decoded) => {
        demand(stackIndex > 0 && values.length === 1, 'A sample has a stack and a value', stackIndex);
        return {
          functions: entry(stackTable, stackIndex).locationIndices.map(nameOf),
          cpuNs: Number(values[0]),
          attributes: Object.fromEntries(
            attributeIndices
              .map((index: number) => entry(attributeTable, index))
              .map((each: Decoded) => [entry(stringTable, each.keyStrindex), value(each.value)]),
          ),
          link: linkIndex === 0 ? undefined : entry(linkTable, linkIndex),
        };
      }),
    };
  });
}

function decoded(bytes: Uint8Array): Decoded {
  const require = createRequire(join('folder' in tools ? tools.folder : '', 'package.json'));
  const { parse } = require('protobufjs') as Decoded;
  const definitions = readFileSync(new URL('otlp-profiles.proto', import.meta.url), 'utf8');
  const type = parse(definitions).root.lookupType('otlp.Request');
  const object = type.toObject(type.decode(bytes), { longs: String, bytes: String });
  return JSON.parse(JSON.stringify(object), (key, member) =>
    /^(trace|span)Id$/.test(key) ? Buffer.from(member, 'base64').toString('hex') : member,
  );
}

function demand(condition: boolean, rule: string, where: unknown): void {
  if (!condition) throw new Error(`${rule}: ${JSON.stringify(where)?.slice(0, 300)}`);
}
