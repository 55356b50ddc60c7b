/**
 * Errors of ETW's sessions in words: what is missing, and the command that would change it. Numbers: winerror.h;
 * meanings: the documentation of StartTraceW, EnableTraceEx2 and ControlTraceW.
 */

const STATUS = {
  pathNotFound: 3,
  accessDenied: 5,
  sharingViolation: 32,
  diskFull: 112,
  invalidName: 123,
  badPathname: 161,
  alreadyExists: 183,
  fileNameTooLong: 206,
  noSystemResources: 1450,
  instanceNotFound: 4201,
} as const;

/** Of the file, not of the session. */
const FILE_STATUS: Readonly<Record<number, string>> = {
  [STATUS.pathNotFound]: 'there is no such folder',
  [STATUS.sharingViolation]: 'another program has it open',
  [STATUS.diskFull]: 'the disk is full',
  [STATUS.invalidName]: 'Windows has no such names',
  [STATUS.badPathname]: 'Windows has no such names',
  [STATUS.fileNameTooLong]: 'the name is too long',
};

export function startReason(
  error: number,
  { name, file }: { readonly name: string; readonly file: string },
): string {
  const ofFile = FILE_STATUS[error];
  if (ofFile !== undefined) return `${file} cannot be written: ${ofFile} (Win32 error ${error}).`;
  switch (error) {
    case STATUS.accessDenied:
      // Windows does not say which.
      return (
        `Access denied (Win32 error ${error}): either this user may not record with ETW, which takes an ` +
        'administrator or a member of the group Performance Log Users; or the folder or the file does not let ' +
        `this user write ${file}.`
      );
    case STATUS.alreadyExists:
      return (
        `An ETW session named ${name} is already running (Win32 error ${error}): another recording, or one that ` +
        'a killed recording has left behind. To end it first, give --end-left-behind.'
      );
    case STATUS.noSystemResources:
      return (
        `Windows has no room for another session (Win32 error ${error}): end one of those that ` +
        '"logman query -ets" shows, or give a smaller --buffer-size.'
      );
    default:
      return `Windows did not start the ETW session (Win32 error ${error}).`;
  }
}

/** @param provider its GUID */
export function enableReason(error: number, provider: string): string {
  switch (error) {
    case STATUS.accessDenied:
      return `This user may not record the provider ${provider} (Win32 error ${error}).`;
    case STATUS.noSystemResources:
      return `The provider ${provider} is in as many sessions as it can be (Win32 error ${error}).`;
    default:
      return `Windows does not record the provider ${provider} (Win32 error ${error}).`;
  }
}

/** There is no such session any more. */
export function isGone(error: number): boolean {
  return error === STATUS.instanceNotFound;
}

export function stopReason(error: number): string {
  return error === STATUS.accessDenied
    ? `This user may not end the ETW session (Win32 error ${error}): an administrator may.`
    : `Windows did not end the ETW session (Win32 error ${error}).`;
}
