/** Test runners with their own module loaders: Jest resolves `require` itself, and has no `require(esm)`. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { named } from '../platforms.ts';
import { Application, installedTools, reasonOf } from './application.ts';

const testText = `
test('an event reaches its listener', () => {
  const log = defineEventSource('Tested-Application', { Tick: event({ n: 'uint32' }) });
  const seen = [];
  const subscription = listen(log, (written) => seen.push([written.name, written.payload.n]));
  log.Tick({ n: 7 });
  subscription.close();
  expect(seen).toEqual([['Tick', 7]]);
  expect(openTrace).toBeInstanceOf(Function);
});
`;
const imports = `
import { defineEventSource, event, listen } from 'tracewright';
import { openTrace } from 'tracewright/trace';
`;
const requires = `
const { defineEventSource, event, listen } = require('tracewright');
const { openTrace } = require('tracewright/trace');
`;
const babel = `module.exports = { presets: [['@babel/preset-env', { targets: { node: 'current' } }], '@babel/preset-typescript'] };`;
const files = {
  'required.test.js': `${requires}${testText}`,
  'imported.test.ts': `${imports}${testText.replace('seen = []', 'seen: [string, unknown][] = []')}`,
};

const runners = {
  'Jest 29 with babel': {
    tools: { jest: '^29.7.0', '@babel/preset-env': '^7.26.0', '@babel/preset-typescript': '^7.26.0' },
    files: { ...files, 'babel.config.js': babel },
    command: ['jest', '--ci'],
  },
  'Jest 30 with babel': {
    tools: { jest: '^30.0.0', '@babel/preset-env': '^7.26.0', '@babel/preset-typescript': '^7.26.0' },
    files: { ...files, 'babel.config.js': babel },
    command: ['jest', '--ci'],
  },
  'Jest 29 with ts-jest': {
    tools: {
      jest: '^29.7.0',
      'ts-jest': '^29.2.0',
      typescript: '~5.9.0',
      '@types/jest': '^29.5.0',
      '@types/node': '^20',
    },
    files: {
      ...files,
      'jest.config.js': `module.exports = { preset: 'ts-jest' };`,
      'tsconfig.json': '{ "compilerOptions": { "module": "commonjs", "target": "es2022", "strict": true } }',
    },
    command: ['jest', '--ci'],
  },
  'Jest 30 with ts-jest': {
    tools: {
      jest: '^30.0.0',
      'ts-jest': '^29.4.0',
      typescript: '~5.9.0',
      '@types/jest': '^30.0.0',
      '@types/node': '^20',
    },
    files: {
      ...files,
      'jest.config.js': `module.exports = { preset: 'ts-jest' };`,
      'tsconfig.json': '{ "compilerOptions": { "module": "commonjs", "target": "es2022", "strict": true } }',
    },
    command: ['jest', '--ci'],
  },
  vitest: {
    tools: { vitest: '^4.1.0' },
    files: {
      'imported.test.ts': `import { expect, test } from 'vitest';${imports}${testText.replace('seen = []', 'seen: [string, unknown][] = []')}`,
    },
    command: ['vitest', 'run'],
  },
} as const;

describe.each(Object.entries(runners))('%s', (_name, { tools, files: given, command }) => {
  const installed = installedTools(tools);
  let application: Application | undefined;
  beforeAll(() => {
    if ('reason' in installed) return;
    application = new Application(installed.folder);
    for (const [path, text] of Object.entries(given)) application.write(path, text);
  }, 120_000);
  afterAll(() => application?.remove());

  it.skipIf('reason' in installed)(
    named('runs a test of an application that writes events', reasonOf(installed)),
    { timeout: 120_000 },
    () => {
      const [name, ...args] = command;
      const { status, output } = (application as Application).tool(name, args, {
        CI: '1',
        NO_COLOR: '1',
        NODE_OPTIONS: '',
      });
      expect(status, output).toBe(0);
      expect(output).toMatch(/Tests:? +\S*[12] passed/);
    },
  );
});
