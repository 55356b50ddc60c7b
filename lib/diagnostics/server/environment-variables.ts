/** The process's environment variables, as tools may see and change them. */
import { ErrorCode } from '../../wire/diagnostics-ipc/constants.ts';

/** Replaces a value that looks like a secret. */
const MASK = '***';

/** Parts of names, in any case. */
const SECRET_NAME =
  /pass|pwd|secret|token|key|credential|auth|cookie|session|signature|private|cert|conn(?:ection)?_?str|dsn|salt/i;
/** Shell variables that only look like secrets. */
const PLAIN_NAMES = ['PWD', 'OLDPWD'];
/** A client may have set the value: matching takes linear time in its length, not quadratic. */
const SECRET_VALUES = [
  // user:password@ in a URL
  /\/\/[^/\s@:]*:[^/\s@]*@/,
  // password=..., "token": "...", AccountKey=...
  /(?:pass(?:word|wd|phrase)?|pwd|secret|token|key|sig(?:nature)?|credentials?)["']?\s*[=:]/i,
  // The head of an HTTP request's authorization
  /\b(?:bearer|basic)\s+\S/i,
  // A private key in PEM
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  // A JSON Web Token
  /(?<![\w-])eyJ[\w-]+\.[\w-]+\./,
];

/** Each as `NAME=value`. */
export function environmentVariables(exposesSecrets: boolean): string[] {
  return Object.entries(process.env).map(([name, value = '']) =>
    exposesSecrets || !isSecret(name, value) ? `${name}=${value}` : `${name}=${MASK}`,
  );
}

export function isSecret(name: string, value: string): boolean {
  if (value === '') return false;
  if (SECRET_NAME.test(name) && !PLAIN_NAMES.includes(name)) return true;
  return SECRET_VALUES.some((pattern) => pattern.test(value));
}

/**
 * @param value undefined: the variable is removed
 * @returns one of `ErrorCode` where it cannot be done
 */
export function setEnvironmentVariable(name: string, value: string | undefined): number | undefined {
  // No system has such names, or values.
  if (name === '' || /[=\0]/.test(name) || value?.includes('\0')) return ErrorCode.InvalidArgument;
  if (value !== undefined) process.env[name] = value;
  else if (!Object.hasOwn(process.env, name)) return ErrorCode.EnvironmentVariableNotFound;
  else delete process.env[name];
  return undefined;
}
