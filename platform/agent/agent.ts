import { mkdirSync } from 'node:fs';
import { createClient } from '#platform/contract/client.ts';
import type { Abilities, AbilityName } from '#platform/contract/device.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { openAnswerStore, AGENT_PAUSED_MESSAGE } from './commandQueue.ts';
import type { Ability, Drivers } from './drivers/drivers.ts';
import { createHotkeyShares } from './hotkeyShares.ts';
import { lightFetch } from './leanFetch.ts';
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
  /** Folder for what the agent keeps; made where it is missing. */
  readonly stateDir: string;
  readonly print: (line: string) => void;
  readonly isPaused?: () => boolean;
  readonly onWelcome?: (welcome: Welcome) => void;
  readonly onEnd?: (why: LinkEndReason) => void;
}

export interface Agent extends AsyncDisposable {
  readonly call: AgentContext['call'];
  readonly isConnected: () => boolean;
  readonly getAbilities: () => Abilities;
  /** What the computer can do has changed, or the agent was paused: the server is told. */
  readonly sendDescription: () => void;
  /** Lets go of every key and button. */
  readonly releaseAll: () => Promise<void>;
  /** Does what a word of a tool says. @throws Refusal with what is wrong with it. */
  readonly runSubcommand: (word: string, rest: readonly string[]) => Promise<readonly string[]>;
  /** What the tools have to say of themselves. */
  readonly listStatus: () => readonly string[];
}

/** What the contract takes of a reason and of a system's name. */
const MAX_REASON_LENGTH = 300;
const MAX_SYSTEM_LENGTH = 100;
/** A call that has no answer by then has none. */
const CALL_TIMEOUT_MS = 60_000;

const switchedOff = (name: AbilityName): string =>
  name === 'scripts' || name === 'capture' || name === 'clipboard'
    ? `Switched off on that computer; its agent needs --allow-${name}`
    : `Switched off on that computer; its agent was started with --no-${name}`;

const driverOf = (drivers: Drivers, name: AbilityName): { readonly ability: Ability } | undefined => {
  if (name === 'sound') return drivers.audio;
  if (name === 'usage') return drivers.windows;
  // Messages and scripts work without one.
  if (name === 'messages' || name === 'scripts') return undefined;
  return drivers[name];
};

/** The device's half of the product: starts the tools on the drivers and keeps the line to the server. */
export function startAgent(options: AgentOptions): Agent {
  const { origin, token, drivers, allowed, print } = options;
  const isPaused = options.isPaused ?? (() => false);
  mkdirSync(options.stateDir, { recursive: true, mode: 0o700 });
  const answers = openAnswerStore(options.stateDir);
  const over = new AbortController();
  const call = createClient({
    origin,
    token: () => token,
    fetch: lightFetch,
    signal: () => AbortSignal.any([over.signal, AbortSignal.timeout(CALL_TIMEOUT_MS)]),
  });
  const whenChanged: (() => void)[] = [];
  const whenConnected: (() => void)[] = [];
  const whenLost: (() => void)[] = [];
  const hotkeys = createHotkeyShares(drivers.hotkeys);
  hotkeys.setPaused(isPaused());

  const ground: AgentContext = {
    drivers,
    allowed,
    isConfirmationRequired: options.confirm ?? false,
    call,
    print,
    stateDir: options.stateDir,
    report: (event, data) => link.report(event, data),
    serverNow: () => link.serverNow(),
    isPaused,
    onChange: (then) => void whenChanged.push(then),
    openHotkeys: hotkeys.open,
    onConnect: (then) => void whenConnected.push(then),
    onDisconnect: (then) => void whenLost.push(then),
  };
  const parts = options.tools.map((tool) => tool.start(ground));

  const abilityOf = (name: AbilityName): Ability => {
    if (!allowed[name]) return { able: false, reason: switchedOff(name) };
    if (isPaused()) return { able: false, reason: AGENT_PAUSED_MESSAGE };
    const ability = driverOf(drivers, name)?.ability ?? { able: true };
    return ability.able ? ability : { able: false, reason: ability.reason.slice(0, MAX_REASON_LENGTH) };
  };
  const abilities = (): Abilities => {
    const names = Object.keys(allowed) as AbilityName[];
    return Object.fromEntries(names.map((name) => [name, abilityOf(name)]));
  };
  const release = async (): Promise<void> => {
    await Promise.all([drivers.keyboard.releaseAll(), drivers.mouse.releaseAll()]);
  };
  const releaseOrSay = (): void => {
    release().catch((error: unknown) => print(`Keys could not be let go: ${String(error)}`));
  };

  const link = openServerLink({
    origin,
    token,
    answers,
    isPaused,
    print,
    handlers: parts.flatMap(({ commands = [] }) => commands),
    events: parts.flatMap(({ events = [] }) => events),
    getDescription: () => ({
      version: options.version,
      system: drivers.system.slice(0, MAX_SYSTEM_LENGTH),
      abilities: abilities(),
    }),
    onWelcome: (welcome) => options.onWelcome?.(welcome),
    onConnect: () => {
      for (const then of whenConnected) then();
    },
    onDisconnect: () => {
      for (const then of whenLost) then();
      releaseOrSay();
    },
    onEnd: (why) => options.onEnd?.(why),
  });

  let ending: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    link.close();
    await Promise.all(parts.map(async ({ stop }) => stop?.()));
    over.abort();
    await release();
    answers.close();
  };

  return {
    call,
    isConnected: link.isConnected,
    getAbilities: abilities,
    sendDescription: () => {
      hotkeys.setPaused(isPaused());
      for (const then of whenChanged) then();
      link.sendDescription();
    },
    releaseAll: release,
    runSubcommand: async (word, rest) => {
      const handler = parts.flatMap(({ words = [] }) => words).find((one) => one.name === word);
      if (!handler) throw new Refusal(`This agent does not know the word '${word.slice(0, 40)}'`);
      return handler.run(rest);
    },
    listStatus: () => parts.flatMap(({ status }) => status?.() ?? []),
    // Whoever has ended it may leave its block as well.
    [Symbol.asyncDispose]: () => (ending ??= end()),
  };
}
