/** Why perf events are unavailable: whether another way of recording is worth trying, and what the user reads. */
import { constants } from 'node:os';
import { describe, expect, it } from 'vitest';
import { PerfEventsError, RecorderError } from '../../lib/platform/recorder-error.ts';
import { recorderOpenError } from '../../lib/platform/recorder-reasons.ts';
import { linuxOnly, named } from '../platforms.ts';

const { ENOSYS, EPERM, EACCES, EINVAL, ENOMEM } = constants.errno;

describe.skipIf(linuxOnly('perf events') !== undefined)(
  named('an error of perf_event_open', linuxOnly('perf events')),
  () => {
    it.each([
      [ENOSYS, 'ENOSYS', 'Perf events are not available here (ENOSYS): '],
      [EPERM, 'EPERM', 'This user may not record the whole system (EPERM'],
      [EACCES, 'EACCES', 'This user may not record the whole system (EACCES'],
    ])('says that they are refused: %i', (error, code, message) => {
      const reason = recorderOpenError(error, 'perf_event_open');
      expect(reason).toBeInstanceOf(PerfEventsError);
      expect(reason).toMatchObject({ code, message: expect.stringContaining(message) });
    });

    it('concerns the recording if they are present', () => {
      for (const reason of [
        recorderOpenError(EINVAL, 'perf_event_open'),
        recorderOpenError(EPERM, 'mmap'),
        recorderOpenError(ENOMEM, 'perf_event_open'),
      ]) {
        expect(reason).toBeInstanceOf(RecorderError);
        expect(reason).not.toBeInstanceOf(PerfEventsError);
      }
    });
  },
);
