/** The results of a run of conformance cases: which passed, and how the others differ. */

/** Characters shown of each side of a difference. */
const SHOWN = 160;

export class Report {
  /** Ids of the cases that passed. */
  passed = [];
  /** @type {{ id: string, difference: string }[]} */
  failed = [];

  pass(id) {
    this.passed.push(id);
  }

  fail(id, difference) {
    this.failed.push({ id, difference });
  }

  /** Passes if the two texts are the same; otherwise shows them from shortly before the first difference. */
  compare(id, actual, expected) {
    if (actual === expected) return this.pass(id);
    let at = 0;
    while (at < actual.length && actual[at] === expected[at]) at++;
    const start = Math.max(0, at - 40);
    const shown = (text) => JSON.stringify(text.slice(start, start + SHOWN));
    this.fail(id, `at character ${at}: got ${shown(actual)}, expected ${shown(expected)}`);
  }

  /** Runs one case; anything that it throws is its failure. */
  try(id, run) {
    try {
      run();
    } catch (error) {
      this.fail(id, thrown(error));
    }
  }

  /** The same for an asynchronous case. */
  async tryAsync(id, run) {
    try {
      await run();
    } catch (error) {
      this.fail(id, thrown(error));
    }
  }
}

function thrown(error) {
  return `threw ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}
