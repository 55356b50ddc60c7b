/** The options of a diagnostic port, and additional ports. */
import { shown } from '../../base/value-text.ts';

export interface DiagnosticsOptions {
  /** The socket's folder; the default is TMPDIR, else /tmp, where .NET's tools look. Windows' pipes have no folder. */
  readonly folder?: string;
  /**
   * Additional ports, in the syntax of `DOTNET_DiagnosticPorts`, which is the default:
   * `address[,listen|connect][,suspend|nosuspend]`, several separated by `;`.
   */
  readonly ports?: string;
  /** Whether tools may read environment variables that look like secrets; otherwise they see `***`. */
  readonly exposeSecrets?: boolean;
  /**
   * Whether record-trace (`dotnet-trace collect-linux`) should find the process. It looks for sockets only in /tmp, and
   * only for processes with a mapping like .NET's; so the process gets both. The default is
   * `TRACEWRIGHT_RECORD_TRACE=1` in the environment.
   */
  readonly discoverableByRecordTrace?: boolean;
}

const TYPES: Readonly<Record<keyof DiagnosticsOptions, string>> = {
  folder: 'string',
  ports: 'string',
  exposeSecrets: 'boolean',
  discoverableByRecordTrace: 'boolean',
};

/** @throws TypeError for invalid options, which are a mistake in the application */
export function checkOptions(options: DiagnosticsOptions): void {
  for (const [name, value] of Object.entries(options)) {
    const type = Object.hasOwn(TYPES, name) ? TYPES[name as keyof DiagnosticsOptions] : undefined;
    if (type === undefined) {
      const names = Object.keys(TYPES).join(', ');
      throw new TypeError(`The diagnostic port has no option "${name}"; the options are ${names}.`);
    }
    if (value !== undefined && typeof value !== type) {
      throw new TypeError(`The diagnostic port's ${name} must be a ${type}, not ${shown(value)}.`);
    }
  }
}

/** The additional ports of a process, in the syntax of `DOTNET_DiagnosticPorts`. */
export interface PortSetting {
  /** The path of a Unix socket, or the name of a Windows pipe. */
  readonly address: string;
  /** Whether the process listens there; otherwise it connects to a tool that does. */
  readonly listens: boolean;
  /** Whether the process suspends its startup until a tool resumes it. */
  readonly suspends: boolean;
}

interface PortSettings {
  readonly ports: readonly PortSetting[];
  /** Sentences about what is invalid and therefore ignored. */
  readonly problems: readonly string[];
}

const WORDS = ['listen', 'connect', 'suspend', 'nosuspend'];

/**
 * @param text `address[,listen|connect][,suspend|nosuspend]`, several separated by `;`. By default, the process
 * connects and suspends.
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
