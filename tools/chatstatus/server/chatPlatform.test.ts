import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { realTimers } from '#platform/server/schedule/timers.ts';
import { createFakeChatPlatform } from '#testing/kits/chat/chatPlatform.ts';
import { startDiscord } from '#testing/kits/chat/discord.ts';
import { createPresence, OFFLINE, type Presence } from '../domain/status.ts';
import type { ChatPlatform, Order } from './chatPlatform.ts';
import { createDiscord } from './discord/discord.ts';

/** A platform and the users behind it. */
interface PlatformKit extends AsyncDisposable {
  readonly platform: ChatPlatform;
  readonly show: (person: string, presence: Presence) => void;
  readonly order: (person: string, order: Order) => Promise<string>;
  /** Sends something over the connection that concerns no user. */
  readonly pulse: () => void;
  /** Breaks the connection, which returns automatically or by `regain`. */
  readonly lose: () => void;
  readonly regain: () => void;
}

const kits: Readonly<Record<string, () => Promise<PlatformKit>>> = {
  'the fake': async () => {
    const fake = createFakeChatPlatform();
    return {
      platform: fake,
      show: fake.setPresence,
      order: fake.sendCommand,
      pulse: fake.sendHeartbeat,
      lose: fake.disconnect,
      regain: fake.reconnect,
      [Symbol.asyncDispose]: async () => fake.stop(),
    };
  },
  Discord: async () => {
    const discord = await startDiscord();
    const { DISCORD_TOKEN: token, DISCORD_API: api } = discord.environment;
    const platform = createDiscord({ token, api, log: pino({ level: 'silent' }), timers: realTimers });
    return {
      platform,
      show: (person, { both, pc, mobile }) =>
        discord.setStatus(person, both, {
          ...(pc === 'offline' ? {} : { desktop: pc }),
          ...(mobile === 'offline' ? {} : { mobile }),
        }),
      order: async (person, order) => (await discord.sendCommand(person, order)).content,
      pulse: () => void discord.requestHeartbeat(),
      lose: () => discord.close(4000),
      regain: () => undefined,
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
const createEventRecorder = () => {
  const received: string[] = [];
  const waiting: { readonly what: string; readonly resolve: () => void }[] = [];
  const recordEvent = (what: string): void => {
    received.push(what);
    for (const [at, one] of waiting.entries()) if (one.what === what) waiting.splice(at, 1)[0]?.resolve();
  };
  return {
    heard: received,
    listener: {
      onReady: () => recordEvent('ready'),
      onLost: () => recordEvent('lost'),
      onPulse: () => recordEvent('pulse'),
      onPresence: (person: string) => recordEvent(person),
      onOrder: async (person: string, order: Order) => {
        if (order === 'forget') throw new Error('the database said no');
        return `${order} by ${person}`;
      },
    },
    /** Settles at the next event of this kind. */
    next: (what: string) => new Promise<void>((resolve) => waiting.push({ what, resolve })),
  };
};

describe.each(Object.entries(kits))('the contract of a platform, for %s', (_, begin) => {
  test('reports presence once it is ready, also of people who were there before, and passes commands on', async () => {
    await using stage = await begin();
    const { platform, show, order } = stage;
    const { listener, next } = createEventRecorder();
    const everybody: Presence = { both: 'online', pc: 'idle', mobile: 'online' };
    show(ANN, everybody);
    const ready = next('ready');
    platform.start(listener);
    await ready;
    expect(platform.state()).toMatchObject({ isReady: true });
    expect(platform.findPresence(ANN)).toEqual(everybody);
    expect(platform.findPresence(BEN)).toEqual(OFFLINE);

    const received = next(BEN);
    show(BEN, createPresence('dnd'));
    await received;
    expect(platform.findPresence(BEN)).toEqual(createPresence('dnd'));
    const gone = next(BEN);
    show(BEN, OFFLINE);
    await gone;
    expect(platform.findPresence(BEN)).toEqual(OFFLINE);

    expect(await order(ANN, 'start')).toBe(`start by ${ANN}`);
    expect(await order(BEN, 'code')).toBe(`code by ${BEN}`);
  });

  test('reports a heartbeat before each event of the connection', async () => {
    await using stage = await begin();
    const { platform, show, pulse } = stage;
    const { listener, next, heard } = createEventRecorder();
    const ready = next('ready');
    platform.start(listener);
    await ready;
    const heartbeat = next('pulse');
    pulse();
    await heartbeat;
    const before = heard.length;
    const received = next(ANN);
    show(ANN, createPresence('online'));
    await received;
    expect(heard.slice(before)).toContain('pulse');
  });

  test('reports when the connection breaks and returns, and nothing after it is stopped', async () => {
    await using stage = await begin();
    const { platform, show } = stage;
    const { listener, next, heard: received } = createEventRecorder();
    const ready = next('ready');
    platform.start(listener);
    await ready;
    const [lost, again] = [next('lost'), next('ready')];
    stage.lose();
    await lost;
    expect(platform.state().isReady).toBe(false);
    stage.regain();
    await again;
    expect(platform.state().isReady).toBe(true);
    const before = received.length;
    const stopped = platform.stop();
    // Sent while the connection is closing: after the close it has arrived.
    show(ANN, createPresence('online'));
    await stopped;
    expect(platform.state().isReady).toBe(false);
    expect(received.slice(before)).toEqual([]);
  });
});
