/**
 * A program that visits a process: see `Visit`. It runs in a process and session of its own: in the network namespace of
 * the other process, and to its end, whatever becomes of the command that has started it. Its argument is a
 * `VisitOrder`; it prints `VisitReport`s. The end of its input is that of the command.
 */
import { thrownMessage } from '../../base/value-text.ts';
import { DiagnosticsClientError } from '../client/client-error.ts';
import { UnpreparedProcess } from './unprepared-process.ts';
import { Visit, type VisitOrder, type VisitReport } from './visit.ts';

function report(made: VisitReport): void {
  process.stdout.write(`${JSON.stringify(made)}\n`);
}

async function main([text = '']: readonly string[]): Promise<void> {
  const order = JSON.parse(text) as VisitOrder;
  // The command may have been killed.
  process.stdout.on('error', () => {});
  try {
    const visit = new Visit(new UnpreparedProcess(order.processId), order);
    if (order.task === 'close') {
      await visit.closeOpened();
      return;
    }
    process.stdin.resume().on('close', () => visit.cancel());
    try {
      await visit.prepare(report);
    } catch (error) {
      fail(error);
      if (visit.mayOpen) await visit.closeOpened();
    }
  } catch (error) {
    fail(error);
  }
}

function fail(error: unknown): void {
  const code = error instanceof DiagnosticsClientError ? error.code : 'failed';
  report({ kind: 'failed', code, message: thrownMessage(error) });
}

main(process.argv.slice(2)).then(() => process.exit());
