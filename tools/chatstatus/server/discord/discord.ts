import type { ChatListener, ChatPlatform, PlatformState } from '../chatPlatform.ts';
import { connect, load, type Connection, type DiscordOptions } from './discordConnection.ts';
import { describeFailure, type FailedConnection } from './discordFailure.ts';

const CONNECTING: PlatformState = { isReady: false, sentence: 'Connecting to Discord' };
const MISSING: PlatformState = {
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
  let cancel: (() => void) | undefined;

  const openConnection = async (listener: ChatListener): Promise<void> => {
    const onFailed = (failed: FailedConnection): void => {
      connection = undefined;
      listener.onLost();
      const { sentence, retryMs } = describeFailure(failed);
      state = { isReady: false, sentence };
      log.warn({ closed: failed.closed, status: failed.status, sentence }, 'chatstatus.discord.disconnected');
      cancel = timers.schedule(retryMs, () => start(listener));
    };
    const library = await load();
    if (!isStopped) connection = connect(library, options, { listener, onFailed });
  };
  const start = (listener: ChatListener): void => {
    openConnection(listener).catch((error: unknown) => {
      log.error({ err: error }, 'chatstatus.discord.library_missing');
      state = MISSING;
    });
  };

  return {
    name: 'Discord',
    state: () => connection?.state() ?? state,
    presenceOf: (person) => connection?.presenceOf(person),
    start,
    stop: async () => {
      isStopped = true;
      cancel?.();
      const last = connection;
      connection = undefined;
      state = CONNECTING;
      await last?.end();
    },
  };
}
