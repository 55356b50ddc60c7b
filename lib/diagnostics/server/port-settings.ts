/** The ports that a process has beside its own, as `DOTNET_DiagnosticPorts` tells them. */

export interface PortSetting {
  /** A Unix socket's path, or a Windows pipe's name. */
  readonly address: string;
  /** Whether the process listens there; else it connects to a tool that does. */
  readonly listens: boolean;
  /** Whether the process waits at its start until a tool has it go on. */
  readonly suspends: boolean;
}

export interface PortSettings {
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
