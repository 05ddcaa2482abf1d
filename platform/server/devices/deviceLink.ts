import type { Transaction } from 'kysely';
import type { Command, CommandAnswerOf, CommandInputOf } from '#platform/contract/command.ts';
import type { Abilities, DeviceState } from '#platform/contract/device.ts';
import type { EventInputOf, ServerEvent } from '#platform/contract/event.ts';

/** A paired computer, or a browser with the messages page. */
export interface Device {
  readonly id: number;
  readonly account: number;
  readonly kind: 'computer' | 'browser';
  readonly name: string;
  /** Operating system that the agent reported last: 'Debian 12, X11'. Empty before its first connection. */
  readonly system: string;
  readonly version: string;
  readonly abilities: Abilities;
  readonly created: Temporal.Instant;
  readonly lastSeen: Temporal.Instant | undefined;
}

/** Options of a command that may be answered late. */
export interface IdempotentCommand<Answer> {
  readonly id: string;
  /** Called with an answer that arrives within a minute after 'device did not answer'. */
  readonly onLateAnswer: (answer: Answer) => void;
}

/** Lists the users' devices, knows whether they are connected, and sends them commands. */
export interface DeviceLink {
  readonly list: (account: number) => Promise<readonly Device[]>;
  /** Returns the device with a target id. @throws Refusal 'no such device' for unknown and foreign ids alike. */
  readonly getOwned: (account: number, target: string) => Promise<Device>;
  /**
   * Returns the target, or else the only or most recently used connected computer.
   * @throws Refusal 'no device selected'.
   */
  readonly getSelected: (account: number, target: string | undefined) => Promise<Device>;
  readonly add: (
    tx: Transaction<unknown>,
    device: {
      readonly account: number;
      readonly kind: Device['kind'];
      readonly name: string;
      readonly system?: string;
      /** Id that a browser sends, by which it is found again. */
      readonly browserKey?: string;
    },
  ) => Promise<Device>;
  /**
   * Finds or adds the computer of this name that an import has created. Nothing connects as it: it only has the data of
   * a device of another server. Lock and limit are those of `add`.
   */
  readonly findOrAddImported: (tx: Transaction<unknown>, account: number, name: string) => Promise<Device>;
  readonly rename: (account: number, device: number, name: string) => Promise<void>;
  /** Ends the device's session and removes it. */
  readonly remove: (account: number, device: number) => Promise<void>;
  readonly getState: (device: number) => DeviceState;
  /**
   * Sends a command and returns the answer. A command with the same id runs once, however often it is sent.
   * @throws Refusal with the device's message, after 5 s without progress, if Disconnected, or for a browser.
   */
  readonly send: <C extends Command>(
    device: Device,
    command: C,
    data: CommandInputOf<C>,
    idOrOptions?: string | IdempotentCommand<CommandAnswerOf<C>>,
  ) => Promise<CommandAnswerOf<C>>;
  /** Sends an event without storing it. The newest wins. */
  readonly relay: <E extends ServerEvent>(device: number, event: E, data: EventInputOf<E>) => void;
  readonly onStateChange: (listener: (device: Device, state: DeviceState) => void) => void;
}
