import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { realTimers } from '#platform/server/schedule/timers.ts';
import { createFakeChatPlatform } from '#testing/kits/chat/chatPlatform.ts';
import { startDiscord } from '#testing/kits/chat/discord.ts';
import { createPresence, OFFLINE, type Presence } from '../domain/status.ts';
import type { ChatPlatform, BotCommand } from './chatPlatform.ts';
import { createDiscord } from './discord/discord.ts';

/** A platform and the users behind it. */
interface PlatformKit extends AsyncDisposable {
  readonly platform: ChatPlatform;
  readonly setPresence: (person: string, presence: Presence) => void;
  readonly sendCommand: (person: string, command: BotCommand) => Promise<string>;
  /** Sends something over the connection that concerns no user. */
  readonly sendHeartbeat: () => void;
  /** Breaks the connection, which returns automatically or by `reconnect`. */
  readonly disconnect: () => void;
  readonly reconnect: () => void;
}

const kits: Readonly<Record<string, () => Promise<PlatformKit>>> = {
  'the fake': async () => {
    const fake = createFakeChatPlatform();
    return {
      platform: fake,
      setPresence: fake.setPresence,
      sendCommand: fake.sendCommand,
      sendHeartbeat: fake.sendHeartbeat,
      disconnect: fake.disconnect,
      reconnect: fake.reconnect,
      [Symbol.asyncDispose]: async () => fake.stop(),
    };
  },
  Discord: async () => {
    const discord = await startDiscord();
    const { DISCORD_TOKEN: token, DISCORD_API: api } = discord.environment;
    const platform = createDiscord({ token, api, log: pino({ level: 'silent' }), timers: realTimers });
    return {
      platform,
      setPresence: (person, { both, pc, mobile }) =>
        discord.setStatus(person, both, {
          ...(pc === 'offline' ? {} : { desktop: pc }),
          ...(mobile === 'offline' ? {} : { mobile }),
        }),
      sendCommand: async (person, command) => (await discord.sendCommand(person, command)).content,
      sendHeartbeat: () => void discord.requestHeartbeat(),
      disconnect: () => discord.close(4000),
      reconnect: () => undefined,
      [Symbol.asyncDispose]: async () => {
        await platform.stop();
        await discord[Symbol.asyncDispose]();
      },
    };
  },
};

const ANN = '100000000000000001';
const BEN = '100000000000000002';

/** Records the events of a listener in order, and waits for them. */
function createRecordingListener() {
  const received: string[] = [];
  const waiting: { readonly what: string; readonly resolve: () => void }[] = [];
  function recordEvent(what: string): void {
    received.push(what);
    for (const [at, one] of waiting.entries()) if (one.what === what) waiting.splice(at, 1)[0]?.resolve();
  }
  return {
    received,
    listener: {
      onReady: () => recordEvent('ready'),
      onLost: () => recordEvent('lost'),
      onHeartbeat: () => recordEvent('pulse'),
      onPresence: (person: string) => recordEvent(person),
      onCommand: async (person: string, command: BotCommand) => {
        if (command === 'forget') throw new Error('the database said no');
        return `${command} by ${person}`;
      },
    },
    /** Settles at the next event of this kind. */
    waitForEvent: (what: string) => new Promise<void>((resolve) => waiting.push({ what, resolve })),
  };
}

describe.each(Object.entries(kits))('the contract of a platform, for %s', (_, startKit) => {
  test('reports presence once it is ready, also of people who were there before, and passes commands on', async () => {
    await using stage = await startKit();
    const { platform, setPresence, sendCommand } = stage;
    const { listener, waitForEvent } = createRecordingListener();
    const everybody: Presence = { both: 'online', pc: 'idle', mobile: 'online' };
    setPresence(ANN, everybody);
    const ready = waitForEvent('ready');
    platform.start(listener);
    await ready;
    expect(platform.state()).toMatchObject({ isReady: true });
    expect(platform.findPresence(ANN)).toEqual(everybody);
    expect(platform.findPresence(BEN)).toEqual(OFFLINE);

    const appeared = waitForEvent(BEN);
    setPresence(BEN, createPresence('dnd'));
    await appeared;
    expect(platform.findPresence(BEN)).toEqual(createPresence('dnd'));
    const gone = waitForEvent(BEN);
    setPresence(BEN, OFFLINE);
    await gone;
    expect(platform.findPresence(BEN)).toEqual(OFFLINE);

    expect(await sendCommand(ANN, 'start')).toBe(`start by ${ANN}`);
    expect(await sendCommand(BEN, 'code')).toBe(`code by ${BEN}`);
  });

  test('reports a heartbeat before each event of the connection', async () => {
    await using stage = await startKit();
    const { platform, setPresence, sendHeartbeat } = stage;
    const { listener, waitForEvent, received } = createRecordingListener();
    const ready = waitForEvent('ready');
    platform.start(listener);
    await ready;
    const heartbeat = waitForEvent('pulse');
    sendHeartbeat();
    await heartbeat;
    const before = received.length;
    const appeared = waitForEvent(ANN);
    setPresence(ANN, createPresence('online'));
    await appeared;
    expect(received.slice(before)).toContain('pulse');
  });

  test('reports when the connection breaks and returns, and nothing after it is stopped', async () => {
    await using stage = await startKit();
    const { platform, setPresence } = stage;
    const { listener, waitForEvent, received } = createRecordingListener();
    const ready = waitForEvent('ready');
    platform.start(listener);
    await ready;
    const [lost, again] = [waitForEvent('lost'), waitForEvent('ready')];
    stage.disconnect();
    await lost;
    expect(platform.state().isReady).toBe(false);
    stage.reconnect();
    await again;
    expect(platform.state().isReady).toBe(true);
    const before = received.length;
    const stopped = platform.stop();
    // Sent while the connection is closing: after the close it has arrived.
    setPresence(ANN, createPresence('online'));
    await stopped;
    expect(platform.state().isReady).toBe(false);
    expect(received.slice(before)).toEqual([]);
  });
});
