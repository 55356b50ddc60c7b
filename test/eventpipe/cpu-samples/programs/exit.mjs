// Burns CPU time in its own session, and exits without stopping it.
import { startSession } from '../../../../dist/cjs/index.mjs';

const [output, providers] = process.argv.slice(2);
startSession({ providers, output });

function burn(ms) {
  const end = performance.now() + ms;
  let sum = 0;
  while (performance.now() < end) for (let i = 0; i < 1000; i++) sum += Math.sqrt(i);
  return sum;
}

function burnUntilExit() {
  burn(600);
  process.exit(3);
}

function burnBeforeExit() {
  // Long enough that the samples are fetched once before the end.
  burn(1300);
  setTimeout(burnUntilExit, 150);
}

burnBeforeExit();
