/** docs/runtime.md says which events there are. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Level } from '../../lib/index.ts';
import { enableRuntimeEvents, RuntimeKeywords } from '../../lib/runtime/index.ts';

const text = readFileSync(join(import.meta.dirname, '../../docs/runtime.md'), 'utf8');
const rows = Array.from(
  text.matchAll(/^\| (\w+) \| (\w+)(?:, 0x(\d+))? \| (Informational|Verbose|Warning|Error) \| .* \|$/gm),
  ([, name = '', keyword = '', bits = '0', level = '']) => ({ name, keyword, bits, level }),
);
const source = enableRuntimeEvents();

it('the documented events are those of the source', () => {
  const events = Object.entries(source).flatMap(([name, member]) =>
    typeof member === 'function' && 'identity' in member ? [name] : [],
  );
  expect(rows.map(({ name }) => name)).toEqual(events);
});

it('the documented keywords have their bits', () => {
  const keywords = rows.filter(({ keyword }) => keyword !== 'none');
  expect(Object.fromEntries(keywords.map(({ keyword, bits }) => [keyword, BigInt(`0x${bits}`)]))).toEqual(
    RuntimeKeywords,
  );
});

it('the documented levels and keywords make the tracepoints', () => {
  const documented = rows.map(
    ({ level, bits }) => `Node_Runtime_L${Level[level as keyof typeof Level]}K${bits}`,
  );
  expect([...new Set(documented)].sort()).toEqual([...source.tracepoints].sort());
});
