/** When the environment gives a process a diagnostic port, and when it forbids one. */
import { expect, it } from 'vitest';
import {
  forbiddingVariable,
  isDefaultPortSuspended,
  isPortWanted,
} from '../../../lib/diagnostics/server/environment-settings.ts';

it.each([
  [{}, false],
  [{ TRACEWRIGHT_DIAGNOSTICS: '0' }, false],
  [{ TRACEWRIGHT_DIAGNOSTICS: '1' }, true],
  [{ TRACEWRIGHT_RECORD_TRACE: '1' }, true],
  [{ TRACEWRIGHT_RECORD_TRACE: '1', DOTNET_EnableDiagnostics: '0' }, false],
  [{ DOTNET_DiagnosticPorts: '' }, false],
  [{ DOTNET_DiagnosticPorts: '/tmp/tool' }, true],
  [{ TRACEWRIGHT_DIAGNOSTICS: '1', DOTNET_EnableDiagnostics: '0' }, false],
  [{ TRACEWRIGHT_DIAGNOSTICS: '1', DOTNET_EnableDiagnostics_IPC: '0' }, false],
  [{ TRACEWRIGHT_DIAGNOSTICS: '1', DOTNET_EnableDiagnostics: '1' }, true],
])('%j: %j', (environment, isWanted) => {
  expect(isPortWanted(environment)).toBe(isWanted);
});

it('the variable that disables the port is identified', () => {
  expect(forbiddingVariable({ DOTNET_EnableDiagnostics_IPC: '0' })).toBe('DOTNET_EnableDiagnostics_IPC');
});

it("the process's own port suspends the process if requested", () => {
  expect(isDefaultPortSuspended({})).toBe(false);
  expect(isDefaultPortSuspended({ DOTNET_DefaultDiagnosticPortSuspend: '1' })).toBe(true);
});
