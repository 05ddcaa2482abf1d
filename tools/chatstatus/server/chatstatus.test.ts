import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { createFakeChatPlatform } from '#testing/kits/chat/chatPlatform.ts';
import { startDiscord, DISCORD_TOKEN, type TestDiscord } from '#testing/kits/chat/discord.ts';
import { startServer, type TestServer } from '#testing/kits/server/server.ts';
import { chatstate, getstatusesdiscord } from '../contract.ts';
import { createChatStatusTool } from './index.ts';

const ANN = '100000000000000001';
const BEN = '100000000000000002';
const start = Temporal.Instant.from('2026-11-20T21:30:00Z');
const toSeconds = (instant: Temporal.Instant): number => instant.epochMilliseconds / 1000;

// Loads the bot's large library once, so that no test times out on a busy machine.
beforeAll(() => import('discord.js'));

/** Starts a server with a bot and a fake clock. */
async function startWithBot(discord: TestDiscord, options: Parameters<typeof startServer>[0] = {}) {
  const clock = { now: start };
  const server = await startServer({ environment: discord.environment, now: () => clock.now, ...options });
  await expect.poll(async () => (await server.call(chatstate, {})).platforms[0]?.isReady).toBe(true);
  return {
    server,
    /** Advances the clock with a heartbeat every minute. */
    advanceHours: async (hours: number): Promise<void> => {
      const until = clock.now.add({ minutes: hours * 60 });
      while (Temporal.Instant.compare(clock.now, until) < 0) {
        clock.now = clock.now.add({ minutes: 1 });
        await discord.requestHeartbeat();
      }
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
const findCode = (text: string): string => /`((?:\w{4}-){3}\w{4})`/.exec(text)?.[1] ?? '';
const requestDays = (server: TestServer, code: string, state: '0' | '1' | '2' = '0', tz?: string) =>
  server.call(getstatusesdiscord, { code, state, ...(tz === undefined ? {} : { tz }) });

test('a user who asks the bot for a code sees their days, in the requested view and zone', async () => {
  await using discord = await startDiscord();
  await using site = await startWithBot(discord);
  const { server, advanceHours } = site;
  discord.setStatus(ANN, 'online', { desktop: 'idle', mobile: 'online' });
  const { content } = await discord.sendCommand(ANN, 'start');
  expect(content).toContain('Enter it at /sleepstatus on this server');
  const code = findCode(content);
  await advanceHours(1);
  discord.setStatus(ANN, 'offline');
  await discord.sendCommand(ANN, 'start'); // serialized after it
  await advanceHours(8);
  discord.setStatus(ANN, 'dnd');
  await discord.sendCommand(ANN, 'start');
  await advanceHours(1);

  const [friday, saturday] = [
    toSeconds(Temporal.Instant.from('2026-11-20T00:00Z')),
    toSeconds(Temporal.Instant.from('2026-11-21T00:00Z')),
  ];
  const [left, back] = [toSeconds(start) + 3600, toSeconds(start) + 9 * 3600];
  expect(await requestDays(server, code)).toEqual({
    statuses: {
      [friday]: {
        date: '2026-11-20',
        endtime: saturday,
        statuses: [
          { time: friday, status: 'unknown' },
          { time: toSeconds(start), status: 'online' },
          { time: left, status: 'offline' },
        ],
      },
      [saturday]: {
        date: '2026-11-21',
        endtime: toSeconds(start) + 10 * 3600,
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
    (await requestDays(server, code.toLowerCase(), state)).statuses[friday]?.statuses[1]?.status;
  expect([await statusAt('1'), await statusAt('2')]).toEqual(['idle', 'online']);
  const kolkata = await requestDays(server, code, '0', 'Asia/Kolkata');
  expect(Object.values(kolkata.statuses).map(({ date }) => date)).toEqual(['2026-11-21']);
  await expect(requestDays(server, code, '0', 'Mars/Olympus')).rejects.toThrow('There is no such time zone');
});

test('a new code ends the old one; after stop the days remain, after forget they are gone', async () => {
  await using discord = await startDiscord();
  await using site = await startWithBot(discord);
  const { server, advanceHours } = site;
  const old = findCode((await discord.sendCommand(ANN, 'start')).content);
  const code = findCode((await discord.sendCommand(ANN, 'code')).content);
  expect(code).not.toBe(old);
  await expect(requestDays(server, old)).rejects.toThrow(/^There is no such code/);
  await advanceHours(2);
  await discord.sendCommand(ANN, 'stop');
  await advanceHours(5);
  const { statuses } = await requestDays(server, code);
  expect(Object.values(statuses).map(({ endtime }) => endtime)).toEqual([toSeconds(start) + 2 * 3600]);
  await discord.sendCommand(ANN, 'forget');
  await expect(requestDays(server, code)).rejects.toThrow(/^There is no such code/);
});

test('an address has ten wrong codes a minute, then right ones are refused too for a while', async () => {
  await using discord = await startDiscord();
  await using site = await startWithBot(discord);
  const { server, advanceHours } = site;
  const code = findCode((await discord.sendCommand(BEN, 'start')).content);
  async function tryWrongCode(attempt: number): Promise<string> {
    try {
      await requestDays(server, `0000-0000-0000-${String(attempt).padStart(4, '0')}`);
      return 'ok';
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
  let attempts = 0;
  while ((await tryWrongCode(attempts)).startsWith('There is no such code')) attempts += 1;
  // Counts in windows of half a minute.
  expect(attempts).toBeGreaterThanOrEqual(5);
  expect(attempts).toBeLessThanOrEqual(10);
  await expect(requestDays(server, code)).rejects.toThrow('Too many wrong codes. Try again in a minute');
  await advanceHours(0.5);
  await expect(requestDays(server, code)).resolves.toMatchObject({ colours: {} });
});

test('an empty code is refused with a hint, and an unknown state does not match the schema', async () => {
  await using server = await startServer();
  await expect(requestDays(server, ' ')).rejects.toThrow('Enter code');
  expect((await server.call(chatstate, {})).platforms).toEqual([]);
  const response = await fetch(`${server.origin}/api/getstatusesdiscord?code=x&state=3`);
  expect(response.status).toBe(400);
});

/**
 * Returns what a server wrote while its bot handed out a code and was then locked out, and the secrets that must not be
 * in it.
 */
async function collectTraces(discord: TestDiscord, dataDir: string) {
  // The test reads SQLite's files.
  await using site = await startWithBot(discord, { logLevel: 'debug', dataDir, databaseUrl: undefined });
  const { server } = site;
  const code = findCode((await discord.sendCommand(ANN, 'start')).content);
  await requestDays(server, code);
  discord.close(4004);
  await expect
    .poll(async () => (await server.call(chatstate, {})).platforms[0]?.state)
    .toMatch(/^Discord refused the bot token/);
  return { log: server.log, secrets: [DISCORD_TOKEN, 'hunter2', code, code.replaceAll('-', '')] };
}

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
async function isReadyIn(runsBackgroundWork: boolean): Promise<boolean | undefined> {
  const platform = createFakeChatPlatform();
  await using server = await startServer({ tools: [createChatStatusTool(() => [platform])], runsBackgroundWork });
  await expect(requestDays(server, '0000-0000-0000-0000')).rejects.toThrow(/^There is no such code/); // all earlier work is done
  return (await server.call(chatstate, {})).platforms[0]?.isReady;
}

test('an admin command, which creates its own server, starts no bot', async () => {
  expect([await isReadyIn(true), await isReadyIn(false)]).toEqual([true, false]);
});
