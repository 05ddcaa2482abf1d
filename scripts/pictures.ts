// `npm run pictures`: takes the pictures of README.md from the demo, in Chromium. Needs a font with colour emoji, such
// as Debian's fonts-noto-color-emoji.
import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import sharp from 'sharp';
import { type Demo, startDemo } from '../apps/demo/demo.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'docs/pictures');
const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 780 };
const MAX_PICTURE_BYTES = 150_000;
/** Numbers of colours to try, because pictures of pages have few. Gradients need some. */
const COLOUR_COUNTS = [256, 128, 64, 32];
const DAYS = 365;
const TYPED_TEXT = 'Leo’s match is on Saturday at half past ten. Come along, we bring the cake!';

/** Waits until the page has its data and fonts. */
async function waitUntilSettled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.evaluate(async () => void (await document.fonts.ready));
}

/** Opens a window that is logged in, at a path of the site. */
async function openWindow(
  browser: Browser,
  { loginLink }: Demo,
  path: string,
  options: BrowserContextOptions,
): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  await page.goto(loginLink);
  await page.goto(new URL(path, loginLink).href);
  return page;
}

const createPhoneOptions = (colorScheme: 'light' | 'dark'): BrowserContextOptions => ({
  viewport: PHONE,
  isMobile: true,
  hasTouch: true,
  deviceScaleFactor: 1.5,
  colorScheme,
});

/** Saves a picture with as many colours as its size allows. */
async function savePicture(name: string, png: Buffer): Promise<void> {
  for (const colours of COLOUR_COUNTS) {
    const compressed = await sharp(png).png({ palette: true, colours, effort: 10, dither: 0.4 }).toBuffer();
    if (compressed.length > MAX_PICTURE_BYTES) continue;
    await writeFile(join(FOLDER, `${name}.png`), compressed);
    process.stdout.write(`${name}.png, ${Math.round(compressed.length / 1000)} kB\n`);
    return;
  }
  throw new Error(`${name}.png is larger than ${MAX_PICTURE_BYTES} bytes`);
}

interface Frame {
  readonly png: Buffer;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly radius: number;
}

/** Arranges screenshots on one picture, as windows with rounded corners and a shadow. */
async function arrangeFrames(browser: Browser, frames: readonly Frame[]): Promise<Buffer> {
  const page = await browser.newPage({ viewport: DESKTOP });
  const images = frames.map(
    ({ png, left, top, width, radius }) =>
      `<img src="data:image/png;base64,${png.toString('base64')}" style="left:${left}px;top:${top}px;width:${width}px;border-radius:${radius}px">`,
  );
  await page.setContent(
    `<style>body{margin:0;height:800px;background:#dcdfe8}img{position:absolute;box-shadow:0 10px 34px #1c233352,0 0 0 1px #1c233326}</style>${images.join('')}`,
  );
  const png = await page.screenshot();
  await page.close();
  return png;
}

async function takeRemote(browser: Browser, demo: Demo): Promise<void> {
  const screen = await browser.newPage({ viewport: { width: 960, height: 700 } });
  await screen.goto(demo.screenLink);
  const page = await openWindow(browser, demo, '/dashboard', createPhoneOptions('light'));
  await page.getByPlaceholder('Enter text here').fill(TYPED_TEXT);
  await page.getByRole('button', { name: 'Send' }).click();
  await screen.getByText(TYPED_TEXT).waitFor();
  await page.getByText(TYPED_TEXT).waitFor();
  await waitUntilSettled(page);
  const frames = [
    { png: await screen.screenshot(), left: 24, top: 92, width: 844, radius: 12 },
    { png: await page.screenshot(), left: 896, top: 30, width: 360, radius: 28 },
  ];
  await savePicture('remote', await arrangeFrames(browser, frames));
}

async function takeCalendar(browser: Browser, demo: Demo): Promise<void> {
  const page = await openWindow(browser, demo, '/calendar', { viewport: DESKTOP, colorScheme: 'light' });
  await page.getByText('Month', { exact: true }).click();
  await page.getByText('Hide dates').click();
  await waitUntilSettled(page);
  await savePicture('calendar', await page.screenshot());
}

async function takePlanner(browser: Browser, demo: Demo): Promise<void> {
  const light = await openWindow(browser, demo, '/shopplanner', createPhoneOptions('light'));
  await light.getByText('Carrots').waitFor();
  await waitUntilSettled(light);
  const dark = await openWindow(browser, demo, '/shopplanner', createPhoneOptions('dark'));
  await dark.getByText('Dairy').evaluate((heading) => {
    heading.style.scrollMarginTop = '76px'; // below the header of the page
    heading.scrollIntoView();
  });
  await waitUntilSettled(dark);
  const frames = [
    { png: await light.screenshot(), left: 230, top: 24, width: 376, radius: 28 },
    { png: await dark.screenshot(), left: 674, top: 24, width: 376, radius: 28 },
  ];
  await savePicture('planner', await arrangeFrames(browser, frames));
}

async function takeScreenTime(browser: Browser, demo: Demo): Promise<void> {
  const page = await openWindow(browser, demo, '/graphyv2', { viewport: DESKTOP, colorScheme: 'dark' });
  for (const name of ['Writer', 'Firefox', 'Signal']) await page.getByText(name, { exact: true }).last().click();
  await waitUntilSettled(page);
  await savePicture('screentime', await page.screenshot());
}

const { status } = spawnSync(process.execPath, [join(ROOT, 'build.ts'), '--if-stale'], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
const demo = await startDemo({
  host: '127.0.0.1',
  port: 0,
  folder: undefined,
  days: DAYS,
  now: Temporal.Now.zonedDateTimeISO(),
  print: (line) => void process.stdout.write(`${line}\n`),
});
try {
  await using browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars'],
  });
  await mkdir(FOLDER, { recursive: true });
  await takeRemote(browser, demo);
  await takeCalendar(browser, demo);
  await takePlanner(browser, demo);
  await takeScreenTime(browser, demo);
} finally {
  await demo.stop();
}
