import { createRequire } from 'node:module';
import { pino } from 'pino';
import { beforeAll, expect, test } from 'vitest';
import { DISCORD_TOKEN, startDiscord, type TestDiscord } from '#testing/kits/chat/discord.ts';
import { createManualTimers } from '#testing/kits/server/manualTimers.ts';
import { OFFLINE } from '../../domain/status.ts';
import { createDiscord, CLOSE_TIMEOUT_MS, RECONNECT_TIMEOUT_MS, createPresenceCache } from './discord.ts';
import { describeFailure, UNAWAITED_METHODS } from './discordFailure.ts';

const ANN = '100000000000000001';
const FIVE_MINUTES = 5 * 60_000;

// Loads the large library once, so that no test times out on a busy machine.
beforeAll(() => import('discord.js'));

/** Starts a bot on this Discord and records its log. */
function startBot(discord: TestDiscord, token = DISCORD_TOKEN) {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const timers = createManualTimers();
  let delay = Promise.resolve();
  const platform = createDiscord({ token, api: discord.environment.DISCORD_API, timers, log });
  platform.start({
    onReady: () => undefined,
    onLost: () => undefined,
    onHeartbeat: () => undefined,
    onPresence: () => undefined,
    onCommand: async (_, command) => {
      await delay;
      if (command === 'forget') throw new Error('the database said no');
      return `${command} is done`;
    },
  });
  return {
    platform,
    timers,
    lines,
    /** Delays all commands until this promise settles. */
    delayCommands: (promise: Promise<void>): void => {
      delay = promise;
    },
    /** Waits until the state of the platform matches. */
    waitForState: (pattern: RegExp) => expect.poll(() => platform.state().sentence).toMatch(pattern),
    [Symbol.asyncDispose]: platform.stop,
  };
}

test('the bot requests only guilds and presence, sets its commands, and replies privately', async () => {
  await using discord = await startDiscord();
  await using bot = startBot(discord);
  await bot.waitForState(/^Recording/);
  expect(discord.listIntents()).toEqual([257]);
  expect(await discord.waitForCommands()).toMatchObject([
    { name: 'schedule', options: [{ name: 'start' }, { name: 'code' }, { name: 'stop' }, { name: 'forget' }] },
  ]);
  expect(await discord.sendCommand(ANN, 'start')).toEqual({ content: 'start is done', isEphemeral: true });
  expect(await discord.sendCommand(ANN, 'forget')).toEqual({
    content: 'Something went wrong. Try again in a moment',
    isEphemeral: true,
  });
  expect(bot.lines.join('\n')).toContain('the database said no');
});

test('a slow command is acknowledged immediately, and its private reply follows', async () => {
  await using discord = await startDiscord();
  await using bot = startBot(discord);
  await bot.waitForState(/^Recording/);
  const { promise, resolve } = Promise.withResolvers<void>();
  bot.delayCommands(promise);
  const deferral = discord.waitForDeferral();
  const answer = discord.sendCommand(ANN, 'start');
  await deferral;
  resolve();
  expect(await answer).toEqual({ content: 'start is done', isEphemeral: true });
});

test('commands that could not be set are set later', async () => {
  await using discord = await startDiscord();
  discord.failRequests(403, 'commands');
  await using bot = startBot(discord);
  await bot.waitForState(/^Recording/);
  await expect.poll(() => bot.lines.join('\n')).toContain('chatstatus.discord.commands_not_set');
  expect(discord.getRefusedCommandCount()).toBe(1);
  discord.failRequests(undefined);
  bot.timers.advance(60_000);
  expect(await discord.waitForCommands()).toHaveLength(1);
});

test('the presence of a person who was offline when the bot started is recorded when they appear', async () => {
  await using discord = await startDiscord();
  await using bot = startBot(discord);
  await bot.waitForState(/^Recording/);
  expect(bot.platform.findPresence(ANN)).toEqual(OFFLINE);
  discord.setStatus(ANN, 'online', { mobile: 'online' });
  await expect.poll(() => bot.platform.findPresence(ANN)).toEqual({ both: 'online', pc: 'offline', mobile: 'online' });
});

test('while a guild is unavailable the presence of its members is unknown', async () => {
  await using discord = await startDiscord();
  await using bot = startBot(discord);
  discord.setStatus(ANN, 'online');
  await bot.waitForState(/^Recording/);
  discord.setOutage(true);
  await expect.poll(() => bot.platform.findPresence(ANN)).toBeUndefined();
  discord.setOutage(false);
  await expect.poll(() => bot.platform.findPresence(ANN)?.both).toBe('online');
});

test('an invalid token is explained, retried later, and not logged', async () => {
  await using discord = await startDiscord();
  discord.failRequests(401);
  await using bot = startBot(discord);
  await bot.waitForState(/^Discord refused the bot token, .* check DISCORD_TOKEN$/);
  discord.failRequests(undefined);
  discord.refuse(4004);
  bot.timers.advance(FIVE_MINUTES);
  await expect.poll(() => bot.lines.filter((line) => line.includes('chatstatus.discord.disconnected')).length).toBe(2);
  await bot.waitForState(/^Discord refused the bot token/);
  discord.refuse(undefined);
  bot.timers.advance(FIVE_MINUTES);
  await bot.waitForState(/^Recording/);
  expect(bot.lines.length).toBeGreaterThan(0);
  expect(bot.lines.filter((line) => line.includes('hunter2'))).toEqual([]);
});

test('a disabled presence intent is explained, at login and when it is disabled later', async () => {
  await using discord = await startDiscord();
  discord.refuse(4014);
  await using bot = startBot(discord);
  await bot.waitForState(/turn on Presence Intent in the developer portal/);
  discord.refuse(undefined);
  bot.timers.advance(FIVE_MINUTES);
  await bot.waitForState(/^Recording/);
  discord.close(4014);
  await bot.waitForState(/Presence Intent/);
  bot.timers.advance(FIVE_MINUTES);
  await bot.waitForState(/^Recording/);
});

test('without a connection the server keeps running, explains it, and the bot starts later', async () => {
  await using discord = await startDiscord();
  discord.failRequests(503);
  await using bot = startBot(discord);
  await bot.waitForState(/^Discord cannot be reached/);
  discord.failRequests(undefined);
  bot.timers.advance(FIVE_MINUTES);
  await bot.waitForState(/^Recording/);
  const session = discord.waitForSession();
  discord.close(4000);
  await bot.waitForState(/^The connection to Discord was lost/);
  expect(await session).toBe('resumed');
  await bot.waitForState(/^Recording/);
});

test('a connection that stays lost is replaced after a minute, and its failure crashes nothing', async () => {
  await using discord = await startDiscord();
  await using bot = startBot(discord);
  await bot.waitForState(/^Recording/);
  const { connected, refuse } = discord.holdConnections();
  discord.close(4000);
  await bot.waitForState(/^The connection to Discord was lost/);
  await connected;
  bot.timers.advance(RECONNECT_TIMEOUT_MS);
  await bot.waitForState(/^Discord cannot be reached/);
  refuse();
  bot.timers.advance(30_000);
  await bot.waitForState(/^Recording/);
});

test('messages that the library can’t read are skipped, and crash neither bot nor server', async () => {
  await using discord = await startDiscord();
  await using bot = startBot(discord);
  await bot.waitForState(/^Recording/);
  discord.sendEvent('INTERACTION_CREATE', { type: 2 });
  expect((await discord.sendCommand(ANN, 'start')).content).toBe('start is done');
  expect(bot.lines.join('\n')).toContain('chatstatus.discord.event_ignored');
  // An error in our own listener closes the connection, which is then opened again.
  discord.sendEvent('PRESENCE_UPDATE', {});
  await bot.waitForState(/^Discord cannot be reached/);
  bot.timers.advance(30_000);
  await bot.waitForState(/^Recording/);
});

test('the guarded methods are exactly those that the library does not await', () => {
  const library = createRequire(createRequire(import.meta.url).resolve('discord.js'));
  const { WebSocketShard } = library('@discordjs/ws') as { readonly WebSocketShard: new () => unknown };
  // An update that adds a call here would crash the server at its first error: add it to discordFailure.ts first.
  const unawaited = [...WebSocketShard.toString().matchAll(/void this\.(\w+)\(/g)].map(([, name]) => name);
  expect(new Set(unawaited)).toEqual(new Set([...UNAWAITED_METHODS, 'destroy']));
});

test('a stopping server does not wait for an unresponsive Discord', async () => {
  await using discord = await startDiscord();
  await using bot = startBot(discord);
  await bot.waitForState(/^Recording/);
  discord.stall();
  const stopped = bot.platform.stop();
  bot.timers.advance(CLOSE_TIMEOUT_MS);
  await stopped;
  expect(bot.platform.state().isReady).toBe(false);
});

test('a sentence never quotes Discord’s message', () => {
  expect(describeFailure({ message: 'connect ECONNREFUSED hunter2' }).sentence).not.toContain('hunter2');
  expect(describeFailure({ closed: 4014, message: '' }).sentence).toContain('Presence Intent');
});

test('a person in two guilds is found in either, and a guild that the bot left is ignored', () => {
  const presences = createPresenceCache();
  expect(presences.find(ANN)).toBeUndefined();
  presences.startSession(['1', '2']);
  presences.setGuild('1', []);
  expect(presences.find(ANN)).toBeUndefined();
  presences.setGuild('2', [{ user: { id: ANN }, status: 'online', client_status: { web: 'idle', mobile: 'online' } }]);
  expect(presences.find(ANN)).toEqual({ both: 'online', pc: 'idle', mobile: 'online' });
  presences.update('2', { user: { id: ANN }, status: 'offline' });
  expect(presences.find(ANN)).toEqual(OFFLINE);
  presences.update('1', { user: { id: ANN }, status: 'dnd', client_status: { desktop: 'dnd' } });
  presences.removeGuild('2', false);
  expect(presences.find(ANN)).toEqual({ both: 'dnd', pc: 'dnd', mobile: 'offline' });
});
