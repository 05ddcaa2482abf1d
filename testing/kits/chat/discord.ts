import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { WebSocketServer, type WebSocket } from 'ws';
import { DAY_MS } from '#platform/contract/duration.ts';

/** Status per device of a person. */
export interface DeviceStatuses {
  readonly desktop?: string;
  readonly web?: string;
  readonly mobile?: string;
}

/** The bot's answer to a command, immediate or deferred. */
export interface BotAnswer {
  readonly content: string;
  /** Only visible to the sender of the command. */
  readonly isEphemeral: boolean;
}

/** A small Discord over real HTTP and a real gateway: one guild, whose members the test controls. */
export interface TestDiscord extends AsyncDisposable {
  /** Environment of a server whose bot connects here. */
  readonly environment: Readonly<Record<'DISCORD_TOKEN' | 'DISCORD_API', string>>;
  /** Sets someone's status; without devices it is shown on a computer. */
  readonly setStatus: (person: string, status: string, on?: DeviceStatuses) => void;
  /** Sends the command `/schedule <name>` as someone. */
  readonly sendCommand: (person: string, name: string) => Promise<BotAnswer>;
  /** Resolves when the bot has deferred its answer, which Discord requires within three seconds. */
  readonly waitForDeferral: () => Promise<void>;
  /** Resolves with the commands that the bot registered. */
  readonly waitForCommands: () => Promise<readonly { readonly name: string }[]>;
  /** Resolves with the next session, new or resumed. */
  readonly waitForSession: () => Promise<'new' | 'resumed'>;
  /** Closes the connection with a code: 4000 lets the bot resume. */
  readonly close: (code: number) => void;
  /**
   * Makes new connections wait.
   * `connected` resolves with the first; `refuse` ends waiting ones with 503, and accepts new ones.
   */
  readonly holdConnections: () => { readonly connected: Promise<void>; readonly refuse: () => void };
  /** Requests a heartbeat, as the gateway may at any time; resolves when it arrives. */
  readonly requestHeartbeat: () => Promise<void>;
  /** Sends an event of the gateway. */
  readonly sendEvent: (what: string, of: unknown) => void;
  /** Ignores the current connection from now on, in both directions. */
  readonly stall: () => void;
  /** Refuses every bot with this close code from now on; undefined accepts bots again. */
  readonly refuse: (code: number | undefined) => void;
  /** Answers API requests, or only those for commands, with this HTTP status; undefined answers normally. */
  readonly failRequests: (status: number | undefined, only?: 'commands') => void;
  /** Number of commands that the bot failed to register. */
  readonly getRefusedCommandCount: () => number;
  /** Makes the guild unavailable, or available again. */
  readonly setOutage: (isOut: boolean) => void;
  /** Intents that bots requested. */
  readonly listIntents: () => readonly number[];
}

export const DISCORD_TOKEN = 'MTAwMDAwMDAwMDAwMDAwMDAx.GhUnTr.hunter2-hunter2-hunter2-hunter2';
const BOT = '1000000000000000001';
const GUILD = '2000000000000000001';
const APPLICATION = '3000000000000000001';
const CHANNEL = '4000000000000000001';
const COMMANDS_PATH = `/applications/${APPLICATION}/commands`;
const EPHEMERAL = 64;
/** Callback types of a bot's answer to a command. */
const ANSWER = 4;
const DEFERRED_ANSWER = 5;
const UNKNOWN_WEBHOOK = 10_015;
const HEARTBEAT_MS = 41_250;

/** Fields of the wire format that no test reads. */
const GUILD_BASICS = {
  emojis: [],
  features: [],
  guild_scheduled_events: [],
  joined_at: '2026-01-01T00:00:00.000Z',
  large: false,
  nsfw_level: 0,
  preferred_locale: 'en-US',
  premium_tier: 0,
  soundboard_sounds: [],
  stage_instances: [],
  stickers: [],
  system_channel_flags: 0,
  threads: [],
  voice_states: [],
};
const COMMAND_BASICS = { application_id: APPLICATION, default_member_permissions: null, type: 1, version: '1' };
const INTERACTION_BASICS = {
  app_permissions: '0',
  application_id: APPLICATION,
  attachment_size_limit: 0,
  authorizing_integration_owners: {},
  channel_id: CHANNEL,
  entitlements: [],
  guild_id: GUILD,
  guild_locale: 'en-US',
  locale: 'en-US',
  type: 2,
  version: 1,
};

const MESSAGE_BASICS = {
  attachments: [],
  components: [],
  edited_timestamp: null,
  embeds: [],
  flags: EPHEMERAL,
  mention_everyone: false,
  mention_roles: [],
  mentions: [],
  pinned: false,
  timestamp: '2026-01-01T00:00:00.000Z',
  tts: false,
};
/** Addresses to which a bot sends immediate and deferred answers. */
const ANSWERS = new RegExp(
  `^/interactions/\\d+/([^/]+)/callback|^/webhooks/${APPLICATION}/([^/]+)/messages/(?:@|%40)original`,
);

const createUser = (id: string, bot = false) => ({
  id,
  username: `user${id.slice(-4)}`,
  discriminator: '0',
  global_name: null,
  avatar: null,
  bot,
});
const createMember = (id: string, bot = false) => ({
  user: createUser(id, bot),
  roles: [],
  joined_at: '2026-01-01T00:00:00.000Z',
  deaf: false,
  mute: false,
  flags: 0,
  permissions: '0',
});

/** The bot's callback for a command. */
interface Callback {
  readonly type: number;
  readonly data: { readonly content?: string; readonly flags?: number };
}

/** A command without an answer. */
interface PendingInteraction {
  readonly onAnswer: (answer: BotAnswer) => void;
  /** Set by the deferral, which says who can see the answer. */
  isEphemeral?: boolean;
}

const isEphemeral = ({ data: { flags = 0 } }: Callback): boolean => (flags & EPHEMERAL) !== 0;

interface ApiAnswer {
  readonly status: number;
  readonly body?: unknown;
}

/** Starts it on a free port. Ids of people have at least 17 digits. */
export async function startDiscord(): Promise<TestDiscord> {
  const people = new Map<string, object>();
  const waitingCommands = new Map<string, PendingInteraction>();
  const deferralWaiters: (() => void)[] = [];
  const sessionWaiters: ((kind: 'new' | 'resumed') => void)[] = [];
  const heartbeatWaiters: (() => void)[] = [];
  const intents: number[] = [];
  const commandsSet = Promise.withResolvers<readonly { readonly name: string }[]>();
  let closeCode: number | undefined;
  let failureStatus: number | undefined;
  let failsOnlyCommands = false;
  let refusedCommandCount = 0;
  let isOut = false;
  let holding: { readonly wait: (refuse: () => void) => void } | undefined;
  let sequence = 0;
  let commandCount = 0;
  let botSocket: WebSocket | undefined;

  function send(op: number, d: unknown, t: string | null = null): void {
    if (t !== null) sequence += 1;
    botSocket?.send(JSON.stringify({ op, d, s: t === null ? null : sequence, t }));
  }
  const dispatch = (t: string, d: unknown): void => send(0, d, t);
  const createGuild = () => ({
    id: GUILD,
    name: 'Pegboarders',
    owner_id: BOT,
    roles: [
      { id: GUILD, name: '@everyone', color: 0, hoist: false, position: 0, permissions: '0', mentionable: false },
    ],
    channels: [{ id: CHANNEL, type: 0, name: 'general', position: 0, permission_overwrites: [] }],
    // Like Discord: offline members have no presence.
    members: [createMember(BOT, true), ...[...people.keys()].map((id) => createMember(id))],
    presences: [...people.values()],
    ...GUILD_BASICS,
    member_count: people.size + 1,
  });
  function resolveSession(kind: 'new' | 'resumed'): void {
    for (const then of sessionWaiters.splice(0)) then(kind);
  }
  const port = (): number => (http.address() as AddressInfo).port;

  function identify({ token, intents: requestedIntents }: { readonly token: string; readonly intents: number }): void {
    intents.push(requestedIntents);
    if (closeCode !== undefined || token !== DISCORD_TOKEN) {
      botSocket?.close(closeCode ?? 4004);
      return;
    }
    dispatch('READY', {
      v: 10,
      user: createUser(BOT, true),
      guilds: [{ id: GUILD, unavailable: true }],
      session_id: 'session',
      resume_gateway_url: `ws://127.0.0.1:${port()}`,
      application: { id: APPLICATION, flags: 0 },
    });
    if (!isOut) dispatch('GUILD_CREATE', createGuild());
    resolveSession('new');
  }

  function handle({ op, d }: { readonly op: number; readonly d: unknown }): void {
    if (op === 1) {
      send(11, null);
      for (const then of heartbeatWaiters.splice(0)) then();
    }
    if (op === 2) identify(d as Parameters<typeof identify>[0]);
    if (op !== 6) return;
    if (closeCode !== undefined) {
      botSocket?.close(closeCode);
      return;
    }
    dispatch('RESUMED', {});
    resolveSession('resumed');
  }

  /** Returns the API's refusal, if it refuses. */
  function getRefusal(path: string, authorization: string | undefined): ApiAnswer | undefined {
    const isCommands = path === COMMANDS_PATH;
    if (failureStatus !== undefined && (isCommands || !failsOnlyCommands)) {
      if (isCommands) refusedCommandCount += 1;
      return { status: failureStatus, body: { message: 'no', code: 0 } };
    }
    const isKnown = authorization === undefined || authorization === `Bot ${DISCORD_TOKEN}`;
    return isKnown ? undefined : { status: 401, body: { message: '401: Unauthorized', code: 0 } };
  }
  const gatewayInfo = () => ({
    url: `ws://127.0.0.1:${port()}`,
    shards: 1,
    session_start_limit: { total: 1000, remaining: 999, reset_after: DAY_MS, max_concurrency: 1 },
  });
  function setCommands(definitions: readonly { readonly name: string }[]) {
    const set = definitions.map((command, index) => ({
      ...COMMAND_BASICS,
      ...command,
      id: `${5_000_000_000_000_000_001n + BigInt(index)}`,
    }));
    commandsSet.resolve(set);
    return set;
  }
  function handleCallback(token: string, callback: Callback): ApiAnswer {
    const command = waitingCommands.get(token);
    if (callback.type === ANSWER) {
      command?.onAnswer({ content: callback.data.content ?? '', isEphemeral: isEphemeral(callback) });
      waitingCommands.delete(token);
    }
    if (callback.type === DEFERRED_ANSWER && command) {
      command.isEphemeral = isEphemeral(callback);
      for (const then of deferralWaiters.splice(0)) then();
    }
    return { status: 204 };
  }
  /** Only a deferred answer has a message that can be edited. */
  function handleDeferredAnswer(token: string, { content }: { readonly content: string }): ApiAnswer {
    const command = waitingCommands.get(token);
    if (command?.isEphemeral === undefined)
      return { status: 404, body: { message: 'Unknown Webhook', code: UNKNOWN_WEBHOOK } };
    command.onAnswer({ content, isEphemeral: command.isEphemeral });
    const message = {
      id: `${7_000_000_000_000_000_000n + BigInt(commandCount)}`,
      channel_id: CHANNEL,
      type: 20,
      content,
    };
    return { status: 200, body: { ...MESSAGE_BASICS, ...message } };
  }
  async function getAnswer(request: IncomingMessage): Promise<ApiAnswer> {
    const path = (request.url ?? '').replace('/api/v10', '');
    const refusal = getRefusal(path, request.headers.authorization);
    if (refusal) return refusal;
    if (path === '/gateway/bot') return { status: 200, body: gatewayInfo() };
    const body: unknown = await json(request);
    if (path === COMMANDS_PATH) return { status: 200, body: setCommands(body as Parameters<typeof setCommands>[0]) };
    const [, called, changed] = ANSWERS.exec(path) ?? [];
    if (called !== undefined) return handleCallback(called, body as Callback);
    if (changed !== undefined) return handleDeferredAnswer(changed, body as Parameters<typeof handleDeferredAnswer>[1]);
    return { status: 404, body: { message: '404: Not Found', code: 0 } };
  }
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, body } = await getAnswer(request);
    if (body === undefined) response.writeHead(status).end();
    else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  const http = createServer((request, response) => void respond(request, response));
  const gateway = new WebSocketServer({
    server: http,
    verifyClient: (_about, decide) => {
      if (holding) holding.wait(() => decide(false, 503));
      else decide(true);
    },
  });
  gateway.on('connection', (socket) => {
    botSocket = socket;
    socket.on('message', (data: Buffer) => handle(JSON.parse(String(data)) as Parameters<typeof handle>[0]));
    send(10, { heartbeat_interval: HEARTBEAT_MS });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));

  return {
    environment: { DISCORD_TOKEN, DISCORD_API: `http://127.0.0.1:${port()}/api` },
    setStatus: (person, status, on = status === 'offline' ? {} : { desktop: status }) => {
      const presence = { user: { id: person }, guild_id: GUILD, status, activities: [], client_status: on };
      if (status === 'offline') people.delete(person);
      else people.set(person, presence);
      dispatch('PRESENCE_UPDATE', presence);
    },
    sendCommand: (person, name) =>
      new Promise((resolve) => {
        commandCount += 1;
        const token = `interaction-${commandCount}`;
        waitingCommands.set(token, { onAnswer: resolve });
        const options = [{ type: 1, name, options: [] }];
        dispatch('INTERACTION_CREATE', {
          ...INTERACTION_BASICS,
          id: `${6_000_000_000_000_000_000n + BigInt(commandCount)}`,
          token,
          channel: { id: CHANNEL, type: 0 },
          data: { id: '5000000000000000001', name: 'schedule', type: 1, options },
          member: createMember(person),
        });
      }),
    waitForDeferral: () => new Promise((resolve) => deferralWaiters.push(resolve)),
    waitForCommands: () => commandsSet.promise,
    waitForSession: () => new Promise((resolve) => sessionWaiters.push(resolve)),
    close: (code) => botSocket?.close(code),
    holdConnections: () => {
      const connected = Promise.withResolvers<void>();
      const waitingConnections: (() => void)[] = [];
      holding = {
        wait: (refuse) => {
          waitingConnections.push(refuse);
          connected.resolve();
        },
      };
      return {
        connected: connected.promise,
        refuse: () => {
          holding = undefined;
          for (const refuse of waitingConnections) refuse();
        },
      };
    },
    requestHeartbeat: () =>
      new Promise((resolve) => {
        heartbeatWaiters.push(resolve);
        send(1, null);
      }),
    sendEvent: dispatch,
    stall: () => botSocket?.pause(),
    refuse: (code) => {
      closeCode = code;
    },
    failRequests: (status, only) => {
      failureStatus = status;
      failsOnlyCommands = only === 'commands';
    },
    getRefusedCommandCount: () => refusedCommandCount,
    setOutage: (out) => {
      isOut = out;
      if (out) dispatch('GUILD_DELETE', { id: GUILD, unavailable: true });
      else dispatch('GUILD_CREATE', createGuild());
    },
    listIntents: () => intents,
    [Symbol.asyncDispose]: async () => {
      for (const socket of gateway.clients) socket.terminate();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
