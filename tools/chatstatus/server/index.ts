import { realTimers, type Timers } from '#platform/server/schedule/timers.ts';
import type { ServerContext, ServerTool } from '#platform/server/tool.ts';
import { statusPage } from '../page.ts';
import type { ChatPlatform } from './chatPlatform.ts';
import { calls } from './chatStatusHandlers.ts';
import { createDiscord } from './discord/discord.ts';
import { migrations } from './migrations.ts';
import { BEAT_SECONDS, endLastRun, createRecorder } from './recorder.ts';
import { chatSettings } from './settings.ts';
import { createTries } from './tries.ts';
import { trimHistory } from './trim.ts';

type PlatformsOf = (ground: Pick<ServerContext, 'environment' | 'log'>) => readonly ChatPlatform[];

/** Those that the operator has set up. */
const platformsSetUp: PlatformsOf = ({ environment, log }) => {
  const { DISCORD_TOKEN, DISCORD_API } = chatSettings.parse(environment);
  return DISCORD_TOKEN === undefined
    ? []
    : [createDiscord({ token: DISCORD_TOKEN, api: DISCORD_API, log, timers: realTimers })];
};

/** A history belongs to a person of a chat platform, not to an account: an account's export holds none, and it stays when the account is deleted. Tests hand in platforms of their own. */
export const chatStatusWith = (platformsOf: PlatformsOf, timers: Timers = realTimers): ServerTool => ({
  name: 'chatstatus',
  settings: chatSettings,
  migrations,
  start: (ground, site) => {
    const { database, log, now } = ground;
    const [origin] = site.getState().publicOrigins;
    const page = origin === undefined ? undefined : origin + statusPage.path;
    const platforms = platformsOf(ground);
    const recorders = platforms.map((platform) => createRecorder({ database, log, timers, now, page }, platform));
    const tries = createTries(ground);
    const ready = endLastRun(ground).catch((error: unknown) =>
      log.error({ err: error }, 'chat status of the last run not ended'),
    );
    let begun: Promise<void> | undefined;
    return {
      calls: calls({ database, now, platforms, tries, ready }),
      begin: () => {
        begun = ready.then(() => recorders.forEach(({ start }) => start()));
      },
      jobs: recorders.map(({ platform, beat }) => ({
        name: `presence on ${platform.name}`,
        intervalSeconds: BEAT_SECONDS,
        run: beat,
      })),
      nightly: async () => {
        tries.tidy();
        await trimHistory(database, Math.floor(now().epochMilliseconds / 1000));
      },
      stop: async () => {
        await (begun ?? ready);
        await Promise.all(recorders.map(({ stop }) => stop()));
      },
    };
  },
});

export const chatStatus: ServerTool = chatStatusWith(platformsSetUp);
