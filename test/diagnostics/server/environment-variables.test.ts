/** The environment variables whose values are hidden from tools. */
import { afterEach, describe, expect, it } from 'vitest';
import {
  environmentVariables,
  isSecret,
  setEnvironmentVariable,
} from '../../../lib/diagnostics/server/environment-variables.ts';
import { ErrorCode } from '../../../lib/wire/diagnostics-ipc/constants.ts';

describe('an environment variable is a secret', () => {
  it.each([
    'PASSWORD',
    'PGPASSWORD',
    'DB_PASS',
    'MYSQL_PWD',
    'CLIENT_SECRET',
    'npm_config__authToken',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_ACCESS_KEY_ID',
    'ApiKey',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'SESSION_COOKIE',
    'AZURE_STORAGE_CONNECTION_STRING',
    'ConnectionStrings__Default',
    'SENTRY_DSN',
    'TLS_CERT',
    'SSH_PRIVATE',
  ])('because of its name: %s', (name) => {
    expect(isSecret(name, 'x')).toBe(true);
  });

  it.each([
    'postgres://me:hunter2@db.example/it',
    'redis://:hunter2@localhost:6379',
    'Server=db;User Id=me;Password=hunter2;',
    'DefaultEndpointsProtocol=https;AccountName=a;AccountKey=aGk=',
    '{"user":"me","password":"hunter2"}',
    'https://a.blob.example/c?sv=2024&sig=aGk%3D',
    'Authorization: Bearer aGk',
    '-----BEGIN RSA PRIVATE KEY-----\nMIIE',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln',
  ])('because of its value: %s', (value) => {
    expect(isSecret('ANYTHING', value)).toBe(true);
  });

  it.each([
    ['PATH', '/usr/local/bin:/usr/bin'],
    ['PWD', '/home/me'],
    ['OLDPWD', '/'],
    ['HOME', '/home/me'],
    ['LANG', 'C.UTF-8'],
    ['NODE_OPTIONS', '--max-old-space-size=4096 --import tracewright/diagnostics/register'],
    ['HTTP_PROXY', 'http://proxy.example:3128'],
    ['GIT_URL', 'ssh://git@github.com:22/a/b'],
    ['EMPTY_PASSWORD', ''],
  ])('but not %s=%s', (name, value) => {
    expect(isSecret(name, value)).toBe(false);
  });
});

it.each(['//:', 'eyJ-'])('a variable is examined quickly, even if it repeats %s', (text) => {
  const value = `${text}${text.slice(-1)}`.repeat(100_000);
  const start = performance.now();
  for (const each of [value, text + text.slice(-1).repeat(200_000), text.repeat(50_000)]) isSecret('X', each);
  expect(performance.now() - start).toBeLessThan(500);
});

describe('the environment', () => {
  afterEach(() => {
    delete process.env.TRACEWRIGHT_TEST_TOKEN;
    delete process.env.TRACEWRIGHT_TEST_PLAIN;
  });

  it('is returned with secrets masked, unless they are requested', () => {
    process.env.TRACEWRIGHT_TEST_TOKEN = 'hunter2';
    process.env.TRACEWRIGHT_TEST_PLAIN = 'a=b';
    const told = environmentVariables(false);
    expect(told).toContain('TRACEWRIGHT_TEST_TOKEN=***');
    expect(told).toContain('TRACEWRIGHT_TEST_PLAIN=a=b');
    expect(environmentVariables(true)).toContain('TRACEWRIGHT_TEST_TOKEN=hunter2');
  });

  it.each([
    ['A=B', 'x'],
    ['A\0B', 'x'],
    ['A', 'x\0y'],
    ['', 'x'],
  ])('rejects %j=%j', (name, value) => {
    expect(setEnvironmentVariable(name, value)).toBe(ErrorCode.InvalidArgument);
  });

  it.each(['TRACEWRIGHT_TEST_NONE', 'constructor'])('has no variable %s to unset, and says so', (name) => {
    expect(setEnvironmentVariable(name, undefined)).toBe(ErrorCode.EnvironmentVariableNotFound);
  });
});
