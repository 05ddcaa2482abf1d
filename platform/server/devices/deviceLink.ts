import type { Transaction } from 'kysely';
import type { Command, CommandAnswerOf, CommandInputOf } from '#platform/contract/command.ts';
import type { Abilities, DeviceState } from '#platform/contract/device.ts';
import type { EventInputOf, ServerEvent } from '#platform/contract/event.ts';

export interface Device {
  readonly id: number;
  readonly account: number;
  readonly kind: 'computer' | 'browser';
  readonly name: string;
  /** As the agent said last: 'Debian 12, X11'. Empty before its first connection. */
  readonly system: string;
  readonly version: string;
  readonly abilities: Abilities;
  readonly created: Temporal.Instant;
  readonly lastSeen: Temporal.Instant | undefined;
}

export interface IdempotentCommand<Answer> {
  readonly id: string;
  /** Runs with an answer that comes within a minute after 'device did not answer'. */
  readonly onLateAnswer: (answer: Answer) => void;
}

/** The link to the user's devices: who there is, whether it is connected, and asking it to do something. */
export interface DeviceLink {
  readonly list: (account: number) => Promise<readonly Device[]>;
  /** The device behind a target id of the wire. @throws Refusal 'no such device' for unknown and foreign ids alike. */
  readonly getOwned: (account: number, target: string) => Promise<Device>;
  /** The device that mouse and mixer act on: the target where one is named, else the only or most recently used connected computer. @throws Refusal 'no device selected'. */
  readonly getSelected: (account: number, target: string | undefined) => Promise<Device>;
  readonly add: (
    tx: Transaction<unknown>,
    device: {
      readonly account: number;
      readonly kind: Device['kind'];
      readonly name: string;
      readonly system?: string;
      /** What a browser calls itself, by which it is found again. */
      readonly browserKey?: string;
    },
  ) => Promise<Device>;
  readonly rename: (account: number, device: number, name: string) => Promise<void>;
  /** Ends the device's session and removes it. */
  readonly remove: (account: number, device: number) => Promise<void>;
  readonly getState: (device: number) => DeviceState;
  /**
   * Asks the device and gives its answer. `named` names the command: the same id is done once, however often it is sent.
   * @throws Refusal with the device's own sentence; 'device did not answer' after 5 s in which it reports no progress; '<name> is not connected' where it is Disconnected, and for a browser that it only takes messages. A Reconnecting device is waited for within the 5 s.
   */
  readonly send: <C extends Command>(
    device: Device,
    command: C,
    data: CommandInputOf<C>,
    named?: string | IdempotentCommand<CommandAnswerOf<C>>,
  ) => Promise<CommandAnswerOf<C>>;
  /** Hands on an event without storing; the newest wins. */
  readonly relay: <E extends ServerEvent>(device: number, event: E, data: EventInputOf<E>) => void;
  readonly onStateChange: (then: (device: Device, state: DeviceState) => void) => void;
}
