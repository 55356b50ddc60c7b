/** The workflows in the eyes of GitHub's own parser: their schema, their expressions and the names that these know. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Application, installedTools } from './application.ts';

const tools = installedTools({ '@actions/workflow-parser': '0.3.61', esbuild: '^0.28.0' });
const workflows = fileURLToPath(new URL('../../.github/workflows', import.meta.url));
const ci = readFileSync(join(workflows, 'ci.yml'), 'utf8');

/** Prints what the parser says against each workflow of a folder. */
const CHECK = `
  import { readdirSync, readFileSync } from 'node:fs';
  import { NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
  const [, , folder] = process.argv;
  for (const name of readdirSync(folder)) {
    const file = { name, content: readFileSync(folder + '/' + name, 'utf8') };
    const { context } = parseWorkflow(file, new NoOperationTraceWriter());
    for (const { message } of context.errors.getErrors()) console.log(message);
  }`;

describe.skipIf('reason' in tools)(`GitHub's parser${'reason' in tools ? ` (${tools.reason})` : ''}`, () => {
  let application: Application;
  beforeAll(() => {
    application = new Application('folder' in tools ? tools.folder : '');
    application.write('check.mjs', CHECK);
    // The parser imports its schema without the attribute that Node.js wants for JSON.
    const bundle = ['check.mjs', '--bundle', '--platform=node', '--outfile=check.cjs'];
    expect(application.tool('esbuild', bundle).status).toBe(0);
  }, 120_000);
  afterAll(() => application?.remove());

  const problems = (folder: string) => application.run(process.execPath, ['check.cjs', folder]);

  it('finds nothing in the workflows', () => {
    expect(problems(workflows)).toEqual({ status: 0, output: '' });
  });

  it.each([
    ['timeout-minutes: 10', 'timeout-minute: 10', "Unexpected value 'timeout-minute'"],
    ['matrix.os', 'matrx.os', "Unrecognized named-value: 'matrx'"],
    ['runs-on: windows-latest', 'runs-in: windows-latest', "Unexpected value 'runs-in'"],
  ])('would find a mistake: %s as %s', (right, wrong, problem) => {
    expect(ci).toContain(right);
    const file = application.write('wrong/ci.yml', ci.replace(right, wrong));
    expect(problems(join(file, '..')).output).toContain(problem);
  });
});
