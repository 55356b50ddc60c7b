/** Random events are decoded as they were encoded. */
import { describe, expect, it } from 'vitest';
import { payloadOf } from '../../../lib/wire/decoded-field.ts';
import { EventHeaderEncoder } from '../../../lib/wire/eventheader/encode.ts';
import { takeFaults } from '../../../lib/wire/values/faults.ts';
import { decodeEventHeader } from './decode-event.ts';
import { encode, schemaOf } from './encoded-event.ts';
import { RandomEvents } from './random-events.ts';

describe('2,000 random events', () => {
  it('are decoded as they were encoded', () => {
    const events = new RandomEvents(20260203);
    let fieldCount = 0;
    for (let round = 0; round < 2000; round++) {
      const { fields, payload, expected } = events.next();
      const bytes = encode(new EventHeaderEncoder(schemaOf(fields)), payload);
      expect(takeFaults(), `event ${round}`).toBeUndefined();
      const decoded = payloadOf(decodeEventHeader('P_L4K0', bytes).fields);
      expect(structuredClone(decoded), `event ${round}`).toEqual(expected);
      expect(Object.keys(decoded)).toEqual(Object.keys(expected));
      fieldCount += Object.keys(expected).length;
    }
    expect(fieldCount).toBeGreaterThan(5000);
  });
});
