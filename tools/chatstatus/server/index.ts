import * as z from 'zod';
import { DAY_SECONDS } from '#platform/contract/duration.ts';
import { createReplicatedMap } from '#platform/server/cluster/replicatedMap.ts';
import type { Database } from '#platform/server/database/database.ts';
import { realTimers, type Timers } from '#platform/server/schedule/timers.ts';
import type { ServerContext, ServerTool } from '#platform/server/tool.ts';
import { type Change, isSamePresence, UNKNOWN } from '../domain/status.ts';
import { statusPage } from '../page.ts';
import type { ChatPlatform, PlatformState } from './chatPlatform.ts';
import { createChatStatusHandlers, createWrongCodeLimiter } from './chatStatusHandlers.ts';
import { createDiscord } from './discord/discord.ts';
import { migrations } from './migrations.ts';
import { HEARTBEAT_INTERVAL_SECONDS, closeOpenIntervals, createRecorder } from './recorder.ts';
import { createStatusStore } from './statusStore.ts';

const RETENTION_SECONDS = 365 * DAY_SECONDS;

/** Returns the moment before which history is deleted, in seconds since the epoch. */
export function getRetentionStart(now: number): number {
  return now - RETENTION_SECONDS;
}

/** Returns a change at the start of the retention period that replaces all earlier ones, or undefined for none. */
export function findInitialPresence(last: Change | undefined, from: number): Change | undefined {
  return last === undefined || last.at > from ? undefined : { ...last, at: from };
}

/** Removes history older than a year, and members who have no history and are no longer recorded. */
export async function trimHistory({ transaction, db }: Database, now: number): Promise<void> {
  const from = getRetentionStart(now);
  for (const { id } of await createStatusStore(db).listAll())
    await transaction(async ({ tx }) => {
      const store = createStatusStore(tx);
      const initial = findInitialPresence(await store.findChangeAt(id, from), from);
      if (!initial) return;
      await store.removeUntil(id, from);
      if (!isSamePresence(initial.presence, UNKNOWN)) await store.saveChanges([{ ...initial, member: id }]);
      else await store.removeIfForgotten(id);
    });
}

const isHttpAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** Settings of the chat platforms whose bots this server runs. */
export const chatSettings = z.object({
  DISCORD_TOKEN: z
    .string()
    .refine((text) => /^[\u0021-\u007e]+$/.test(text), 'must be one word of plain characters')
    .optional()
    .meta({ isSecret: true })
    .describe('Token of the Discord bot that records presence for `/sleepstatus` (docs/chatstatus.md).'),
  DISCORD_API: z
    .string()
    .refine(isHttpAddress, 'must be an address such as https://discord.com/api')
    .optional()
    .describe("Address of Discord's API if it is not Discord itself, for a proxy or a test."),
});

type PlatformFactory = (context: Pick<ServerContext, 'environment' | 'log'>) => readonly ChatPlatform[];

/** Creates the platforms that the operator has set up. */
const createConfiguredPlatforms: PlatformFactory = ({ environment, log }) => {
  const { DISCORD_TOKEN, DISCORD_API } = chatSettings.parse(environment);
  return DISCORD_TOKEN === undefined
    ? []
    : [createDiscord({ token: DISCORD_TOKEN, api: DISCORD_API, log, timers: realTimers })];
};

/**
 * Creates the server half of the tool. History belongs to a person of a chat platform, not to an account, so exports
 * and deletions of accounts ignore it.
 */
export function createChatStatusTool(createPlatforms: PlatformFactory, timers: Timers = realTimers): ServerTool {
  return {
    name: 'chatstatus',
    services: ['database', 'cluster', 'rateLimiter'],
    settings: chatSettings,
    migrations,
    start: (context, site) => {
      const { database, cluster, log, now } = context;
      const [origin] = site.getState().publicOrigins;
      const pageAddress = origin === undefined ? undefined : origin + site.basePath + statusPage.path;
      const platforms = createPlatforms(context);
      const recorders = platforms.map((platform) =>
        createRecorder({ database, log, timers, now, pageAddress }, platform),
      );
      const wrongCodeLimiter = createWrongCodeLimiter(context);
      const closeIntervals = (): Promise<void> =>
        closeOpenIntervals(context).catch((error: unknown) =>
          log.error({ err: error }, 'chatstatus.status.cleanup_failed'),
        );
      // With other instances, an interval may be open because the leader is recording.
      const ready = cluster.isShared ? Promise.resolve() : closeIntervals();
      /** States of the platforms as the leader sees them. */
      const leaderStates = createReplicatedMap<PlatformState>(cluster, 'chat platforms');
      const publishState = (): void =>
        platforms.forEach((platform, index) => leaderStates.set(index, platform.state()));
      let isLeading = false;
      const getState = (platform: ChatPlatform): PlatformState =>
        (isLeading ? undefined : leaderStates.get(platforms.indexOf(platform))) ?? platform.state();
      const stopRecorders = async (): Promise<void> => void (await Promise.all(recorders.map(({ stop }) => stop())));
      return {
        calls: createChatStatusHandlers({ database, now, platforms, getState, wrongCodeLimiter, ready }),
        lead: {
          start: async () => {
            await (cluster.isShared ? closeIntervals() : ready);
            isLeading = true;
            recorders.forEach(({ start }) => start());
          },
          stop: async () => {
            isLeading = false;
            await stopRecorders();
          },
        },
        tasks: recorders.map(({ platform, saveHeartbeat }) => ({
          name: `presence on ${platform.name}`,
          intervalSeconds: HEARTBEAT_INTERVAL_SECONDS,
          run: async () => {
            if (cluster.isShared) publishState();
            await saveHeartbeat();
          },
        })),
        nightly: async () => {
          wrongCodeLimiter.removeExpired();
          await trimHistory(database, Math.floor(now().epochMilliseconds / 1000));
        },
        stop: async () => {
          await ready;
          await stopRecorders();
        },
      };
    },
  };
}

export const chatStatus: ServerTool = createChatStatusTool(createConfiguredPlatforms);
