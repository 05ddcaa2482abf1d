import type { Client } from '#platform/contract/client.ts';
import type { Command, CommandAnswerOf, CommandRequestOf } from '#platform/contract/command.ts';
import type { AbilityName } from '#platform/contract/device.ts';
import type { DataOf, ServerEvent } from '#platform/contract/event.ts';
import type { Drivers } from './drivers/drivers.ts';

/** What the computer's owner allows; from flags or the settings file, never from the server. */
export type Allowed = Readonly<Record<AbilityName, boolean>>;

/** What the agent's half of every tool stands on. */
export interface AgentGround {
  readonly drivers: Drivers;
  readonly allowed: Allowed;
  /** Every script's content is approved once on this computer before it runs. */
  readonly confirmScripts: boolean;
  /** Calls of the server with the device's own token. */
  readonly call: Client;
  /** One line for the person at the terminal. Never typed text or a token. */
  readonly say: (line: string) => void;
  /** Folder for what the agent keeps (state), made 0700. */
  readonly stateDir: string;
  /** Runs when the connection is lost. */
  readonly onDisconnect: (then: () => void) => void;
}

export interface CommandHandler {
  readonly command: Command;
  readonly run: (data: never) => Promise<Record<string, unknown>>;
}
/** Binds a device command to what it does. Throw `Refusal` for what this computer will not or cannot do. */
export const obey = <C extends Command>(
  command: C,
  run: (data: CommandRequestOf<C>) => Promise<CommandAnswerOf<C>>,
): CommandHandler => ({ command, run });

export interface EventHandler {
  readonly event: ServerEvent;
  readonly run: (data: never) => void;
}
export const receive = <E extends ServerEvent>(event: E, run: (data: DataOf<E>) => void): EventHandler => ({
  event,
  run,
});

export interface AgentParts {
  readonly commands?: readonly CommandHandler[];
  readonly events?: readonly EventHandler[];
  readonly stop?: () => Promise<void>;
}

/** The agent's part of a tool. */
export interface AgentTool {
  readonly name: string;
  readonly start: (ground: AgentGround) => AgentParts;
}
