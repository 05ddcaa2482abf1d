// `node run.cjs node testing/pictures/timer.ts`: takes the pictures of /stopwatch/minify in Debian's Chromium. Needs
// Xvfb, openbox, xdotool, ImageMagick and a built site. If Chromium's menus change, correct the keys here.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { STEPS } from '#tools/timer/web/steps.ts';
import { startDesktop } from '../kits/desktop/desktop.ts';
import { startServer } from '../kits/server/server.ts';
import { findProgram } from '../machine.ts';

const FOLDER = join(import.meta.dirname, '../../apps/web/public/images/minify');
const COLOURS = '48';
/** Menus and windows are animated. */
const REST_MS = 1500;
const MAX_ATTEMPTS = 40;
const WINDOW = { left: 40, top: 20, width: 960, height: 653 };

await using server = await startServer();
await using desktop = await startDesktop({ isManaged: false });
// With its usual keys, unlike the window manager of tests.
const windowManager = spawn('openbox', { env: desktop.env, stdio: 'ignore' });
const run = promisify(execFile);
const does = async (program: string, ...args: readonly string[]): Promise<string> =>
  (await run(program, args, { env: desktop.env })).stdout.trim();
const rest = (): Promise<void> => sleep(REST_MS);
async function press(...keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    await does('xdotool', 'key', key);
    await sleep(250);
  }
}
const type = async (text: string): Promise<void> => void (await does('xdotool', 'type', '--delay', '60', text));
const point = async (x: number, y: number): Promise<void> =>
  void (await does('xdotool', 'mousemove', String(x), String(y)));
const click = async (): Promise<void> => void (await does('xdotool', 'click', '1'));

async function windowNamed(name: string): Promise<string> {
  for (let tries = 0; tries < MAX_ATTEMPTS; tries += 1) {
    const found = await does('xdotool', 'search', '--onlyvisible', '--name', name).catch(() => '');
    if (found !== '') return found.split('\n').at(-1) ?? '';
    await sleep(500);
  }
  throw new Error(`no window ${name}`);
}

interface Part {
  readonly left: number;
  readonly top: number;
  /** In pixels of the screen; the picture has the width that its step defines. */
  readonly width: number;
}

/** Saves a part of the screen as the picture of a step, with its aspect ratio. */
async function take(step: number, { left, top, width }: Part): Promise<void> {
  const size = STEPS[step - 1];
  if (!size) throw new Error(`there is no step ${step}`);
  const height = Math.round((width * size.height) / size.width);
  const crop = `${width}x${height}+${left}+${top}`;
  const path = join(FOLDER, `${step}.png`);
  const resize = `${size.width}x${size.height}!`;
  const look = ['+repage', '-resize', resize, '+dither', '-colors', COLOURS, '-strip', `PNG8:${path}`];
  await does('import', '-silent', '-window', 'root', '-crop', crop, ...look);
  process.stdout.write(`${step}.png\n`);
}

const profile = await mkdtemp(join(tmpdir(), 'pegboard-pictures-'));
await mkdir(FOLDER, { recursive: true });
await does('xsetroot', '-solid', '#c9ccd6');
const browser = spawn(
  findProgram('chromium') ?? 'chromium',
  [
    '--no-sandbox',
    '--test-type',
    '--disable-gpu',
    '--no-first-run',
    '--no-default-browser-check',
    '--disable-sync',
    '--password-store=basic',
    '--lang=en',
    `--user-data-dir=${profile}`,
    `--window-position=${WINDOW.left},${WINDOW.top}`,
    `--window-size=${WINDOW.width},${WINDOW.height}`,
    `${server.origin.replace('127.0.0.1', 'localhost')}/stopwatch`,
  ],
  { env: desktop.env, stdio: 'ignore' },
);
try {
  await windowNamed('^10:00');
  await rest();
  await point(1200, 780);
  await take(1, WINDOW);
  // Fields and buttons are in the middle of the page's lower part.
  const middle = WINDOW.left + 60 + (WINDOW.width - 60) / 2;
  const buttons = { left: middle - 375, top: WINDOW.top + 418, width: 750 };
  await press('Tab');
  await point(middle - 190, WINDOW.top + 604);
  await click();
  await type('1500');
  await press('Return');
  await rest();
  await take(2, buttons);
  await point(middle + 143, WINDOW.top + 492);
  await rest();
  await take(3, buttons);
  await press('alt+f');
  await rest();
  await take(4, { left: WINDOW.left + WINDOW.width - 424, top: WINDOW.top, width: 430 });
  await press('Up', 'Up', 'Up', 'Up', 'Up', 'Right', 'Down', 'Down');
  await rest();
  await take(5, { left: 600, top: 400, width: 660 });
  await press('Return');
  await rest();
  await take(6, { left: WINDOW.left + WINDOW.width / 2 - 240, top: WINDOW.top + 86, width: 480 });
  await press('Tab', 'Return');
  const appWindow = await windowNamed('^Pegboard');
  await does('xdotool', 'windowactivate', '--sync', appWindow);
  await rest();
  await point(middle, WINDOW.top + 457);
  await click();
  await rest();
  await take(7, WINDOW);
  await does('xdotool', 'windowsize', '--sync', appWindow, '508', '220');
  await does('xdotool', 'windowmove', '--sync', appWindow, '200', '438');
  await rest();
  await take(8, { left: 174, top: 424, width: 560 });
  await point(360, 458);
  await press('alt+space', 'Down', 'Down', 'Right');
  await rest();
  await take(9, { left: 174, top: 424, width: 560 });
} finally {
  await run('import', ['-window', 'root', join(tmpdir(), 'pegboard-pictures-last.png')], { env: desktop.env });
  const exited = once(browser, 'exit');
  browser.kill();
  windowManager.kill();
  await exited;
  // Helper processes end a little later, and write until then.
  await rm(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
}
