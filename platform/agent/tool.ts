import type { Client } from '#platform/contract/client.ts';
import type { Command, CommandResultOf, CommandRequestOf } from '#platform/contract/command.ts';
import type { AbilityName } from '#platform/contract/device.ts';
import type { ClientEvent, EventDataOf, EventAnswerOf, EventInputOf, ServerEvent } from '#platform/contract/event.ts';
import type { Drivers } from './drivers/drivers.ts';
import type { HotkeyShare } from './hotkeyShares.ts';
import type { AccountData } from './pairedAccount.ts';

/** What the computer's owner allows, by flags or the settings file; never set by the server. */
export type AllowedAbilities = Readonly<Record<AbilityName, boolean>>;

/** Services that the agent passes to each tool. */
export interface AgentContext {
  readonly drivers: Drivers;
  readonly allowed: AllowedAbilities;
  /** Whether to ask the person here: once for each content of a script, and each time for the clipboard's text. */
  readonly isConfirmationRequired: boolean;
  /** Calls the server with the token of this device. */
  readonly call: Client;
  /** Prints one line in the agent's terminal. Never pass typed text or a token. */
  readonly print: (line: string) => void;
  /** Folder for stored state, created with mode 0700. */
  readonly stateDir: string;
  /**
   * Sends an event to the server; it is not stored for later.
   * @throws Refusal with the server's sentence, or an error if the server does not answer within 5 s.
   */
  readonly report: <E extends ClientEvent>(event: E, data: EventInputOf<E>) => Promise<EventAnswerOf<E>>;
  /**
   * Returns the server's time in milliseconds since the epoch.
   * @throws if the server is unreachable.
   */
  readonly serverNow: () => Promise<number>;
  /** Whether the computer's owner has paused the agent. */
  readonly isPaused: () => boolean;
  /** Registers a listener for changed abilities: paused or resumed, display or sound appeared or disappeared. */
  readonly onChange: (listener: () => void) => void;
  /** Opens the hotkey share of one tool. */
  readonly openHotkeys: () => HotkeyShare;
  /** Registers a listener for new connections. The server then knows nothing of earlier reports. */
  readonly onConnect: (listener: () => void) => void;
  /** Registers a listener for the loss of the connection. */
  readonly onDisconnect: (listener: () => void) => void;
}

export interface CommandHandler {
  readonly command: Command;
  readonly run: (data: never, onProgress?: () => void) => Promise<Record<string, unknown> | void>;
}
/**
 * Binds a device command to its function. Throw `Refusal` for what this computer can't or may not do. A command that
 * takes longer than a few seconds calls `onProgress` after each step.
 */
export function handleCommand<C extends Command>(
  command: C,
  run: (data: CommandRequestOf<C>, onProgress?: () => void) => Promise<CommandResultOf<C>>,
): CommandHandler {
  return { command, run };
}

export interface EventHandler {
  readonly event: ServerEvent;
  readonly run: (data: never) => void;
}
export function handleEvent<E extends ServerEvent>(event: E, run: (data: EventDataOf<E>) => void): EventHandler {
  return { event, run };
}

/** A subcommand of the agent's command line that a tool implements. */
export interface SubcommandHandler {
  readonly name: string;
  /**
   * Returns lines for the terminal.
   * @throws Refusal if the arguments are wrong.
   */
  readonly run: (args: readonly string[]) => readonly string[] | Promise<readonly string[]>;
}

export interface StartedAgentTool {
  readonly commands?: readonly CommandHandler[];
  readonly events?: readonly EventHandler[];
  readonly subcommands?: readonly SubcommandHandler[];
  /** Returns lines for `agent status`. */
  readonly status?: () => readonly string[];
  readonly stop?: () => Promise<void>;
}

/** The agent half of a tool. */
export interface AgentTool {
  readonly name: string;
  readonly accountData?: AccountData;
  readonly start: (context: AgentContext) => StartedAgentTool;
}
