// `npm run pictures`: makes the README's pictures, docs/images/*.webp, from a server of the demo, in the browser that the
// tests use. Needs Chromium, and Node.js 22.18 or later, which runs the tests' TypeScript; an idle machine, lest the pictures
// tell of others that used its processors.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { Page } from '../test/browser/chromium.ts';
import { command, recordSlowServer, tracewright } from './demo/explained.mjs';

const root = join(import.meta.dirname, '..');
const images = join(root, 'docs/images');
const ROUNDS = 5;
/** Wide enough for the tool bar of a report; where its panels are below each other, names have room. */
const REPORT = { width: 1200, height: 640 };
const LIVE = { width: 1080, height: 640 };

/** Serves the requests of the demo again and again, some of them at the same time. */
const BUSY = `
  import { setTimeout as delay } from 'node:timers/promises';
  import { serveRequests } from './scripts/demo/server.mjs';
  const serve = async (pause) => {
    for (;;) {
      await serveRequests();
      await delay(pause);
    }
  };
  await Promise.all([20, 50, 90].map(serve));`;

async function keep(page, name) {
  const file = join(images, name);
  const { data } = await page.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
  writeFileSync(file, Buffer.from(String(data), 'base64'));
  console.log(`${file} (${statSync(file).size} bytes)`);
}

/** A page of the picture's size, in light colors. */
async function openPage(address, size) {
  const page = await Page.open(address);
  await page.send('Emulation.setDeviceMetricsOverride', { ...size, deviceScaleFactor: 1, mobile: false });
  const features = [{ name: 'prefers-color-scheme', value: 'light' }];
  await page.send('Emulation.setEmulatedMedia', { features });
  return page;
}

async function showReport(folder) {
  const [trace, report] = [join(folder, 'app.nettrace'), join(folder, 'report.html')];
  await recordSlowServer(trace, ROUNDS);
  tracewright('report', trace, '-o', report);
  const page = await openPage(report, REPORT);
  try {
    await delay(500);
    await keep(page, 'report.webp');
  } finally {
    await page.close();
  }
}

/** The first line of a child's output with the pattern, as matched. */
async function lineOf(stream, pattern) {
  for await (const line of createInterface(stream)) {
    const match = pattern.exec(line);
    if (match !== null) return match[0];
  }
  throw new Error(`A program ended without printing ${pattern}.`);
}

async function showLive() {
  const env = { ...process.env, TRACEWRIGHT_DIAGNOSTICS: '1' };
  const app = spawn(process.execPath, ['--input-type=module', '--eval', BUSY], {
    cwd: root,
    env,
    stdio: 'ignore',
  });
  const ended = once(app, 'exit');
  try {
    // It has a port as soon as it has loaded the package.
    await delay(2000);
    await showLiveOf(app.pid);
  } finally {
    app.kill();
    await ended;
  }
}

async function showLiveOf(pid) {
  const live = spawn(process.execPath, [command, 'live', '-p', String(pid), '--web'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(live, 'exit');
  try {
    const page = await openPage(await lineOf(live.stderr, /http:\S+/), LIVE);
    try {
      await delay(3000);
      await page.until(`document.querySelectorAll('.list-running .window .row').length > 3`, 60);
      await keep(page, 'live.webp');
    } finally {
      await page.close();
    }
  } finally {
    live.kill();
    await ended;
  }
}

const folder = mkdtempSync(join(tmpdir(), 'tracewright-pictures-'));
try {
  mkdirSync(images, { recursive: true });
  await showReport(folder);
  await showLive();
} finally {
  rmSync(folder, { recursive: true });
}
