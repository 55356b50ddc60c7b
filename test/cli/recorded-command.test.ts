/** A recorded command, and the description of how it ended. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { RecordedCommand } from '../../lib/cli/record/recorded-command.ts';

afterEach(() => vi.restoreAllMocks());

describe('a recorded command', () => {
  it('is reported if it cannot be ended because it belongs to another user', async () => {
    const command = new RecordedCommand([process.execPath, '-e', 'setTimeout(() => {}, 500)'], {});
    vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
    });
    command.end();
    await expect(command.ended).rejects.toThrow(`${process.execPath} could not be ended (EPERM).`);
  });

  it('is reported if it cannot be started, in each way that Node.js reports it', async () => {
    for (const name of ['/nonexistent', '']) {
      await expect(new RecordedCommand([name], {}).ended).rejects.toThrow(/could not be started \(E\w+\)\.$/);
    }
  });
});
