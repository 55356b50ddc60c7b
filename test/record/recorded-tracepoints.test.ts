/** Tracepoints that cannot be recorded: those that are gone do not matter, others are reported. */
import { describe, expect, it } from 'vitest';
import { RecorderError } from '../../lib/platform/recorder-error.ts';
import { RecordedTracepoints } from '../../lib/record/recorded-tracepoints.ts';
import { Selection } from '../../lib/record/tracepoint-selection.ts';

const REFUSAL = 'user_events:App_L4K0 is not recorded (EINVAL).';

/** @param ids of the tracepoint, each time that its files are read; undefined: it has gone */
function refused(...ids: readonly (number | undefined)[]): RecordedTracepoints {
  const recorder = {
    add: () => {
      throw new RecorderError(REFUSAL);
    },
  };
  const left = [...ids];
  const tracefs = {
    names: () => ['App_L4K0'],
    files: () => {
      const id = left.shift();
      return id === undefined ? undefined : { id, format: new Uint8Array(0) };
    },
  };
  const tracepoints = new RecordedTracepoints(recorder, tracefs, new Selection({}), 1);
  tracepoints.scan();
  expect(tracepoints.all).toEqual([]);
  return tracepoints;
}

describe('a tracepoint that the kernel refuses to record', () => {
  it.each([
    ['has gone', [5, undefined]],
    ['has gone and come back as another', [5, 6]],
  ])('is not a problem if it %s meanwhile', (_, ids) => {
    expect(refused(...ids).problems).toEqual([]);
  });

  it('is reported if it still exists', () => {
    expect(refused(5, 5).problems).toEqual([REFUSAL]);
  });
});
