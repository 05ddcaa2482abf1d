import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { createFakeChatPlatform } from '#testing/kits/chat/chatPlatform.ts';
import { startDiscord, DISCORD_TOKEN, type TestDiscord } from '#testing/kits/chat/discord.ts';
import { startServer, type TestServer } from '#testing/kits/server/server.ts';
import { chatstate, getstatusesdiscord } from '../contract.ts';
import { chatStatusWith } from './index.ts';

const ANN = '100000000000000001';
const BEN = '100000000000000002';
const start = Temporal.Instant.from('2026-11-20T21:30:00Z');
const seconds = (instant: Temporal.Instant): number => instant.epochMilliseconds / 1000;

// Loads the bot's large library once, so that no test times out on a busy machine.
beforeAll(() => import('discord.js'));

/** Starts a server with a bot and a fake clock. */
const startWithBot = async (discord: TestDiscord, options: Parameters<typeof startServer>[0] = {}) => {
  const clock = { now: start };
  const server = await startServer({ environment: discord.environment, now: () => clock.now, ...options });
  await expect.poll(async () => (await server.call(chatstate, {})).platforms[0]?.isReady).toBe(true);
  return {
    server,
    /** Advances the clock with a heartbeat every minute. */
    later: async (hours: number): Promise<void> => {
      const until = clock.now.add({ minutes: hours * 60 });
      while (Temporal.Instant.compare(clock.now, until) < 0) {
        clock.now = clock.now.add({ minutes: 1 });
        await discord.requestHeartbeat();
      }
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
};
const findCode = (text: string): string => /`((?:\w{4}-){3}\w{4})`/.exec(text)?.[1] ?? '';
const ask = (server: TestServer, code: string, state: '0' | '1' | '2' = '0', tz?: string) =>
  server.call(getstatusesdiscord, { code, state, ...(tz === undefined ? {} : { tz }) });

test('a user who asks the bot for a code sees their days, in the requested view and zone', async () => {
  await using discord = await startDiscord();
  await using site = await startWithBot(discord);
  const { server, later } = site;
  discord.setStatus(ANN, 'online', { desktop: 'idle', mobile: 'online' });
  const { content } = await discord.sendCommand(ANN, 'start');
  expect(content).toContain('Enter it at /sleepstatus on this server');
  const code = findCode(content);
  await later(1);
  discord.setStatus(ANN, 'offline');
  await discord.sendCommand(ANN, 'start'); // serialized after it
  await later(8);
  discord.setStatus(ANN, 'dnd');
  await discord.sendCommand(ANN, 'start');
  await later(1);

  const [friday, saturday] = [
    seconds(Temporal.Instant.from('2026-11-20T00:00Z')),
    seconds(Temporal.Instant.from('2026-11-21T00:00Z')),
  ];
  const [left, back] = [seconds(start) + 3600, seconds(start) + 9 * 3600];
  expect(await ask(server, code)).toEqual({
    statuses: {
      [friday]: {
        date: '2026-11-20',
        endtime: saturday,
        statuses: [
          { time: friday, status: 'unknown' },
          { time: seconds(start), status: 'online' },
          { time: left, status: 'offline' },
        ],
      },
      [saturday]: {
        date: '2026-11-21',
        endtime: seconds(start) + 10 * 3600,
        statuses: [
          { time: saturday, status: 'offline' },
          { time: back, status: 'dnd' },
        ],
        slept: { from: left, until: back },
      },
    },
    colours: { online: '#2E9E5B', idle: '#D99A1C', dnd: '#C2413B', offline: '#85858F', unknown: 'transparent' },
  });
  const statusAt = async (state: '1' | '2') =>
    (await ask(server, code.toLowerCase(), state)).statuses[friday]?.statuses[1]?.status;
  expect([await statusAt('1'), await statusAt('2')]).toEqual(['idle', 'online']);
  const kolkata = await ask(server, code, '0', 'Asia/Kolkata');
  expect(Object.values(kolkata.statuses).map(({ date }) => date)).toEqual(['2026-11-21']);
  await expect(ask(server, code, '0', 'Mars/Olympus')).rejects.toThrow('There is no such time zone');
});

test('a new code ends the old one; after stop the days remain, after forget they are gone', async () => {
  await using discord = await startDiscord();
  await using site = await startWithBot(discord);
  const { server, later } = site;
  const old = findCode((await discord.sendCommand(ANN, 'start')).content);
  const code = findCode((await discord.sendCommand(ANN, 'code')).content);
  expect(code).not.toBe(old);
  await expect(ask(server, old)).rejects.toThrow(/^There is no such code/);
  await later(2);
  await discord.sendCommand(ANN, 'stop');
  await later(5);
  const { statuses } = await ask(server, code);
  expect(Object.values(statuses).map(({ endtime }) => endtime)).toEqual([seconds(start) + 2 * 3600]);
  await discord.sendCommand(ANN, 'forget');
  await expect(ask(server, code)).rejects.toThrow(/^There is no such code/);
});

test('an address has ten wrong codes a minute, then right ones are refused too for a while', async () => {
  await using discord = await startDiscord();
  await using site = await startWithBot(discord);
  const { server, later } = site;
  const code = findCode((await discord.sendCommand(BEN, 'start')).content);
  const wrong = async (tries: number): Promise<string> => {
    try {
      await ask(server, `0000-0000-0000-${String(tries).padStart(4, '0')}`);
      return 'ok';
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  let tries = 0;
  while ((await wrong(tries)).startsWith('There is no such code')) tries += 1;
  // Counts in windows of half a minute.
  expect(tries).toBeGreaterThanOrEqual(5);
  expect(tries).toBeLessThanOrEqual(10);
  await expect(ask(server, code)).rejects.toThrow('Too many wrong codes. Try again in a minute');
  await later(0.5);
  await expect(ask(server, code)).resolves.toMatchObject({ colours: {} });
});

test('an empty code is refused with a hint, and an unknown state does not match the schema', async () => {
  await using server = await startServer();
  await expect(ask(server, ' ')).rejects.toThrow('Enter code');
  expect((await server.call(chatstate, {})).platforms).toEqual([]);
  const response = await fetch(`${server.origin}/api/getstatusesdiscord?code=x&state=3`);
  expect(response.status).toBe(400);
});

/**
 * Returns what a server wrote while its bot handed out a code and was then locked out, and the secrets that must not be
 * in it.
 */
const collectTraces = async (discord: TestDiscord, dataDir: string) => {
  await using site = await startWithBot(discord, { logLevel: 'debug', dataDir });
  const { server } = site;
  const code = findCode((await discord.sendCommand(ANN, 'start')).content);
  await ask(server, code);
  discord.close(4004);
  await expect
    .poll(async () => (await server.call(chatstate, {})).platforms[0]?.state)
    .toMatch(/^Discord refused the bot token/);
  return { log: server.log, secrets: [DISCORD_TOKEN, 'hunter2', code, code.replaceAll('-', '')] };
};

test('neither the database nor the log contains codes or the bot’s token', async () => {
  await using discord = await startDiscord();
  await using folder = await mkdtempDisposable(join(tmpdir(), 'pegboard-'));
  const { log, secrets } = await collectTraces(discord, folder.path);
  expect(log.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([]);
  // A database file that this process has open must not be opened again: closing it would release its locks.
  const files = await Promise.all(
    ['data.db', 'data.db-wal'].map((name) => readFile(join(folder.path, name), 'latin1').catch(() => '')),
  );
  const stored = files.join('');
  expect(stored).toContain(ANN);
  expect(secrets.filter((secret) => stored.includes(secret))).toEqual([]);
});

/** Returns whether the platform of such a server was started. */
const isReadyIn = async (runsBackgroundWork: boolean): Promise<boolean | undefined> => {
  const platform = createFakeChatPlatform();
  await using server = await startServer({ tools: [chatStatusWith(() => [platform])], runsBackgroundWork });
  await expect(ask(server, '0000-0000-0000-0000')).rejects.toThrow(/^There is no such code/); // all earlier work is done
  return (await server.call(chatstate, {})).platforms[0]?.isReady;
};

test('an admin command, which creates its own server, starts no bot', async () => {
  expect([await isReadyIn(true), await isReadyIn(false)]).toEqual([true, false]);
});
