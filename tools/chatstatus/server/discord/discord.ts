import type { ChatInputCommandInteraction, Client } from 'discord.js';
import type { FastifyBaseLogger } from 'fastify';
import type { Timers } from '#platform/server/realtime/timers.ts';
import type { ChatListener, ChatPlatform, Order, PlatformState } from '../platform.ts';
import { COMMAND, commands, isOrder } from './commands.ts';
import { troubleOf, type FailedConnection } from './failure.ts';
import { skipBroken, standingLines, type Watch } from './keepStanding.ts';
import { makePresences, type GatewayPresence } from './presences.ts';

interface DiscordOptions {
  readonly token: string;
  /** Instead of Discord's own. */
  readonly api: string | undefined;
  readonly timers: Timers;
  readonly log: FastifyBaseLogger;
}

const CONNECTING: PlatformState = { isReady: false, sentence: 'Connecting to Discord' };
const RECONNECTING: PlatformState = {
  isReady: false,
  sentence: 'The line to Discord is down; it is tried again by itself. Nothing is recorded meanwhile',
};
const READY: PlatformState = { isReady: true, sentence: 'Recording whoever asked the bot for it' };

const AGAIN_MS = 60_000;
/** The library tries by itself again, twice a second, for ever, and after some ends not at all: after this we begin anew, at our pace. */
export const RECONNECTING_MS = 60_000;
export const FAREWELL_MS = 2000;

const FAILED = 'Something went wrong here; try again in a moment.';

/** A guild, as far as we read what the gateway says of it. */
interface GatewayGuild {
  readonly id: string;
  readonly unavailable?: boolean;
  readonly presences?: readonly GatewayPresence[];
}

/** Heavy, and of no use to a server without a bot. */
const load = () => import('discord.js');
type Library = Awaited<ReturnType<typeof load>>;

/** Only ourselves are kept in memory; presence is kept beside (presences.ts). */
const makeClient = (library: Library, api: string | undefined, watch: Watch): Client => {
  const { Client, GatewayIntentBits, Options, SimpleShardingStrategy } = library;
  const onlyOurselves = {
    maxSize: 0,
    keepOverLimit: ({ id, client }: { readonly id: string; readonly client: Client<true> }) => id === client.user.id,
  };
  return new Client({
    intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildPresences],
    ws: { buildStrategy: standingLines(SimpleShardingStrategy, watch) },
    rest: { timeout: 5000, retries: 1, ...(api === undefined ? {} : { api: api.replace(/\/$/, '') }) },
    makeCache: Options.cacheWithLimits({
      ...Options.DefaultMakeCacheSettings,
      MessageManager: 0,
      PresenceManager: 0,
      GuildMemberManager: onlyOurselves,
      UserManager: onlyOurselves,
    }),
  });
};

const codeOf = (error: unknown): string | number | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined;

/** What kind of error it is: what it says may hold what Discord said. */
const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);

const failedBy = (error: unknown): FailedConnection => ({
  status: error instanceof Error && 'status' in error ? Number(error.status) : undefined,
  said: error instanceof Error ? error.message : String(error),
});

/** Discord, by a bot of the operator's. */
export const makeDiscord = ({ token, api, timers, log }: DiscordOptions): ChatPlatform => {
  const presences = makePresences();
  let state = CONNECTING;
  /** The one whose events count; undefined between two tries. */
  let current: Client | undefined;
  let isStopped = false;
  let callOff: (() => void) | undefined;
  let giveUp: (() => void) | undefined;

  const close = async (client: Client): Promise<void> => {
    try {
      // The other end may never say that it has understood.
      await Promise.race([client.destroy(), new Promise<void>((resolve) => timers.after(FAREWELL_MS, resolve))]);
    } catch (error) {
      log.warn({ code: codeOf(error) }, 'Discord not left in order');
    }
  };

  /** Gives this connection up, says why, and tries again later. */
  const fail = (client: Client, failed: FailedConnection, listener: ChatListener): void => {
    if (current !== client) return;
    current = undefined;
    giveUp?.();
    listener.onLost();
    const { sentence, retryMs } = troubleOf(failed);
    state = { isReady: false, sentence };
    log.warn({ closed: failed.closed, status: failed.status, sentence }, 'Discord lost');
    void close(client);
    if (!isStopped) callOff = timers.after(retryMs, () => begin(listener));
  };

  /** Does it, and gives what to say of it. */
  const obey = async (person: string, order: Order, listener: ChatListener): Promise<string> => {
    try {
      return await listener.onOrder(person, order);
    } catch (error) {
      log.error({ err: error, order }, 'order of a chat not done');
      return FAILED;
    }
  };

  const answer = async (
    interaction: ChatInputCommandInteraction,
    { MessageFlags }: Library,
    listener: ChatListener,
  ): Promise<void> => {
    const name = interaction.options.getSubcommand(false) ?? '';
    if (interaction.commandName !== COMMAND || !isOrder(name)) return;
    const said = obey(interaction.user.id, name, listener);
    try {
      // Discord waits for three seconds, and the database may need longer.
      await interaction.deferReply({ flags: MessageFlags.Ephemeral });
      await interaction.editReply({ content: await said });
    } catch (error) {
      log.warn({ code: codeOf(error), order: name }, 'order of a chat not answered');
    }
  };

  /** What the gateway tells of guilds and presence, as it comes. */
  const listenTo = (client: Client, { GatewayDispatchEvents }: Library, listener: ChatListener): void => {
    const { ws } = client;
    const again = (): void => {
      if (state.isReady) listener.onReady();
    };
    ws.on(GatewayDispatchEvents.Ready, ({ guilds }: { readonly guilds: readonly GatewayGuild[] }) =>
      presences.begin(guilds.map(({ id }) => id)),
    );
    ws.on(GatewayDispatchEvents.GuildCreate, (guild: GatewayGuild) => {
      if (guild.unavailable === true) presences.guildGone(guild.id, true);
      else presences.guild(guild.id, guild.presences ?? []);
      again();
    });
    ws.on(GatewayDispatchEvents.GuildDelete, ({ id, unavailable = false }: GatewayGuild) => {
      presences.guildGone(id, unavailable);
      again();
    });
    ws.on(GatewayDispatchEvents.PresenceUpdate, (update: GatewayPresence & { readonly guild_id: string }) => {
      presences.update(update.guild_id, update);
      listener.onPresence(update.user.id);
    });
  };

  /** What becomes of the line. */
  const watch = (client: Client, { Events }: Library, listener: ChatListener): void => {
    const stands = (): void => {
      if (current !== client) return;
      giveUp?.();
      state = READY;
      listener.onReady();
    };
    client.on(Events.ShardReady, stands);
    client.on(Events.ShardResume, stands);
    client.on(Events.ShardReconnecting, () => {
      if (current !== client || state === RECONNECTING) return;
      state = RECONNECTING;
      giveUp = timers.after(RECONNECTING_MS, () => fail(client, { said: '' }, listener));
      listener.onLost();
    });
    client.on(Events.ShardDisconnect, ({ code }) => fail(client, { closed: code, said: '' }, listener));
    // Without a listener an error of the library would end the server.
    client.on(Events.Error, (error) => log.warn({ code: codeOf(error) }, 'library for Discord failed'));
    let told: unknown;
    client.on(Events.ShardError, (error) => {
      // The library tries twice a second: the same is said once.
      const code = codeOf(error);
      log[code === told ? 'debug' : 'warn']({ code }, 'line to Discord failed');
      told = code;
    });
  };

  const setCommands = (client: Client<true>): void => {
    client.application.commands.set(commands).catch((error: unknown) => {
      log.warn({ code: codeOf(error) }, 'commands of the Discord bot not set');
      callOff = timers.after(AGAIN_MS, () => {
        if (current === client) setCommands(client);
      });
    });
  };

  const connect = async (listener: ChatListener): Promise<void> => {
    const library = await load();
    if (isStopped) return;
    const client: Client = makeClient(library, api, {
      heard: () => {
        if (current === client && state.isReady) listener.onPulse();
      },
      failed: (error) => {
        log.warn({ code: codeOf(error), kind: nameOf(error) }, 'line to Discord broke off');
        fail(client, failedBy(error), listener);
      },
      isOver: () => current !== client,
    });
    current = client;
    skipBroken(client, (error) => log.warn({ code: codeOf(error), kind: nameOf(error) }, 'word of Discord left out'));
    listenTo(client, library, listener);
    watch(client, library, listener);
    client.once(library.Events.ClientReady, (ready) => setCommands(ready));
    client.on(library.Events.InteractionCreate, (interaction) => {
      if (interaction.isChatInputCommand()) void answer(interaction, library, listener);
    });
    try {
      await client.login(token);
    } catch (error) {
      fail(client, failedBy(error), listener);
    }
  };

  const begin = (listener: ChatListener): void => {
    connect(listener).catch((error: unknown) => {
      log.error({ err: error }, 'library for Discord not loaded');
      state = { isReady: false, sentence: 'The part of this server that speaks to Discord is missing: run npm ci' };
    });
  };

  return {
    name: 'Discord',
    state: () => state,
    presenceOf: presences.of,
    start: begin,
    stop: async () => {
      isStopped = true;
      callOff?.();
      giveUp?.();
      const client = current;
      current = undefined;
      state = CONNECTING;
      if (client) await close(client);
    },
  };
};
