import { OFFLINE, type Presence } from '#tools/chatstatus/domain/status.ts';
import type { ChatListener, ChatPlatform, BotCommand, PlatformState } from '#tools/chatstatus/server/chatPlatform.ts';

/** A chat platform without a network, controlled by the test. */
export interface FakeChatPlatform extends ChatPlatform {
  /** Sends a heartbeat, if connected. */
  readonly sendHeartbeat: () => void;
  readonly setPresence: (person: string, presence: Presence) => void;
  readonly sendCommand: (person: string, command: BotCommand) => Promise<string>;
  /** Breaks and restores the connection. */
  readonly disconnect: () => void;
  readonly reconnect: () => void;
}

const READY: PlatformState = { isReady: true, sentence: 'Recording' };
const LOST: PlatformState = { isReady: false, sentence: 'The line is down' };

/** Creates a platform that is connected once started, unless `isDown`. */
export function createFakeChatPlatform({ isDown = false }: { readonly isDown?: boolean } = {}): FakeChatPlatform {
  const people = new Map<string, Presence>();
  let listener: ChatListener | undefined;
  let state = LOST;
  function sendHeartbeat(): void {
    if (state.isReady) listener?.onHeartbeat();
  }
  function reconnect(): void {
    state = READY;
    listener?.onReady();
  }
  return {
    name: 'Fake',
    start: (to) => {
      listener = to;
      if (!isDown) reconnect();
    },
    stop: async () => {
      state = LOST;
      listener = undefined;
    },
    state: () => state,
    findPresence: (person) => (state.isReady ? (people.get(person) ?? OFFLINE) : undefined),
    sendHeartbeat: sendHeartbeat,
    setPresence: (person, presence) => {
      people.set(person, presence);
      sendHeartbeat();
      if (state.isReady) listener?.onPresence(person);
    },
    sendCommand: async (person, command) => {
      if (!listener) throw new Error('the platform is not started');
      sendHeartbeat();
      return listener.onCommand(person, command);
    },
    disconnect: () => {
      state = LOST;
      listener?.onLost();
    },
    reconnect: reconnect,
  };
}
