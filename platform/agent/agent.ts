import { mkdirSync } from 'node:fs';
import { createClient } from '#platform/contract/client.ts';
import type { Abilities, AbilityName } from '#platform/contract/device.ts';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { openAnswerStore, AGENT_PAUSED_MESSAGE } from './commandQueue.ts';
import type { Ability, Drivers } from './drivers/drivers.ts';
import { createHotkeyShares } from './hotkeyShares.ts';
import { lightFetch } from './lightFetch.ts';
import { openServerLink, type LinkEndReason, type Welcome } from './serverLink.ts';
import type { AgentContext, AgentTool, AllowedAbilities } from './tool.ts';

export interface AgentOptions {
  readonly origin: string;
  readonly token: string;
  readonly version: string;
  readonly drivers: Drivers;
  readonly allowed: AllowedAbilities;
  readonly confirm?: boolean;
  readonly tools: readonly AgentTool[];
  /** Folder for the agent's stored state; created if it is missing. */
  readonly stateDir: string;
  readonly print: (line: string) => void;
  readonly isPaused?: () => boolean;
  readonly onWelcome?: (welcome: Welcome) => void;
  readonly onEnd?: (reason: LinkEndReason) => void;
}

export interface Agent extends AsyncDisposable {
  readonly call: AgentContext['call'];
  readonly isConnected: () => boolean;
  readonly getAbilities: () => Abilities;
  /** Sends abilities to the server again, because the computer has changed or the agent was paused. */
  readonly sendDescription: () => void;
  /** Releases every held key and button. */
  readonly releaseAll: () => Promise<void>;
  /**
   * Runs a subcommand of a tool.
   * @throws Refusal if the subcommand is unknown or its arguments are wrong.
   */
  readonly runSubcommand: (name: string, args: readonly string[]) => Promise<readonly string[]>;
  /** Returns the status lines of all tools, for `agent status`. */
  readonly listStatus: () => readonly string[];
}

/** Limits that the contract sets for a reason and for the name of the system. */
const MAX_REASON_LENGTH = 300;
const MAX_SYSTEM_LENGTH = 100;
/** How long a call to the server may take. */
const CALL_TIMEOUT_MS = MINUTE_MS;

/** Returns why the computer's owner does not allow an ability. */
const explainNotAllowed = (name: AbilityName): string =>
  name === 'scripts' || name === 'capture' || name === 'clipboard'
    ? `Turned off on that computer. Start its agent with --allow-${name}`
    : `Turned off on that computer. Its agent was started with --no-${name}`;

function findDriver(drivers: Drivers, name: AbilityName): { readonly ability: Ability } | undefined {
  if (name === 'sound') return drivers.audio;
  if (name === 'usage') return drivers.windows;
  // Messages and scripts need no driver.
  if (name === 'messages' || name === 'scripts') return undefined;
  return drivers[name];
}

/** Starts the tools on the drivers and connects them to the server. */
export function startAgent(options: AgentOptions): Agent {
  const { origin, token, drivers, allowed, print } = options;
  const isPaused = options.isPaused ?? (() => false);
  mkdirSync(options.stateDir, { recursive: true, mode: 0o700 });
  const answers = openAnswerStore(options.stateDir);
  const lifetime = new AbortController();
  const call = createClient({
    origin,
    token: () => token,
    fetch: lightFetch,
    signal: () => AbortSignal.any([lifetime.signal, AbortSignal.timeout(CALL_TIMEOUT_MS)]),
  });
  const changeListeners: (() => void)[] = [];
  const connectListeners: (() => void)[] = [];
  const disconnectListeners: (() => void)[] = [];
  const hotkeys = createHotkeyShares(drivers.hotkeys);
  hotkeys.setPaused(isPaused());

  const context: AgentContext = {
    drivers,
    allowed,
    isConfirmationRequired: options.confirm ?? false,
    call,
    print,
    stateDir: options.stateDir,
    report: (event, data) => link.report(event, data),
    serverNow: () => link.serverNow(),
    isPaused,
    onChange: (listener) => void changeListeners.push(listener),
    openHotkeys: hotkeys.open,
    onConnect: (listener) => void connectListeners.push(listener),
    onDisconnect: (listener) => void disconnectListeners.push(listener),
  };
  const startedTools = options.tools.map((tool) => tool.start(context));

  function getAbility(name: AbilityName): Ability {
    if (!allowed[name]) return { able: false, reason: explainNotAllowed(name) };
    if (isPaused()) return { able: false, reason: AGENT_PAUSED_MESSAGE };
    const ability = findDriver(drivers, name)?.ability ?? { able: true };
    return ability.able ? ability : { able: false, reason: ability.reason.slice(0, MAX_REASON_LENGTH) };
  }
  function getAbilities(): Abilities {
    const names = Object.keys(allowed) as AbilityName[];
    return Object.fromEntries(names.map((name) => [name, getAbility(name)]));
  }
  async function release(): Promise<void> {
    await Promise.all([drivers.keyboard.releaseAll(), drivers.mouse.releaseAll()]);
  }
  function releaseOrPrintError(): void {
    release().catch((error: unknown) => print(`Could not release the keys: ${String(error)}`));
  }

  let ending: Promise<void> | undefined;
  const link = openServerLink({
    origin,
    token,
    answers,
    isPaused: () => isPaused() || ending !== undefined,
    print,
    handlers: startedTools.flatMap(({ commands = [] }) => commands),
    events: startedTools.flatMap(({ events = [] }) => events),
    getDescription: () => ({
      version: options.version,
      system: drivers.system.slice(0, MAX_SYSTEM_LENGTH),
      abilities: getAbilities(),
    }),
    onWelcome: (welcome) => options.onWelcome?.(welcome),
    onConnect: () => {
      for (const listener of connectListeners) listener();
    },
    onDisconnect: () => {
      for (const listener of disconnectListeners) listener();
      releaseOrPrintError();
    },
    onEnd: (reason) => options.onEnd?.(reason),
  });

  async function end(): Promise<void> {
    link.close();
    await Promise.all(startedTools.map(async ({ stop }) => stop?.()));
    lifetime.abort();
    await release();
    answers.close();
  }

  return {
    call,
    isConnected: link.isConnected,
    getAbilities,
    sendDescription: () => {
      hotkeys.setPaused(isPaused());
      for (const listener of changeListeners) listener();
      link.sendDescription();
    },
    releaseAll: release,
    runSubcommand: async (name, args) => {
      const handler = startedTools
        .flatMap(({ subcommands = [] }) => subcommands)
        .find((subcommand) => subcommand.name === name);
      if (!handler)
        throw new Refusal(
          'agent.unknown_command',
          `This agent has no command '${name.slice(0, 40)}'. Run it without arguments to list the commands`,
        );
      return handler.run(args);
    },
    listStatus: () => startedTools.flatMap(({ status }) => status?.() ?? []),
    // Disposing is idempotent: the owner can dispose the agent and also leave its `await using` block.
    [Symbol.asyncDispose]: () => (ending ??= end()),
  };
}
