/** The keys that somebody types while a page is on the terminal. */

/** The control characters that a terminal turns into signals, except in raw mode. */
const SIGNALS: Readonly<Record<string, NodeJS.Signals>> = {
  '\x03': 'SIGINT',
  '\x1a': 'SIGTSTP',
  '\x1c': 'SIGQUIT',
};

/** What terminals send, by the end of the sequence; the others are characters, or keys without a meaning here. */
const NAMES: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  H: 'home',
  F: 'end',
  '1~': 'home',
  '4~': 'end',
  '5~': 'pageup',
  '6~': 'pagedown',
  '\r': 'enter',
  '\n': 'enter',
  '\x1b': 'escape',
  '\x7f': 'backspace',
  '\b': 'backspace',
};
/** A control sequence, or one character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals send them.
const KEY = /\x1b(?:\[|O)([\d;]*[A-Za-z~])|[\s\S]/gu;

interface KeyUser {
  /** @param key a character, or a name: `up`, `pagedown`, `enter` */
  onKey(key: string): void;
  /** Ctrl-Z: somebody else gets the terminal. */
  onSuspend(): void;
  onResume(): void;
}

export class TerminalKeys {
  readonly #user: KeyUser;

  /** Reads the keys of stdin, which is a terminal. */
  constructor(user: KeyUser) {
    this.#user = user;
    this.#start();
    // Whoever stopped us has had the terminal meanwhile.
    process.on('SIGCONT', this.#resume);
    process.stdin.on('data', this.#onKeys);
  }

  /** Restores the terminal. */
  close(): void {
    process.off('SIGCONT', this.#resume);
    process.stdin.off('data', this.#onKeys).setRawMode(false).pause();
  }

  #start(): void {
    process.stdin.setRawMode(true).setEncoding('utf8').resume();
  }

  readonly #resume = (): void => {
    this.#start();
    this.#user.onResume();
  };

  readonly #onKeys = (keys: string | Buffer): void => {
    for (const [text, sequence = text] of String(keys).matchAll(KEY)) {
      const signal = Object.hasOwn(SIGNALS, text) ? SIGNALS[text] : undefined;
      if (signal === undefined) {
        const key = Object.hasOwn(NAMES, sequence) && text !== sequence ? NAMES[sequence] : nameOf(text);
        if (key !== undefined) this.#user.onKey(key);
        continue;
      }
      if (signal === 'SIGTSTP') {
        this.#user.onSuspend();
        process.stdin.setRawMode(false);
      }
      process.kill(process.pid, signal);
    }
  };
}

/** Names a single character; undefined for a sequence without a meaning, and other control characters. */
function nameOf(text: string): string | undefined {
  if (text >= ' ' && text !== '\x7f') return text;
  return Object.hasOwn(NAMES, text) ? NAMES[text] : undefined;
}
