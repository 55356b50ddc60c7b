/** What an application says about its diagnostic port, and about further ones. */
import { shown } from '../../base/value-text.ts';

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

/** The ports that a process has beside its own, as `DOTNET_DiagnosticPorts` tells them. */
export interface PortSetting {
  /** A Unix socket's path, or a Windows pipe's name. */
  readonly address: string;
  /** Whether the process listens there; else it connects to a tool that does. */
  readonly listens: boolean;
  /** Whether the process waits at its start until a tool has it go on. */
  readonly suspends: boolean;
}

interface PortSettings {
  readonly ports: readonly PortSetting[];
  /** Sentences about what is not understood, and left out. */
  readonly problems: readonly string[];
}

const WORDS = ['listen', 'connect', 'suspend', 'nosuspend'];

/**
 * @param text `address[,listen|connect][,suspend|nosuspend]`, several with `;` between them. Unless it says so, the
 *   process connects, and waits.
 */
export function parsePortSettings(text: string): PortSettings {
  const ports: PortSetting[] = [];
  const problems: string[] = [];
  for (const part of text.split(';')) {
    const [address = '', ...tags] = part.split(',').map((piece) => piece.trim());
    const words = tags.map((tag) => tag.toLowerCase());
    const unknown = words.find((word) => !WORDS.includes(word));
    if (unknown !== undefined) problems.push(`The diagnostic port "${part}" has no setting "${unknown}".`);
    else if (address !== '') {
      ports.push({ address, listens: words.includes('listen'), suspends: !words.includes('nosuspend') });
    } else if (part !== '') problems.push(`The diagnostic port "${part}" has no address.`);
  }
  return { ports, problems };
}
