import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { startProgram, type TestProgram } from '#testing/journeys/program.ts';
import { startBrowser } from '#testing/kits/browser/browser.ts';
import { avoidMidnight } from '#testing/kits/browser/midnight.ts';
import { monitorStalls } from '#testing/kits/browser/stalls.ts';
import { waitFor, startDesktop } from '#testing/kits/desktop/desktop.ts';
import { startDesktopUser } from '#testing/kits/desktop/desktopUser.ts';
import { startSoundServer } from '#testing/kits/desktop/sound.ts';
import type { TestAgentOptions } from '#testing/kits/desktop/watchedAgent.ts';
import { startServer, type TestAccount, type TestServer } from '#testing/kits/server/server.ts';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import { openStory, openUsagePage, BROWSER_ZONE } from '#testing/kits/usage/usagePage.ts';
import { getSkipReason } from '#testing/machine.ts';
import { pairComputer } from '#testing/security/pairComputer.ts';
import { returnapplications, usagestory } from '../contract.ts';
import { MAX_SIGHTING_GAP_MS } from '../usage/domain/measurement.ts';

const skipReason = getSkipReason('Xvfb', 'openbox', 'xterm', 'chromium', 'pulseaudio', 'pacat', 'pactl');
const AWAY_TIMEOUT_MS = 2000;
const NEVER_MS = 3_600_000;
const TONE =
  'data:text/html,<title>Tone</title><script>const c=new AudioContext();const o=c.createOscillator();o.connect(c.destination);o.start()</script>';

/** Waits until shortly after the start of the next second, so that rounding to seconds has no effect. */
const waitForNextSecond = (partMs = 150): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, 1000 + partMs - (Date.now() % 1000)));
async function waitSeconds(count: number): Promise<void> {
  for (let second = 0; second < count; second += 1) await waitForNextSecond();
}

interface ExpectedInterval {
  readonly what: string;
  readonly from: number;
  readonly until: number;
}
async function listStory(account: TestAccount): Promise<readonly ExpectedInterval[]> {
  const now = Date.now();
  const { stretches: intervals } = await account.call(usagestory, {
    from: String(now - 600_000),
    until: String(now + 60_000),
  });
  return intervals.map(({ application, status, from, until }) => ({ what: `${application} ${status}`, from, until }));
}
const formatTimes = (intervals: readonly ExpectedInterval[], zero: number): string =>
  intervals.map(({ what, from, until }) => `${from - zero} to ${until - zero}: ${what}`).join('\n');
const sortByStart = (intervals: readonly ExpectedInterval[]): readonly ExpectedInterval[] =>
  intervals.toSorted((one, other) => one.what.localeCompare(other.what) || one.from - other.from);

/** Returns the focused intervals of the day's dialog, read by opening each one. */
async function readShown(story: Locator): Promise<readonly ExpectedInterval[]> {
  const shownIntervals: ExpectedInterval[] = [];
  const rows = story.getByRole('listitem');
  for (let index = 0; index < (await rows.count()); index += 1) {
    const row = rows.nth(index);
    const [, application = ''] = await row.locator('span').allTextContents();
    await row.getByRole('button', { name: /^Edit / }).click();
    const form = story.getByRole('form', { name: 'Edit entry' });
    const readMoment = async (field: string): Promise<number> =>
      Temporal.PlainDateTime.from(await form.getByLabel(field).inputValue()).toZonedDateTime(BROWSER_ZONE)
        .epochMilliseconds;
    shownIntervals.push({
      what: `${application} on`,
      from: await readMoment('From'),
      until: await readMoment('Until'),
    });
    await form.getByRole('button', { name: 'Cancel' }).click();
  }
  return sortByStart(shownIntervals);
}

/** Compares lengths and times, within a tolerance in ms. */
function expectSameIntervals(
  reported: readonly ExpectedInterval[],
  real: readonly ExpectedInterval[],
  toleranceMs: number,
): void {
  for (const [place, { what, from, until }] of reported.entries()) {
    const { from: started, until: ended } = real[place] ?? { from: 0, until: 0 };
    const differenceMs = until - from - (ended - started);
    expect([what, Math.abs(differenceMs) <= toleranceMs ? 'as long as it was' : `${differenceMs} ms too long`]).toEqual(
      [real[place]?.what, 'as long as it was'],
    );
    expect(Math.abs(from - started), `${what} begins`).toBeLessThanOrEqual(toleranceMs);
  }
}

/** While the agent ran, every application was open, in front or in the background. */
const listBackground = (
  application: string,
  focus: readonly ExpectedInterval[],
  runs: readonly ExpectedInterval[],
): readonly ExpectedInterval[] =>
  runs.flatMap(({ from, until }) => {
    const focusIntervals = focus.filter(
      (one) => one.what === `${application} on` && one.from >= from && one.until <= until,
    );
    const edges = [from, ...focusIntervals.flatMap((one) => [one.from, one.until]), until];
    return Array.from({ length: edges.length / 2 }, (_, index) => ({
      what: `${application} off`,
      from: edges[2 * index] ?? 0,
      until: edges[2 * index + 1] ?? 0,
    })).filter((one) => one.until > one.from);
  });

/** Starts a desktop with sound on a paired computer, and prepares its agent. */
async function startDesk(stack: AsyncDisposableStack, server: TestServer, awayAfterMs: number) {
  const { origin } = server;
  const stateDir = createTempFolderSync();
  const account = await server.createAccount('anna');
  const token = await pairComputer(origin, account, 'Desk');
  const desk = stack.use(await startDesktop());
  const sound = stack.use(await startSoundServer('pulseaudio'));
  const env: NodeJS.ProcessEnv = { ...desk.env, ...sound.env, HOME: stateDir };
  const options: TestAgentOptions = { origin, token, stateDir, awayAfterMs, uploadIntervalMs: 1000 };
  async function startAgent(): Promise<TestProgram> {
    const started = stack.use(startProgram(['testing/kits/desktop/watchedAgent.ts', JSON.stringify(options)], env));
    await started.waitForOutput(/watching/);
    return started;
  }
  return { account, sound, env, person: stack.use(await startDesktopUser(desk)), startAgent };
}

/** Returns the longest stall that an agent reported. */
const readLongestStall = (agent: TestProgram): number =>
  Math.max(0, ...Array.from(agent.getOutput().matchAll(/^stood still (\d+) ms$/gm), ([, ms]) => Number(ms)));

avoidMidnight(BROWSER_ZONE);

/** Using a real desktop takes as long as the usage to be counted. */
const REAL = { timeout: 240_000 };

describe.skipIf(skipReason)(
  `real use of a real desktop${skipReason === undefined ? '' : `: ${skipReason}`}`,
  REAL,
  () => {
    test('server and page show the actual usage, within a second, whatever fails meanwhile', async () => {
      const dataDir = createTempFolderSync();
      await using stack = new AsyncDisposableStack();
      let server = await startServer({ dataDir });
      stack.defer(() => server[Symbol.asyncDispose]());
      const { origin } = server;
      const { account, sound, env, person, startAgent } = await startDesk(stack, server, AWAY_TIMEOUT_MS);
      const performed: { readonly what: string; readonly from: number; until: number }[] = [];
      function startActivity(what: string): void {
        const now = Date.now();
        const last = performed.at(-1);
        if (last) last.until = now;
        performed.push({ what, from: now, until: now });
      }
      async function startWatching(inFront: string): Promise<TestProgram> {
        const started = await startAgent();
        startActivity(inFront);
        await started.waitForOutput(/welcome/);
        // Starts at the beginning of a second, so that later durations are exact.
        await waitForNextSecond();
        return started;
      }
      using stalls = monitorStalls();
      person.startMoving();
      await person.open('Editor', 'xterm', ['-class', 'Editor']);
      await person.open('Mail', 'xterm', ['-class', 'Mail']);
      const profile = `--user-data-dir=${createTempFolderSync()}`;
      const flags = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--autoplay-policy=no-user-gesture-required'];
      await person.open('Chromium', 'chromium', [...flags, profile, `--app=${TONE}`], env);
      await waitFor('Chromium plays', async () => (await sound.listStreams()).length > 0);
      await person.focus('Editor');

      const first = await startWatching('Editor on');
      await waitFor('the server knows what is open', async () => {
        const { runningapps } = await account.call(returnapplications, {});
        return runningapps.toSorted().join() === 'Chromium,Editor,Mail';
      });
      await waitSeconds(1);
      await person.focus('Chromium');
      startActivity('Chromium on');
      await waitSeconds(2);
      await person.focus('Mail');
      startActivity('Mail on');
      await waitSeconds(2);
      person.stopMoving();
      startActivity('nobody');
      // It is noticed within 5 s.
      await waitSeconds(7);
      person.startMoving();
      startActivity('Mail on');
      await waitSeconds(3);
      // Its last sign of life is half a second old, so this puts it into the same second.
      await waitForNextSecond(650);
      startActivity('no agent');
      await first.end('SIGKILL');
      await person.focus('Editor');
      // Intervals are whole seconds: an earlier start might leave no second between the two runs.
      await waitSeconds(2);
      const second = await startWatching('Editor on');
      await waitSeconds(2);
      await server[Symbol.asyncDispose]();
      await person.focus('Mail');
      startActivity('Mail on');
      await waitSeconds(2);
      server = await startServer({ dataDir, port: Number(new URL(origin).port) });
      await person.focus('Chromium');
      startActivity('Chromium on');
      // If it ended before reconnecting, it would save the rest for its next start.
      await second.waitForOutput(/welcome[^]*welcome/);
      await waitSeconds(2);
      startActivity('no agent');
      await second.end('SIGTERM');

      const at = (place: number): number => performed[place]?.from ?? 0;
      const runs = [
        { what: 'run', from: at(0), until: at(5) },
        { what: 'run', from: at(6), until: at(9) },
      ];
      const focus = performed.filter(({ what }) => what.endsWith(' on'));
      const expected = sortByStart([
        ...focus,
        ...['Editor', 'Mail', 'Chromium'].flatMap((application) => listBackground(application, focus, runs)),
        ...runs.map((run) => ({ ...run, what: 'Chromium s' })),
      ]);
      // The last upload may still be under way.
      const expectedNames = expected.map(({ what }) => what).join();
      await waitFor('all intervals were accepted', async () => {
        const reported = sortByStart(await listStory(account));
        return reported.map(({ what }) => what).join() === expectedNames;
      }).catch(() => undefined);
      const story = sortByStart(await listStory(account));
      // Stalls limit the precision of the measurement.
      const toleranceMs = 1000 + stalls.longest() + Math.max(readLongestStall(first), readLongestStall(second));
      expect(
        story.map(({ what }) => what),
        `done:\n${formatTimes(performed, at(0))}\nseen:\n${formatTimes(story, at(0))}`,
      ).toEqual(expected.map(({ what }) => what));
      expectSameIntervals(story, expected, toleranceMs);

      // The page must show the same.
      const browser = stack.use(await startBrowser());
      const page = await openUsagePage({ browser, server }, account, { on: ['Chromium', 'Editor', 'Mail'] });
      const shownIntervals = await readShown(await openStory(page, 0));
      expect(shownIntervals.map(({ what }) => what)).toEqual(sortByStart(focus).map(({ what }) => what));
      expectSameIntervals(shownIntervals, sortByStart(focus), toleranceMs);
      await page.context().close();
    });

    test('nothing counts while the computer sleeps, although the user was not away', async () => {
      await using stack = new AsyncDisposableStack();
      const server = stack.use(await startServer({ dataDir: createTempFolderSync() }));
      const { account, person, startAgent } = await startDesk(stack, server, NEVER_MS);
      await person.open('Editor', 'xterm', ['-class', 'Editor']);
      const agent = await startAgent();
      const start = Date.now();
      await agent.waitForOutput(/welcome/);
      await waitSeconds(3);
      agent.child.kill('SIGSTOP');
      const asleep = Date.now();
      await waitSeconds(MAX_SIGHTING_GAP_MS / 1000 + 2);
      agent.child.kill('SIGCONT');
      const awake = Date.now();
      await waitSeconds(3);
      await agent.end('SIGTERM');
      const ended = Date.now();

      await waitFor('all intervals were accepted', async () => (await listStory(account)).length === 2).catch(
        () => undefined,
      );
      const story = await listStory(account);
      expect(story.map(({ what }) => what)).toEqual(['Editor on', 'Editor on']);
      for (const [place, [from, until]] of [[start, asleep] as const, [awake, ended] as const].entries()) {
        // Tolerates half a minute, because it samples once a second on a machine that may be busy.
        expect(Math.abs((story[place]?.from ?? 0) - from), `stretch ${place} begins`).toBeLessThanOrEqual(10_000);
        expect(Math.abs((story[place]?.until ?? 0) - until), `stretch ${place} ends`).toBeLessThanOrEqual(10_000);
      }
    });
  },
);
