/**
 * Errors of ETW sessions as text: what is missing, and the command that fixes it. Numbers: winerror.h; meanings: the
 * documentation of StartTraceW, EnableTraceEx2, ControlTraceW and AdjustTokenPrivileges.
 */
import { SessionControl } from '../wire/etw/session-properties.ts';

const STATUS = {
  pathNotFound: 3,
  accessDenied: 5,
  sharingViolation: 32,
  diskFull: 112,
  invalidName: 123,
  badPathname: 161,
  alreadyExists: 183,
  fileNameTooLong: 206,
  notAllAssigned: 1300,
  privilegeNotHeld: 1314,
  noSystemResources: 1450,
  guidNotFound: 4200,
  instanceNotFound: 4201,
} as const;

/** `tracewright record` has one session at a time, so that the next recording finds the leftover of a killed one. */
export const RECORDING_NAME = 'tracewright';

/** Errors of the file, not of the session. */
const FILE_STATUS: Readonly<Record<number, string>> = {
  [STATUS.pathNotFound]: 'there is no such folder',
  [STATUS.sharingViolation]: 'another program has it open',
  [STATUS.diskFull]: 'the disk is full',
  [STATUS.invalidName]: 'Windows does not allow this name',
  [STATUS.badPathname]: 'Windows does not allow this name',
  [STATUS.fileNameTooLong]: 'the name is too long',
};

export function startReason(
  error: number,
  { name, file }: { readonly name: string; readonly file: string },
): string {
  const ofFile = FILE_STATUS[error];
  if (ofFile !== undefined) return fileReason(error, file, ofFile);
  switch (error) {
    case STATUS.accessDenied:
      // Windows does not say which.
      return (
        `Access denied (Win32 error ${error}): ${file === '' ? '' : 'either '}this user may not record with ETW, which ` +
        'needs an administrator or a member of Performance Log Users' +
        (file === '' ? '.' : `; or the folder or the file does not let this user write ${file}.`)
      );
    case STATUS.privilegeNotHeld:
      return `This user lacks the privilege that the session needs (Win32 error ${error}): run this as an administrator.`;
    case STATUS.alreadyExists:
      return (
        `An ETW session named ${name} is already running (Win32 error ${error})` +
        (name === RECORDING_NAME
          ? ': another recording, or the leftover of one that was killed. To end it first, use --end-left-behind.'
          : '.')
      );
    case STATUS.noSystemResources:
      return (
        `Windows has no room for another session (Win32 error ${error}): end one of those that ` +
        '"logman query -ets" shows, or use a smaller --buffer-size.'
      );
    default:
      return `Windows did not start the ETW session (Win32 error ${error}).`;
  }
}

/** @param provider the GUID */
export function enableReason(error: number, provider: string): string {
  switch (error) {
    case STATUS.accessDenied:
      return `This user may not record the provider ${provider} (Win32 error ${error}).`;
    case STATUS.noSystemResources:
      return `The provider ${provider} is already in the maximum number of sessions (Win32 error ${error}).`;
    default:
      return `Windows does not record the provider ${provider} (Win32 error ${error}).`;
  }
}

/** The session no longer exists. */
export function isGone(error: number): boolean {
  return error === STATUS.instanceNotFound;
}

const CONTROLS = {
  [SessionControl.Query]: 'query',
  [SessionControl.Stop]: 'end',
  [SessionControl.Update]: 'change',
  [SessionControl.Flush]: 'flush',
  [SessionControl.IncrementFile]: 'change the file of',
} as const;

/** @param file the one to write; empty: none */
export function controlReason(error: number, code: SessionControl, file: string): string {
  const ofFile = file === '' ? undefined : FILE_STATUS[error];
  if (ofFile !== undefined) return fileReason(error, file, ofFile);
  const what = `${CONTROLS[code]} the ETW session`;
  return error === STATUS.accessDenied
    ? `This user may not ${what} (Win32 error ${error}): an administrator may.`
    : `Windows did not ${what} (Win32 error ${error}).`;
}

export function privilegeReason(error: number, privilege: string): string {
  return error === STATUS.notAllAssigned
    ? `This user lacks the privilege ${privilege} (Win32 error ${error}): an administrator in an elevated process has it.`
    : `Windows did not turn on the privilege ${privilege} (Win32 error ${error}).`;
}

function fileReason(error: number, file: string, reason: string): string {
  return `${file} cannot be written: ${reason} (Win32 error ${error}).`;
}

/** @param what in the plural */
export function listReason(error: number, what: string): string {
  return error === STATUS.accessDenied
    ? `This user may not list ${what} (Win32 error ${error}): an administrator or a member of Performance Log Users may.`
    : `Windows did not list ${what} (Win32 error ${error}).`;
}

export function isAccessDenied(error: number): boolean {
  return error === STATUS.accessDenied;
}

/** No process runs the provider, and no session has enabled it. */
export function isUnknownProvider(error: number): boolean {
  return error === STATUS.guidNotFound;
}
