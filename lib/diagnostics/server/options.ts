/** What an application says about its diagnostic port. */
import { shown } from '../../base/shown.ts';

export interface DiagnosticsOptions {
  /** Of the socket; unless given TMPDIR, else /tmp, where .NET's tools look. Windows' pipes have no folder. */
  readonly folder?: string;
  /**
   * Further ports, as `DOTNET_DiagnosticPorts` tells them, which is taken unless this is given:
   * `address[,listen|connect][,suspend|nosuspend]`, several with `;` between them.
   */
  readonly ports?: string;
  /** Whether tools may read environment variables that look like secrets; else they see `***`. */
  readonly exposeSecrets?: boolean;
  /**
   * Whether record-trace (`dotnet-trace collect-linux`) is to find the process. It looks for sockets in /tmp only,
   * and only at processes with a mapping like .NET's; so the process has both. Unless given,
   * `TRACEWRIGHT_RECORD_TRACE=1` in the environment says so.
   */
  readonly discoverableByRecordTrace?: boolean;
}

const TYPES: Readonly<Record<keyof DiagnosticsOptions, string>> = {
  folder: 'string',
  ports: 'string',
  exposeSecrets: 'boolean',
  discoverableByRecordTrace: 'boolean',
};

/** @throws TypeError for options that there are not: a mistake in the application */
export function checkOptions(options: DiagnosticsOptions): void {
  for (const [name, value] of Object.entries(options)) {
    const type = Object.hasOwn(TYPES, name) ? TYPES[name as keyof DiagnosticsOptions] : undefined;
    if (type === undefined) {
      const names = Object.keys(TYPES).join(', ');
      throw new TypeError(`The diagnostic port has no option "${name}"; the options are ${names}.`);
    }
    if (value !== undefined && typeof value !== type) {
      throw new TypeError(`The diagnostic port's ${name} is a ${type}, not ${shown(value)}.`);
    }
  }
}
