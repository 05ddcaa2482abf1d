import type { Client } from '#platform/contract/client.ts';
import type { Command, CommandAnswerOf, CommandRequestOf } from '#platform/contract/command.ts';
import type { AbilityName } from '#platform/contract/device.ts';
import type { ClientEvent, EventDataOf, EventAnswerOf, EventInputOf, ServerEvent } from '#platform/contract/event.ts';
import type { Drivers } from './drivers/drivers.ts';
import type { HotkeyShare } from './hotkeyShares.ts';
import type { AccountData } from './pairedAccount.ts';

/** What the computer's owner allows; from flags or the settings file, never from the server. */
export type AllowedAbilities = Readonly<Record<AbilityName, boolean>>;

/** What the agent's half of every tool stands on. */
export interface AgentContext {
  readonly drivers: Drivers;
  readonly allowed: AllowedAbilities;
  /** The person at this computer is asked first: once for every script's content, each time for the clipboard's text. */
  readonly isConfirmationRequired: boolean;
  /** Calls of the server with the device's own token. */
  readonly call: Client;
  /** One line for the person at the terminal. Never typed text or a token. */
  readonly print: (line: string) => void;
  /** Folder for what the agent keeps (state), made 0700. */
  readonly stateDir: string;
  /** Tells the server something. @throws Refusal with its sentence; an error where it is away or says nothing in 5 s. Nothing is kept for later. */
  readonly report: <E extends ClientEvent>(event: E, data: EventInputOf<E>) => Promise<EventAnswerOf<E>>;
  /** The server's clock, in milliseconds since the epoch. @throws where the server is away. */
  readonly serverNow: () => Promise<number>;
  /** Its owner has stopped everything for a while. */
  readonly isPaused: () => boolean;
  /** Runs when what the computer may or can do has changed: it was paused or goes on, its display or its sound came or went. */
  readonly onChange: (then: () => void) => void;
  /** This tool's share of the keys that the computer listens for. */
  readonly openHotkeys: () => HotkeyShare;
  /** Runs each time the server has taken this agent in on a new connection: it knows nothing of what was reported before. */
  readonly onConnect: (then: () => void) => void;
  /** Runs when the connection is lost. */
  readonly onDisconnect: (then: () => void) => void;
}

export interface CommandHandler {
  readonly command: Command;
  readonly run: (data: never, onProgress?: () => void) => Promise<Record<string, unknown>>;
}
/**
 * Binds a device command to what it does. Throw `Refusal` for what this computer will not or cannot do. A command that takes longer
 * than a few seconds calls `onProgress` each time a part of it is done.
 */
export function handleCommand<C extends Command>(
  command: C,
  run: (data: CommandRequestOf<C>, onProgress?: () => void) => Promise<CommandAnswerOf<C>>,
): CommandHandler {
  return { command, run };
}

export interface EventHandler {
  readonly event: ServerEvent;
  readonly run: (data: never) => void;
}
export function handleEvent<E extends ServerEvent>(event: E, run: (data: EventDataOf<E>) => void): EventHandler {
  return {
    event,
    run,
  };
}

/** A word of the agent's own, said at the computer's terminal, that a tool answers. */
export interface SubcommandHandler {
  readonly name: string;
  /** Lines for the terminal. @throws Refusal with what is wrong with the rest of the line. */
  readonly run: (rest: readonly string[]) => readonly string[] | Promise<readonly string[]>;
}

export interface StartedAgentTool {
  readonly commands?: readonly CommandHandler[];
  readonly events?: readonly EventHandler[];
  readonly words?: readonly SubcommandHandler[];
  /** Lines of `agent status`. */
  readonly status?: () => readonly string[];
  readonly stop?: () => Promise<void>;
}

/** The agent's part of a tool. */
export interface AgentTool {
  readonly name: string;
  readonly keep?: AccountData;
  readonly start: (ground: AgentContext) => StartedAgentTool;
}
