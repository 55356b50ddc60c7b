/**
 * Win32 errors of ETW's functions as text. Numbers: winerror.h; meanings: the documentation of EventRegister and
 * EventWriteTransfer.
 */

const STATUS = {
  invalidHandle: 6,
  notEnoughMemory: 8,
  invalidParameter: 87,
  moreData: 234,
  arithmeticOverflow: 534,
} as const;

export function registerReason(error: number, provider: string): string {
  if (error === STATUS.notEnoughMemory) {
    return `Windows has no memory for another registration of the provider ${provider} (ERROR_NOT_ENOUGH_MEMORY).`;
  }
  return `Windows refused to register the provider ${provider} (Win32 error ${error}).`;
}

/** .NET's EventSource uses these names for the first three. */
export function writeReason(error: number): string {
  switch (error) {
    case STATUS.notEnoughMemory:
      return 'noFreeBuffers';
    case STATUS.arithmeticOverflow:
      return 'tooLarge';
    case STATUS.moreData:
      return 'tooLargeForSession';
    case STATUS.invalidHandle:
      return 'invalidHandle';
    case STATUS.invalidParameter:
      return 'invalidParameter';
    default:
      return `Win32 error ${error}`;
  }
}
