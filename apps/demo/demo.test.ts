import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Client, createClient } from '#platform/contract/client.ts';
import { log, tokenconv } from '#platform/contract/session.ts';
import { getSkipReason } from '#testing/machine.ts';
import { aianswers } from '#tools/ai/contract.ts';
import { eventsbetween } from '#tools/calendar/contract/events.ts';
import { getstatusesdiscord } from '#tools/chatstatus/contract.ts';
import { checkdevices } from '#tools/devices/contract.ts';
import { cwlt } from '#tools/gallery/contract.ts';
import { retrievemessages, visitormessages } from '#tools/messages/contract.ts';
import { mixerargs } from '#tools/mixer/contract.ts';
import { ytgetdata } from '#tools/music/contract.ts';
import { mypastes } from '#tools/paste/contract.ts';
import { keyboardinput, remotehistory, scripts } from '#tools/remote/contract.ts';
import { applicationcatinfo, gettimetrackergoals, usagedays } from '#tools/screentime/contract.ts';
import { getshoplist, getshoplists } from '#tools/shopping/contract.ts';
import { getunuseddatesttbl, savedweeks } from '#tools/timetable/contract.ts';
import type { ScreenState } from './screenState.ts';

const MAIN = join(import.meta.dirname, 'main.ts');

interface RunningDemo {
  readonly loginLink: string;
  readonly screenLink: string;
  readonly password: string;
  readonly chatCode: string;
  readonly origin: string;
  /** Interrupts the demo like Ctrl+C, and returns its exit code. */
  readonly interrupt: () => Promise<number | null>;
}

let folder = '';
let child: ChildProcess | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'demo-test-'));
});
afterEach(async () => {
  if (child?.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'close');
  }
  await rm(folder, { recursive: true, force: true });
});

/** Starts the demo as a process group of its own, with a few weeks of history. Its temporary files are in `folder`. */
async function startDemoProgram(...options: readonly string[]): Promise<RunningDemo> {
  const program = spawn(process.execPath, [MAIN, '--port', '0', '--days', '20', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: folder },
    detached: true,
  });
  child = program;
  let output = '';
  const ready = Promise.withResolvers<void>();
  for (const stream of [program.stdout, program.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      if (output.includes('Press Ctrl+C to stop')) ready.resolve();
    });
  program.once('exit', () => ready.reject(new Error(`the demo ended:\n${output}`)));
  await ready.promise;
  const find = (pattern: RegExp): string => pattern.exec(output)?.[1] ?? '';
  const loginLink = find(/(http\S+\/demo\/login\/\S+)/);
  return {
    loginLink,
    screenLink: find(/(http\S+\/demo\/screen\/\S+)/),
    password: find(/Password of both: +(\S+)/),
    chatCode: find(/Chat status code, for \/sleepstatus: +(\S+)/),
    origin: new URL(loginLink).origin,
    interrupt: async () => {
      program.removeAllListeners('exit');
      const closed = once(program, 'close') as Promise<[number | null]>;
      process.kill(-(program.pid ?? 0), 'SIGINT');
      return (await closed)[0];
    },
  };
}

function isGroupRunning(): boolean {
  try {
    process.kill(-(child?.pid ?? 0), 0);
    return true;
  } catch {
    return false;
  }
}

/** Follows the login link, and calls as the account that it logs in to. */
async function followLoginLink({ loginLink, origin }: RunningDemo): Promise<Client> {
  const response = await fetch(loginLink, { redirect: 'manual' });
  expect(response.status).toBe(303);
  const token = /usertoken=([^;]+)/.exec(response.headers.get('set-cookie') ?? '')?.[1] ?? '';
  return createClient({ origin, token: () => token });
}

/** Reads the event stream of the screen until it shows the text. */
async function waitForText(screenLink: string, text: string): Promise<ScreenState> {
  const response = await fetch(`${screenLink}/events`, { signal: AbortSignal.timeout(60_000) });
  let received = '';
  for await (const chunk of response.body ?? []) {
    received += new TextDecoder().decode(chunk);
    const events = received.split('\n\n');
    received = events.pop() ?? '';
    for (const event of events) {
      if (!event.startsWith('data: ')) continue;
      const state = JSON.parse(event.slice('data: '.length)) as ScreenState;
      if (state.text.includes(text)) return state;
    }
  }
  throw new Error('the stream ended');
}

async function findStudy(call: Client): Promise<string> {
  const { status } = await call(checkdevices, {});
  return status.find(([, , state]) => state === 'Connected')?.[0] ?? '';
}

test('each tool of the demo has data, what is typed arrives on the screen, and it ends without a trace', async () => {
  const demo = await startDemoProgram();
  const call = await followLoginLink(demo);
  expect(await call(tokenconv, {})).toMatchObject({ username: 'anna' });

  const today = Temporal.Now.plainDateISO();
  const [from, until] = [today.subtract({ days: 14 }).toString(), today.add({ days: 14 }).toString()];
  expect(Object.keys((await call(eventsbetween, { from, until })).dates).length).toBeGreaterThan(10);
  const { lists } = (await call(getshoplists, {})).data;
  expect(lists.map(({ name }) => name)).toContain('Weekly shop');
  const weekly = (await call(getshoplist, { id: lists.find(({ name }) => name === 'Weekly shop')?.id ?? 0 })).data;
  expect(Object.keys(weekly.items).length).toBeGreaterThan(15);
  expect((await call(savedweeks, {})).weeks).toHaveLength(2);
  const weeks = (await call(getunuseddatesttbl, {})).data;
  expect(weeks[1]?.dates.every(({ tbbldata }) => Object.keys(tbbldata).length > 0)).toBe(true);
  const { days } = await call(usagedays, { from, until });
  expect(Object.values(days).filter((seconds) => seconds > 0).length).toBeGreaterThan(7);
  expect(Object.keys((await call(applicationcatinfo, {})).data.cats)).toContain('Creative');
  expect((await call(gettimetrackergoals, {})).goals.length).toBeGreaterThan(2);
  expect((await call(mypastes, {})).pieces).toHaveLength(4);
  expect((await call(visitormessages, {})).visitors).toHaveLength(2);
  expect((await call(scripts, {})).scripts).toHaveLength(2);
  expect((await call(aianswers, {})).configured).toBe(true);
  const presence = await call(getstatusesdiscord, { code: demo.chatCode, state: '0' });
  expect(Object.keys(presence.statuses).length).toBeGreaterThan(10);

  const target = await findStudy(call);
  expect((await call(retrievemessages, { target })).messages.length).toBeGreaterThan(3);
  expect(Object.keys((await call(mixerargs, { type: 'client', target })).data)).toContain('Firefox');
  expect((await call(remotehistory, { target })).history.length).toBeGreaterThan(0);

  const page = await fetch(demo.screenLink);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await page.text()).toContain('Screen of Study PC');
  const screenState = waitForText(demo.screenLink, 'Grüße vom Telefon');
  await call(keyboardinput, {
    content: { inputtype: 1, inputValue: 'Grüße vom Telefon', target, timesent: Date.now() / 1000 },
  });
  expect((await screenState).log[0]?.text).toBe('Typed 17 characters');

  expect(await demo.interrupt()).toBe(0);
  expect(isGroupRunning()).toBe(false);
  // Node's compile cache may be there; nothing of the demo is.
  expect((await readdir(folder)).filter((name) => name.startsWith('pegboard-'))).toEqual([]);
});

test('a demo that is stored starts again with its accounts and its computer', async () => {
  const storedFolder = join(folder, 'stored');
  const first = await startDemoProgram('--keep', storedFolder);
  expect(await first.interrupt()).toBe(0);
  const restartedDemo = await startDemoProgram('--keep', storedFolder);
  expect(restartedDemo.password).toBe(first.password);
  expect(restartedDemo.loginLink).not.toBe(first.loginLink);
  const { token } = await createClient({ origin: restartedDemo.origin })(log, {
    username: 'ben',
    password: restartedDemo.password,
  });
  const callAsBen = createClient({ origin: restartedDemo.origin, token: () => token });
  expect((await callAsBen(getshoplists, {})).data.lists.length).toBeGreaterThan(0);
  expect(await findStudy(await followLoginLink(restartedDemo))).not.toBe('');
  expect(await restartedDemo.interrupt()).toBe(0);
});

test('a demo that is interrupted while it creates its household leaves no data', async () => {
  const program = spawn(process.execPath, [MAIN, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: folder },
  });
  child = program;
  const closed = once(program, 'close');
  for await (const line of program.stdout.setEncoding('utf8'))
    if (String(line).includes('A calendar of')) program.kill('SIGINT');
  expect((await closed)[0]).toBe(1);
  expect((await readdir(folder)).filter((name) => name.startsWith('pegboard-'))).toEqual([]);
});

const skipReason = getSkipReason('ffmpeg', 'bwrap');
describe(skipReason ?? 'songs and recordings', () => {
  test.skipIf(skipReason)('the demo creates songs, playlists and recordings', async () => {
    const demo = await startDemoProgram();
    const call = await followLoginLink(demo);
    await expect.poll(async () => Object.keys((await call(ytgetdata, {})).playlists).length).toBe(3);
    const { mp3s } = await call(ytgetdata, {});
    expect(Object.values(mp3s).map(({ title }) => title)).toContain('Slow Train');
    await expect
      .poll(async () => (await call(cwlt, {})).files.flatMap(({ videos }) => videos.map(({ title }) => title)))
      .toContain('Fractal zoom');
    expect(await demo.interrupt()).toBe(0);
    expect((await readdir(folder)).filter((name) => name.startsWith('pegboard-'))).toEqual([]);
  });
});
