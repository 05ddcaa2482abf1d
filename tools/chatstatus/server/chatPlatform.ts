import type { Presence } from '../domain/status.ts';

/** What people ask of the bot. */
export type Order = 'start' | 'code' | 'stop' | 'forget';

/** How the server stands with a platform. */
export interface PlatformState {
  readonly isReady: boolean;
  /** A sentence for the page. */
  readonly sentence: string;
}

/** Who is told what happens on a platform. */
export interface ChatListener {
  /** From now on everybody's presence is known; said again when much of it may have changed. */
  readonly onReady: () => void;
  /** From now on it is not. */
  readonly onLost: () => void;
  /** The line stands at this moment: said before whatever comes over it is told, and at least once a minute. */
  readonly onPulse: () => void;
  /** Somebody's presence may be another one. */
  readonly onPresence: (person: string) => void;
  /** Gives what to answer, which nobody else sees. */
  readonly onOrder: (person: string, order: Order) => Promise<string>;
}

/** A chat platform, as far as presence goes. */
export interface ChatPlatform {
  readonly name: string;
  /** Connects, and connects again by itself whenever that is needed, until `stop`. What goes wrong stands in `state`. */
  readonly start: (listener: ChatListener) => void;
  readonly stop: () => Promise<void>;
  readonly state: () => PlatformState;
  /** Undefined where the platform does not say. */
  readonly presenceOf: (person: string) => Presence | undefined;
}
