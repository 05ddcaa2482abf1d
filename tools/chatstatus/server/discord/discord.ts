import type { ChatInputCommandInteraction, Client } from 'discord.js';
import type { FastifyBaseLogger } from 'fastify';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import type { Timers } from '#platform/server/schedule/timers.ts';
import { type Presence, OFFLINE, STATUSES, type Status } from '../../domain/status.ts';
import type { ChatListener, ChatPlatform, PlatformState, BotCommand } from '../chatPlatform.ts';
import {
  describeFailure,
  type FailedConnection,
  skipInvalidMessages,
  createShardingStrategy,
  type ShardWatcher,
} from './discordFailure.ts';

const SUBCOMMAND = 1;

const DESCRIPTIONS: Readonly<Record<BotCommand, string>> = {
  start: 'Start recording your status and get a code to see your days',
  code: 'Get a new code. The old one stops working',
  stop: 'Stop recording. Your recorded days are not deleted',
  forget: 'Delete all your recorded days',
};

function isBotCommand(name: string): name is BotCommand {
  return Object.hasOwn(DESCRIPTIONS, name);
}

const COMMAND_NAME = 'schedule';

/** Commands of the bot, in the format of Discord's API. */
const commands = [
  {
    name: COMMAND_NAME,
    description: 'Record when you are online, idle or offline',
    options: Object.entries(DESCRIPTIONS).map(([name, description]) => ({ type: SUBCOMMAND, name, description })),
  },
];

/** A presence of the gateway, reduced to the fields that are read. */
export interface GatewayPresence {
  readonly user: { readonly id: string };
  readonly status?: string | undefined;
  readonly client_status?:
    | {
        readonly desktop?: string | undefined;
        readonly web?: string | undefined;
        readonly mobile?: string | undefined;
      }
    | undefined;
}

const toStatus = (text: string | undefined): Status => STATUSES.find((status) => status === text) ?? 'offline';

const toPresence = ({ status, client_status: clientStatus = {} }: GatewayPresence): Presence => ({
  both: toStatus(status),
  pc: toStatus(clientStatus.desktop ?? clientStatus.web),
  mobile: toStatus(clientStatus.mobile),
});

/**
 * Stores presence by guild, as the gateway reports it. The library's own cache drops people that it has not seen since
 * its start, which is everybody who was offline then.
 */
export function createPresenceCache() {
  /** Undefined for a guild that is not reported yet or is unavailable. */
  const guilds = new Map<string, Map<string, Presence> | undefined>();
  return {
    /** Starts a new session, whose guilds are reported one by one. */
    startSession: (ids: readonly string[]): void => {
      guilds.clear();
      for (const id of ids) guilds.set(id, undefined);
    },
    /** Members that are missing here are offline. */
    setGuild: (id: string, presences: readonly GatewayPresence[]): void =>
      void guilds.set(id, new Map(presences.map((presence) => [presence.user.id, toPresence(presence)]))),
    /** Handles a guild that is unavailable or that the bot has left. */
    removeGuild: (id: string, isUnavailable: boolean): void => {
      if (isUnavailable) guilds.set(id, undefined);
      else guilds.delete(id);
    },
    update: (guild: string, presence: GatewayPresence): void => {
      const people = guilds.get(guild);
      if (presence.status === 'offline') people?.delete(presence.user.id);
      else people?.set(presence.user.id, toPresence(presence));
    },
    /** Returns undefined if a guild that may contain the person is not reported, or if there is no guild. */
    find: (person: string): Presence | undefined => {
      const all = [...guilds.values()];
      const presence = all.find((people) => people?.has(person))?.get(person);
      if (presence) return presence;
      return all.length === 0 || all.includes(undefined) ? undefined : OFFLINE;
    },
  };
}

interface DiscordOptions {
  readonly token: string;
  /** Replaces the address of Discord's API. */
  readonly api: string | undefined;
  readonly timers: Timers;
  readonly log: FastifyBaseLogger;
}

/** Loads the library on demand: it is large and useless without a bot. */
function loadLibrary() {
  return import('discord.js');
}
type Library = Awaited<ReturnType<typeof loadLibrary>>;

const RECONNECTING: PlatformState = {
  isReady: false,
  sentence: 'The connection to Discord was lost. The server is reconnecting, and nothing is recorded until then',
};
const READY: PlatformState = { isReady: true, sentence: 'Recording everyone who asked the bot for it' };

const RETRY_DELAY_MS = MINUTE_MS;
/** Time after which a new client replaces a lost one. The library retries forever, or never after some closes. */
export const RECONNECT_TIMEOUT_MS = MINUTE_MS;
export const CLOSE_TIMEOUT_MS = 2000;

const FAILED_MESSAGE = 'Something went wrong. Try again in a moment';

/** A guild of the gateway, reduced to the fields that are read. */
interface GatewayGuild {
  readonly id: string;
  readonly unavailable?: boolean;
  readonly presences?: readonly GatewayPresence[];
}

/** Creates a client that caches only the bot itself; `createPresenceCache` stores presence. */
function createClient(library: Library, api: string | undefined, watcher: ShardWatcher): Client {
  const { Client, GatewayIntentBits, Options, SimpleShardingStrategy } = library;
  const onlyBot = {
    maxSize: 0,
    keepOverLimit: ({ id, client }: { readonly id: string; readonly client: Client<true> }) => id === client.user.id,
  };
  return new Client({
    intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildPresences],
    ws: { buildStrategy: createShardingStrategy(SimpleShardingStrategy, watcher) },
    rest: { timeout: 5000, retries: 1, ...(api === undefined ? {} : { api: api.replace(/\/$/, '') }) },
    makeCache: Options.cacheWithLimits({
      ...Options.DefaultMakeCacheSettings,
      MessageManager: 0,
      PresenceManager: 0,
      GuildMemberManager: onlyBot,
      UserManager: onlyBot,
    }),
  });
}

const getErrorCode = (error: unknown): string | number | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined;

/** Returns the kind of an error. Its message may quote Discord and must not be logged. */
const getErrorKind = (error: unknown): string => (error instanceof Error ? error.name : typeof error);

const toFailedConnection = (error: unknown): FailedConnection => ({
  status: error instanceof Error && 'status' in error ? Number(error.status) : undefined,
  message: error instanceof Error ? error.message : String(error),
});

/** A connection of the bot, from its login on. It calls no listener after its end. */
interface Connection {
  /** Undefined until the connection first worked. */
  readonly state: () => PlatformState | undefined;
  readonly findPresence: (person: string) => Presence | undefined;
  readonly end: () => Promise<void>;
}

interface ConnectionListeners {
  readonly listener: ChatListener;
  /** Called when the connection ended without a request. */
  readonly onFailed: (failed: FailedConnection) => void;
}

/** Logs the bot in. */
function connect(
  library: Library,
  { token, api, timers, log }: DiscordOptions,
  { listener, onFailed }: ConnectionListeners,
): Connection {
  const { Events, GatewayDispatchEvents, MessageFlags } = library;
  const presences = createPresenceCache();
  let state: PlatformState | undefined;
  let isEnded = false;
  let cancelGivingUp: (() => void) | undefined;
  let cancelCommands: (() => void) | undefined;

  async function end(): Promise<void> {
    isEnded = true;
    cancelGivingUp?.();
    cancelCommands?.();
    try {
      // Discord may never acknowledge the close.
      await Promise.race([
        client.destroy(),
        new Promise<void>((resolve) => timers.schedule(CLOSE_TIMEOUT_MS, resolve)),
      ]);
    } catch (error) {
      log.warn({ code: getErrorCode(error) }, 'chatstatus.discord.logout_failed');
    }
  }
  function fail(failed: FailedConnection): void {
    if (isEnded) return;
    void end();
    onFailed(failed);
  }
  const unlessEnded =
    <T extends readonly unknown[]>(callback: (...args: T) => void) =>
    (...args: T): void => {
      if (!isEnded) callback(...args);
    };

  const client = createClient(library, api, {
    onReceived: () => {
      if (!isEnded && state?.isReady === true) listener.onHeartbeat();
    },
    onFailed: (error) => {
      log.warn({ code: getErrorCode(error), kind: getErrorKind(error) }, 'chatstatus.discord.connection_lost');
      fail(toFailedConnection(error));
    },
    isEnded: () => isEnded,
  });
  skipInvalidMessages(client, (error) =>
    log.warn({ code: getErrorCode(error), kind: getErrorKind(error) }, 'chatstatus.discord.event_ignored'),
  );

  function notifyReady(): void {
    if (state?.isReady === true) listener.onReady();
  }

  /** Listens to what the gateway reports about guilds and presence. */
  function listenToPresence(): void {
    const { ws } = client;
    ws.on(
      GatewayDispatchEvents.Ready,
      unlessEnded(({ guilds }: { readonly guilds: readonly GatewayGuild[] }) =>
        presences.startSession(guilds.map(({ id }) => id)),
      ),
    );
    ws.on(
      GatewayDispatchEvents.GuildCreate,
      unlessEnded((guild: GatewayGuild) => {
        if (guild.unavailable === true) presences.removeGuild(guild.id, true);
        else presences.setGuild(guild.id, guild.presences ?? []);
        notifyReady();
      }),
    );
    ws.on(
      GatewayDispatchEvents.GuildDelete,
      unlessEnded(({ id, unavailable = false }: GatewayGuild) => {
        presences.removeGuild(id, unavailable);
        notifyReady();
      }),
    );
    ws.on(
      GatewayDispatchEvents.PresenceUpdate,
      unlessEnded((update: GatewayPresence & { readonly guild_id: string }) => {
        presences.update(update.guild_id, update);
        listener.onPresence(update.user.id);
      }),
    );
  }

  /** Watches the state of the connection. */
  function watchConnection(): void {
    const handleConnected = unlessEnded((): void => {
      cancelGivingUp?.();
      state = READY;
      listener.onReady();
    });
    client.on(Events.ShardReady, handleConnected);
    client.on(Events.ShardResume, handleConnected);
    client.on(
      Events.ShardReconnecting,
      unlessEnded(() => {
        if (state === RECONNECTING) return;
        state = RECONNECTING;
        cancelGivingUp = timers.schedule(RECONNECT_TIMEOUT_MS, () => fail({ message: '' }));
        listener.onLost();
      }),
    );
    client.on(Events.ShardDisconnect, ({ code }) => fail({ closed: code, message: '' }));
    // An error event without a listener would crash the server.
    client.on(Events.Error, (error) => log.warn({ code: getErrorCode(error) }, 'chatstatus.discord.library_failed'));
    let lastCode: unknown;
    client.on(Events.ShardError, (error) => {
      // The library retries twice a second: repeated errors are logged at a lower level.
      const code = getErrorCode(error);
      log[code === lastCode ? 'debug' : 'warn']({ code }, 'chatstatus.discord.connection_failed');
      lastCode = code;
    });
  }

  function setCommands(ready: Client<true>): void {
    ready.application.commands.set(commands).catch((error: unknown) => {
      log.warn({ code: getErrorCode(error) }, 'chatstatus.discord.commands_not_set');
      if (!isEnded) cancelCommands = timers.schedule(RETRY_DELAY_MS, () => setCommands(ready));
    });
  }

  /** Runs a command and returns the reply. */
  async function runCommand(person: string, command: BotCommand): Promise<string> {
    try {
      return await listener.onCommand(person, command);
    } catch (error) {
      log.error({ err: error, order: command }, 'chatstatus.command.failed');
      return FAILED_MESSAGE;
    }
  }
  async function answerInteraction(interaction: ChatInputCommandInteraction): Promise<void> {
    const name = interaction.options.getSubcommand(false) ?? '';
    if (interaction.commandName !== COMMAND_NAME || !isBotCommand(name)) return;
    const reply = runCommand(interaction.user.id, name);
    try {
      // Discord waits three seconds for a reply, and the database may need longer.
      await interaction.deferReply({ flags: MessageFlags.Ephemeral });
      await interaction.editReply({ content: await reply });
    } catch (error) {
      log.warn({ code: getErrorCode(error), order: name }, 'chatstatus.command.reply_failed');
    }
  }

  listenToPresence();
  watchConnection();
  client.once(Events.ClientReady, unlessEnded(setCommands));
  client.on(
    Events.InteractionCreate,
    unlessEnded((interaction) => {
      if (interaction.isChatInputCommand()) void answerInteraction(interaction);
    }),
  );
  client.login(token).catch((error: unknown) => fail(toFailedConnection(error)));

  return { state: () => state, findPresence: presences.find, end };
}

const CONNECTING: PlatformState = { isReady: false, sentence: 'Connecting to Discord' };
const LIBRARY_MISSING: PlatformState = {
  isReady: false,
  sentence: 'The Discord library is missing on this server. The owner can install it with npm ci',
};

/** Creates the Discord platform. It uses the operator's bot and opens a new connection whenever one fails. */
export function createDiscord(options: DiscordOptions): ChatPlatform {
  const { timers, log } = options;
  let connection: Connection | undefined;
  /** State while there is no connection. */
  let state = CONNECTING;
  let isStopped = false;
  let cancelRetry: (() => void) | undefined;

  async function openConnection(listener: ChatListener): Promise<void> {
    function onFailed(failed: FailedConnection): void {
      connection = undefined;
      listener.onLost();
      const { sentence, retryMs } = describeFailure(failed);
      state = { isReady: false, sentence };
      log.warn({ closed: failed.closed, status: failed.status, sentence }, 'chatstatus.discord.disconnected');
      cancelRetry = timers.schedule(retryMs, () => start(listener));
    }
    const library = await loadLibrary();
    if (!isStopped) connection = connect(library, options, { listener, onFailed });
  }
  function start(listener: ChatListener): void {
    openConnection(listener).catch((error: unknown) => {
      log.error({ err: error }, 'chatstatus.discord.library_missing');
      state = LIBRARY_MISSING;
    });
  }

  return {
    name: 'Discord',
    state: () => connection?.state() ?? state,
    findPresence: (person) => connection?.findPresence(person),
    start: (listener) => {
      isStopped = false;
      start(listener);
    },
    stop: async () => {
      isStopped = true;
      cancelRetry?.();
      const last = connection;
      connection = undefined;
      state = CONNECTING;
      await last?.end();
    },
  };
}
