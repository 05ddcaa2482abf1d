import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sitDown } from '#testing/atDesk.ts';
import { eventually, startDesktop } from '#testing/desktop.ts';
import { startProgram, type Program } from '#testing/journeys/program.ts';
import { lacks } from '#testing/machine.ts';
import { pair } from '#testing/security/paired.ts';
import { startServer, type TestAccount } from '#testing/server.ts';
import { startSound } from '#testing/sound.ts';
import type { WatchedAgent } from '#testing/watchedAgent.ts';
import { returnapplications, usagestory } from '../contract.ts';

const lack = lacks('Xvfb', 'openbox', 'xterm', 'chromium', 'pulseaudio', 'pacat', 'pactl');
const AWAY_AFTER_MS = 2000;
const TONE =
  'data:text/html,<title>Tone</title><script>const c=new AudioContext();const o=c.createOscillator();o.connect(c.destination);o.start()</script>';

const scratch = (name: string): string => {
  const folder = mkdtempSync(join(tmpdir(), `pegboard-${name}-`));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};
/** A moment of the next second: usually a little after it has begun, so that rounding to seconds is of no account. */
const nextSecond = (partMs = 150): Promise<void> =>
  new Promise((done) => setTimeout(done, 1000 + partMs - (Date.now() % 1000)));
const seconds = async (count: number): Promise<void> => {
  for (let second = 0; second < count; second += 1) await nextSecond();
};

interface Stretch {
  readonly what: string;
  readonly from: number;
  readonly until: number;
}
const storyOf = async (account: TestAccount): Promise<readonly Stretch[]> => {
  const now = Date.now();
  const { stretches } = await account.call(usagestory, { from: String(now - 600_000), until: String(now + 60_000) });
  return stretches.map(({ application, status, from, until }) => ({ what: `${application} ${status}`, from, until }));
};
const timesOf = (stretches: readonly Stretch[], zero: number): string =>
  stretches.map(({ what, from, until }) => `${from - zero} to ${until - zero}: ${what}`).join('\n');
const inOrder = (stretches: readonly Stretch[]): readonly Stretch[] =>
  stretches.toSorted((one, other) => one.what.localeCompare(other.what) || one.from - other.from);

/** While the agent ran every application was open: in front, or behind. */
const behind = (application: string, focus: readonly Stretch[], runs: readonly Stretch[]): readonly Stretch[] =>
  runs.flatMap(({ from, until }) => {
    const own = focus.filter((one) => one.what === `${application} on` && one.from >= from && one.until <= until);
    const edges = [from, ...own.flatMap((one) => [one.from, one.until]), until];
    return Array.from({ length: edges.length / 2 }, (_, at) => ({
      what: `${application} off`,
      from: edges[2 * at] ?? 0,
      until: edges[2 * at + 1] ?? 0,
    })).filter((one) => one.until > one.from);
  });

describe.skipIf(lack)(`real use of a real desktop${lack === undefined ? '' : `: ${lack}`}`, () => {
  test('what the server has is what was done, within a second, whatever breaks on the way', async () => {
    const dataDir = scratch('usage');
    const stateDir = scratch('usage-agent');
    await using stack = new AsyncDisposableStack();
    let server = await startServer({ dataDir });
    stack.defer(() => server[Symbol.asyncDispose]());
    const account = await server.account('anna');
    const { origin } = server;
    const token = await pair(origin, account, 'Desk');
    const desk = stack.use(await startDesktop());
    const sound = stack.use(await startSound('pulseaudio'));
    const env: NodeJS.ProcessEnv = { ...desk.env, ...sound.env, HOME: stateDir };
    const done: { readonly what: string; readonly from: number; until: number }[] = [];
    const begin = (what: string): void => {
      const now = Date.now();
      const last = done.at(-1);
      if (last) last.until = now;
      done.push({ what, from: now, until: now });
    };
    const startWatching = async (inFront: string): Promise<Program> => {
      const options: WatchedAgent = { origin, token, stateDir, awayAfterMs: AWAY_AFTER_MS, handInEveryMs: 1000 };
      const started = stack.use(startProgram(['testing/watchedAgent.ts', JSON.stringify(options)], env));
      await started.says(/watching/);
      begin(inFront);
      await started.says(/welcome/);
      // It starts at any part of a second; what is counted from here is as long as it says.
      await nextSecond();
      return started;
    };
    const person = stack.use(await sitDown(desk));
    person.work();
    await person.open('Editor', 'xterm', ['-class', 'Editor']);
    await person.open('Mail', 'xterm', ['-class', 'Mail']);
    const profile = `--user-data-dir=${scratch('chromium')}`;
    const flags = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--autoplay-policy=no-user-gesture-required'];
    await person.open('Chromium', 'chromium', [...flags, profile, `--app=${TONE}`], env);
    await eventually('Chromium plays', async () => (await sound.streams()).length > 0);
    await person.focus('Editor');

    let agent = await startWatching('Editor on');
    await eventually('the server knows what is open', async () => {
      const { runningapps } = await account.call(returnapplications, {});
      return runningapps.toSorted().join() === 'Chromium,Editor,Mail';
    });
    await seconds(1);
    await person.focus('Chromium');
    begin('Chromium on');
    await seconds(2);
    await person.focus('Mail');
    begin('Mail on');
    await seconds(2);
    person.rest();
    begin('nobody');
    // Noticed at the latest 5 s after it is so.
    await seconds(7);
    person.work();
    begin('Mail on');
    await seconds(1);
    // It was last seen alive half a second before: that is the same second so.
    await nextSecond(650);
    begin('no agent');
    await agent.end('SIGKILL');
    await person.focus('Editor');
    await seconds(1);
    agent = await startWatching('Editor on');
    await seconds(2);
    await server[Symbol.asyncDispose]();
    await person.focus('Mail');
    begin('Mail on');
    await seconds(2);
    server = await startServer({ dataDir, port: Number(new URL(origin).port) });
    await person.focus('Chromium');
    begin('Chromium on');
    await seconds(2);
    begin('no agent');
    await agent.end('SIGTERM');

    const at = (place: number): number => done[place]?.from ?? 0;
    const runs = [
      { what: 'run', from: at(0), until: at(5) },
      { what: 'run', from: at(6), until: at(9) },
    ];
    const focus = done.filter(({ what }) => what.endsWith(' on'));
    const expected = inOrder([
      ...focus,
      ...['Editor', 'Mail', 'Chromium'].flatMap((application) => behind(application, focus, runs)),
      ...runs.map((run) => ({ ...run, what: 'Chromium s' })),
    ]);
    const story = inOrder(await storyOf(account));
    expect(
      story.map(({ what }) => what),
      `done:\n${timesOf(done, at(0))}\nseen:\n${timesOf(story, at(0))}`,
    ).toEqual(expected.map(({ what }) => what));
    for (const [place, { what, from, until }] of story.entries()) {
      const real = expected[place];
      const length = until - from - ((real?.until ?? 0) - (real?.from ?? 0));
      expect([what, Math.abs(length) <= 1000 ? 'as long as it was' : `${length} ms too long`]).toEqual([
        what,
        'as long as it was',
      ]);
      expect(Math.abs(from - (real?.from ?? 0)), `${what} begins`).toBeLessThanOrEqual(1000);
    }
  });
});
