import type { Presence } from '../domain/status.ts';

/** Commands that people can send to the bot. */
export type BotCommand = 'start' | 'code' | 'stop' | 'forget';

/** State of the server's connection to a platform. */
export interface PlatformState {
  readonly isReady: boolean;
  /** A sentence for the page. */
  readonly sentence: string;
}

/** Listener for the events of a platform. */
export interface ChatListener {
  /** Called when everybody's presence is known, and again when much of it may have changed. */
  readonly onReady: () => void;
  /** Called when presence is no longer known. */
  readonly onLost: () => void;
  /** Called while the connection works: before any event that arrives over it, and at least once a minute. */
  readonly onHeartbeat: () => void;
  /** Called when the presence of a person may have changed. */
  readonly onPresence: (person: string) => void;
  /** Returns the reply, which only that user sees. */
  readonly onCommand: (person: string, command: BotCommand) => Promise<string>;
}

/** A chat platform as a source of presence. */
export interface ChatPlatform {
  readonly name: string;
  /** Connects, and reconnects automatically until `stop`. Failures appear in `state`. */
  readonly start: (listener: ChatListener) => void;
  readonly stop: () => Promise<void>;
  readonly state: () => PlatformState;
  /** Undefined if the platform does not report it. */
  readonly findPresence: (person: string) => Presence | undefined;
}
