import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, chmodSync, closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { startAgent, type Agent } from '#platform/agent/agent.ts';
import { openControlSocket, type ControlRequest } from '#platform/agent/controlSocket.ts';
import { openSystemDrivers, type SystemDrivers } from '#platform/agent/drivers/systemDrivers.ts';
import { killIfThreadHangs } from '#platform/agent/drivers/windows/threads.ts';
import { assignOwner } from '#platform/agent/pairedAccount.ts';
import type { Welcome } from '#platform/agent/serverLink.ts';
import { EXIT_CODE_NO_RESTART, toServiceExitCode } from '#platform/agent/service.ts';
import { resolveAllowed, type AgentFolders, openPauseSetting, type AgentSettings } from '#platform/agent/settings.ts';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { devicemessage } from '#tools/messages/contract.ts';
import manifest from '../../package.json' with { type: 'json' };
import type { Flags } from './flags.ts';
import { accountData, agentTools, approveScript } from './tools.ts';

export const { version } = manifest;

const DOWNLOAD_TIMEOUT_MS = MINUTE_MS;

export function computeDigest(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Returns the SHA-256 of the agent's file; undefined if it runs from its sources. */
export function computeOwnDigest(file: string): string | undefined {
  return file.endsWith('.mjs') ? computeDigest(readFileSync(file)) : undefined;
}

/**
 * Replaces the agent's file with the server's newer one: downloads, verifies, writes it next to the old one and
 * renames.
 * @throws Refusal if the download does not match the digest that the server announced.
 */
export async function installUpdate(origin: string, digest: string, file: string): Promise<void> {
  const response = await fetch(`${origin}/agent.mjs`, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) });
  if (!response.ok)
    throw new Refusal(
      'agent.update_fetch_failed',
      `Could not download the new agent: the server responded with status ${response.status}`,
    );
  const content = new Uint8Array(await response.arrayBuffer());
  if (computeDigest(content) !== digest)
    throw new Refusal(
      'agent.update_mismatch',
      "The downloaded agent does not match the server's checksum, so it was not installed",
    );
  const partPath = `${file}.part`;
  writeFileSync(partPath, content);
  chmodSync(partPath, 0o755);
  const handle = openSync(partPath, 'r');
  fsyncSync(handle);
  closeSync(handle);
  renameSync(partPath, file);
}

export interface RunOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly folders: AgentFolders;
  readonly settings: AgentSettings;
  readonly flags: Flags;
  /** Path of the agent's file. */
  readonly agentFile: string;
  readonly print: (line: string) => void;
}

/** Sends a message from this computer, as `agent send` does. */
export async function sendText(call: Agent['call'], text: string): Promise<void> {
  if (text === '') throw new Refusal('message.empty', 'No text to send');
  await call(devicemessage, { inputtype: 1, text, key: crypto.randomUUID() });
}

const listAbilityLines = (agent: Agent): readonly string[] => [
  ...Object.entries(agent.getAbilities()).map(
    ([name, { able, reason }]) => `  ${name}: ${able ? 'yes' : `no: ${reason ?? 'unknown reason'}`}`,
  ),
  ...agent.listStatus().map((line) => `  ${line}`),
];

/** Lists what the person at the computer has to know when the agent starts. */
const listStartLines = ({ keyboard: { ability }, listSetupSteps }: SystemDrivers): readonly string[] => [
  ...(ability.able ? [] : [ability.reason]),
  ...listSetupSteps(),
];

/** Starts the updated file as a replacement of this process. */
function restart(agentFile: string): void {
  spawn(process.execPath, [...process.execArgv, agentFile, ...process.argv.slice(2)], {
    detached: true,
    windowsHide: true,
    stdio: 'ignore',
  }).unref();
}

/** Runs the agent until it is stopped, and returns the exit code. */
export async function runAgent({ env, folders, settings, flags, agentFile, print }: RunOptions): Promise<number> {
  mkdirSync(folders.state, { recursive: true, mode: 0o700 });
  const exit = Promise.withResolvers<number>();
  const pause = openPauseSetting(folders);
  let name = settings.name;
  let agent: Agent | undefined;
  let drivers: SystemDrivers | undefined;

  function getRunningAgent(): Agent {
    if (!agent) throw new Refusal('agent.starting', 'The agent is still starting. Try again in a moment');
    return agent;
  }
  async function setPaused(isPaused: boolean): Promise<readonly string[]> {
    pause.setPaused(isPaused);
    if (isPaused) await getRunningAgent().releaseAll();
    getRunningAgent().sendDescription();
    return [isPaused ? 'Paused. Nothing is typed or tracked here until you run `resume`' : 'Resumed'];
  }
  const listStatusLines = (): readonly string[] => [
    `${name} on ${settings.origin}: ${agent?.isConnected() ? 'connected' : 'not connected'}${pause.isPaused() ? ', paused' : ''}`,
    ...(agent ? listAbilityLines(agent) : []),
    ...(drivers?.listSetupSteps() ?? []),
  ];
  async function handleRequest({ word, text = '', rest = [] }: ControlRequest): Promise<readonly string[]> {
    switch (word) {
      case 'pause':
        return setPaused(true);
      case 'resume':
        return setPaused(false);
      case 'release':
        await getRunningAgent().releaseAll();
        return ['Released every key and button'];
      case 'send':
        await sendText(getRunningAgent().call, text);
        return ['Sent'];
      case 'approve':
        approveScript(folders.state, text);
        return [`'${text}' is approved to run until it changes`];
      case 'tool':
        return getRunningAgent().runSubcommand(text, rest);
      case 'status':
        return listStatusLines();
      case 'stop':
        exit.resolve(0);
        return ['Stopping'];
    }
  }

  await using control = await openControlSocket(folders.socket, handleRequest);
  if (!control) throw new Refusal('agent.already_running', 'The agent is already running on this computer');

  // Must happen before any stored data is opened.
  if (settings.account) for (const line of assignOwner(settings.account, folders.state, accountData)) print(line);

  /** Digest of the newer agent that the server offered last. */
  let offeredDigest = '';
  async function updateIfNewer({ agentDigest }: Welcome): Promise<void> {
    const ownDigest = computeOwnDigest(agentFile);
    if (ownDigest === undefined || agentDigest === '' || agentDigest === ownDigest || agentDigest === offeredDigest)
      return;
    offeredDigest = agentDigest;
    if (!flags.update || !(flags.service || flags.autostart)) {
      print(`The server has a newer agent. Start it with \`npx ${settings.origin}/agent.tgz run\``);
      return;
    }
    await installUpdate(settings.origin, agentDigest, agentFile);
    print('Updated. Restarting');
    exit.resolve(0);
  }

  await using openedDrivers = await openSystemDrivers({
    env,
    stateDir: folders.state,
    guardian: { program: process.execPath, args: ['--disable-warning=ExperimentalWarning', agentFile, '--guardian'] },
  });
  drivers = openedDrivers;
  for (const line of listStartLines(drivers)) print(line);
  await using started = startAgent({
    origin: settings.origin,
    token: settings.token,
    version,
    drivers,
    allowed: resolveAllowed(settings, flags.allow),
    confirm: flags.isConfirmationRequired,
    tools: agentTools,
    stateDir: folders.state,
    print,
    isPaused: pause.isPaused,
    onWelcome: (welcome) => {
      name = welcome.name;
      print(`Connected to ${settings.origin} as ${name}`);
      updateIfNewer(welcome).catch((error: unknown) =>
        print(error instanceof Error ? error.message : 'The update failed'),
      );
    },
    onEnd: (reason) => {
      print(
        reason === 'revoked'
          ? 'This computer was removed from the account. Pair it again'
          : 'Another agent connected with the same token, so this one stops',
      );
      exit.resolve(EXIT_CODE_NO_RESTART);
    },
  });
  agent = started;
  drivers.onChange(started.sendDescription);
  // Windows has no SIGTERM, and sends SIGHUP when the agent's window is closed, SIGBREAK for Ctrl-Break.
  const signals = [
    'SIGTERM',
    'SIGINT',
    'SIGHUP',
    ...(process.platform === 'win32' ? (['SIGBREAK'] as const) : []),
  ] as const;
  for (const signal of signals) process.once(signal, () => exit.resolve(0));
  function handleFault(error: unknown): void {
    print(`The agent failed: ${error instanceof Error ? (error.stack ?? error.message) : 'unknown error'}`);
    exit.resolve(1);
  }
  process.once('uncaughtException', handleFault);
  process.once('unhandledRejection', handleFault);
  const code = await exit.promise;
  if (offeredDigest !== '' && code === 0 && flags.autostart && flags.update)
    process.once('exit', () => restart(agentFile));
  // After the disposal of everything, and after the restart.
  process.once('exit', killIfThreadHangs);
  return toServiceExitCode(code, { isService: flags.service, isUpdated: offeredDigest !== '' });
}
