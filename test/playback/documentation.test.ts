/** The examples of docs/playback.md, run unchanged; their output must match the documented one. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { dataFolder, dataIsRequired, SKIP_REASON } from '../conformance/data-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const document = readFileSync(join(root, 'docs/playback.md'), 'utf8');

interface Example {
  readonly program: string;
  /** Undefined where none stands below. */
  readonly output: string | undefined;
}

/** By the heading that they stand under. */
const examples = new Map<string, Example>();
for (const section of document.split(/^## /m)) {
  const [, program] = /^```js\n(.*?)^```$/ms.exec(section) ?? [];
  const [, output] = /^```text\n(.*?)^```$/ms.exec(section) ?? [];
  if (program !== undefined) examples.set(section.split('\n', 1)[0] ?? '', { program, output });
}

/** From the package's folder, in which it finds itself by its own name. */
const printed = (program: string, ...args: string[]) =>
  execFileSync(process.execPath, ['--input-type=module', '-', ...args], {
    cwd: root,
    input: program,
  }).toString();

const example = (heading: string) => examples.get(heading) as Example;

describe('an example of docs/playback.md', () => {
  it('is covered by this test', () => {
    expect([...examples.keys()]).toEqual([
      'An example',
      'Several inputs',
      'Live feeds',
      'Other logs: type maps',
    ]);
  });

  it.each(['Live feeds', 'Other logs: type maps'])('prints its documented output: %s', (heading) => {
    const { program, output } = example(heading);
    expect(printed(program)).toBe(output);
  });
});

const isSkipped = dataFolder === undefined && !dataIsRequired;
describe.skipIf(isSkipped)(`an example of docs/playback.md on a trace (${SKIP_REASON})`, () => {
  const file = (name: string) => join(dataFolder ?? '', 'etl', name);

  it('prints its documented output', () => {
    const { program, output } = example('An example');
    expect(printed(program, file('HTTP_Server.etl'), file('HTTP_Server.man'))).toBe(output);
  });

  it('merges files', () => {
    const { program } = example('Several inputs');
    expect(printed(program, file('HTTP_Server.etl'), file('HTTP_Server.etl'))).toBe('4082 events\n');
  });
});
