import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { requestFromRunningAgent, type ControlRequest } from '#platform/agent/controlSocket.ts';
import { installExtension, uninstallExtension } from '#platform/agent/drivers/gnome/extensionInstaller.ts';
import { releaseOnMac } from '#platform/agent/drivers/mac/releaser.ts';
import { getHeldPath, getSystemName } from '#platform/agent/drivers/systemDrivers.ts';
import { releaseWindowsLeftovers } from '#platform/agent/drivers/windows/session.ts';
import { releaseOnDisplay } from '#platform/agent/drivers/x11/desktop.ts';
import { lightFetch } from '#platform/agent/lightFetch.ts';
import { describeUnsentBeforePairing } from '#platform/agent/pairedAccount.ts';
import { installService, uninstallService } from '#platform/agent/service.ts';
import {
  getFolders,
  loadSettings,
  saveSettings,
  type AgentFolders,
  type AgentSettings,
} from '#platform/agent/settings.ts';
import {
  installWindowsService,
  isInBackground,
  startInBackground,
  uninstallWindowsService,
} from '#platform/agent/windowsService.ts';
import { CallError, createClient } from '#platform/contract/client.ts';
import { removeBrackets, isPrivateAddress } from '#platform/contract/privateAddress.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { serverinfo } from '#platform/contract/session.ts';
import { parseFlags, USAGE, type Flags, type Subcommand } from './flags.ts';
import { openInBrowser } from './openInBrowser.ts';
import { runAgent, sendText } from './run.ts';
import { accountData, approveScript, pairDevice, setActivityWatch, setPrivacy } from './tools.ts';

async function lookUpAddresses(host: string): Promise<readonly string[]> {
  const name = removeBrackets(host);
  if (isIP(name)) return [name];
  const entries = await lookup(name, { all: true }).catch(() => []);
  return entries.map(({ address }) => address);
}

const addScheme = (address: string): string => (/^https?:\/\//i.test(address) ? address : `http://${address}`);

/**
 * Returns the server's origin for an address that the user typed, such as `http://192.168.1.5:8300`.
 * @throws Refusal for an invalid address, and for plain http over the internet, where attackers could inject
 * keystrokes.
 */
export async function parseServerOrigin(address: string, options: { readonly insecure: boolean }): Promise<string> {
  const text = addScheme(address);
  if (!URL.canParse(text))
    throw new Refusal(
      'agent.invalid_address',
      `'${address}' is not a server address. Enter one like http://192.168.1.5:8300`,
    );
  const { protocol, hostname: serverName, origin } = new URL(text);
  if (protocol === 'https:' || options.insecure) return origin;
  const addresses = await lookUpAddresses(serverName);
  if (addresses.length === 0)
    throw new Refusal('agent.unknown_host', `The host name ${serverName} was not found. Check the address`);
  if (addresses.every(isPrivateAddress)) return origin;
  throw new Refusal(
    'agent.insecure_origin',
    `${origin} is not a private address, so others could read and change what is typed. Use https, or pass --insecure`,
  );
}

/**
 * Returns the address of the server without a slash at the end. It may be below a path. What the user typed may also
 * be the address of one of its pages, so the longest path at which the server answers counts.
 */
export async function findServerAddress(address: string, origin: string): Promise<string> {
  const segments = new URL(addScheme(address)).pathname.split('/').filter((segment) => segment !== '');
  for (let count = segments.length; count > 0; count -= 1) {
    const candidate = [origin, ...segments.slice(0, count)].join('/');
    const isServer = await createClient({ origin: candidate, fetch: lightFetch })(serverinfo, {}).then(
      () => true,
      () => false,
    );
    if (isServer) return candidate;
  }
  return origin;
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const NOT_PAIRED_MESSAGE = 'This computer is not paired yet. Run pair <address of your server>';

interface SubcommandContext {
  readonly flags: Flags;
  readonly folders: AgentFolders;
  readonly agentFile: string;
}

function requireSettings(folders: AgentFolders): AgentSettings {
  const settings = loadSettings(folders);
  if (!settings) throw new Refusal('agent.not_paired', NOT_PAIRED_MESSAGE);
  return settings;
}

async function runPairedAgent({ flags, folders, agentFile }: SubcommandContext): Promise<number> {
  const settings = requireSettings(folders);
  if (process.platform === 'win32' && flags.autostart && !isInBackground(process.env)) {
    startInBackground(process.execPath, agentFile, process.argv.slice(2));
    return 0;
  }
  await parseServerOrigin(settings.origin, flags);
  return runAgent({ env: process.env, folders, settings, flags, agentFile, print });
}

async function pair(context: SubcommandContext): Promise<number> {
  const { flags, folders } = context;
  const [address] = flags.subcommandArgs;
  if (address === undefined)
    throw new Refusal(
      'agent.address_missing',
      'Enter the address of your server, for example: pair http://192.168.1.5:8300',
    );
  if (await requestFromRunningAgent(folders.socket, { word: 'status' }))
    throw new Refusal(
      'agent.already_running',
      'The agent is already running on this computer. Stop it before you pair again',
    );
  const origin = await findServerAddress(address, await parseServerOrigin(address, flags));
  for (const line of describeUnsentBeforePairing(folders.state, accountData)) print(line);
  const { token, name, account } = await pairDevice({
    call: createClient({ origin, fetch: lightFetch }),
    name: (flags.name ?? hostname()).slice(0, 100),
    system: getSystemName().slice(0, 100),
    show: (code) => {
      print(`Open ${origin}/dashboard/settings/pair and enter this code:`);
      print(`\n    ${code}\n`);
    },
  });
  saveSettings(folders, { origin, token, name, account });
  print(`Paired as ${name}`);
  return runPairedAgent(context);
}

/** Sends a subcommand to the running agent, or runs `runWithoutAgent` if there is none. */
async function sendToAgent(
  { folders }: SubcommandContext,
  request: ControlRequest,
  runWithoutAgent: () => readonly string[] | Promise<readonly string[]>,
): Promise<number> {
  const reply = await requestFromRunningAgent(folders.socket, request);
  const { done, lines } = reply ?? { done: true, lines: await runWithoutAgent() };
  for (const line of lines) print(line);
  return done ? 0 : 1;
}

function refuseNotRunning(): never {
  throw new Refusal('agent.not_running', 'The agent is not running');
}

/** Changes a privacy setting of screen time. If no agent is running, it applies from the next start. */
const changePrivacy = (
  context: SubcommandContext,
  name: Parameters<typeof setPrivacy>[1],
  args: readonly string[],
): Promise<number> =>
  sendToAgent(context, { word: 'tool', text: name, rest: [...args] }, () =>
    setPrivacy(context.folders.state, name, args),
  );

const SUBCOMMANDS: Readonly<
  Record<Subcommand, (context: SubcommandContext, text: string) => number | Promise<number>>
> = {
  pair,
  run: runPairedAgent,
  status: (context) => sendToAgent(context, { word: 'status' }, refuseNotRunning),
  pause: (context, target) => {
    if (target === '') return sendToAgent(context, { word: 'pause' }, refuseNotRunning);
    if (target !== 'usage')
      throw new Refusal(
        'agent.invalid_command',
        'Use `pause` for everything, or `pause usage` with a number of minutes',
      );
    return changePrivacy(context, 'pause usage', context.flags.subcommandArgs.slice(1));
  },
  resume: (context, target) =>
    target === 'usage'
      ? changePrivacy(context, 'resume usage', [])
      : sendToAgent(context, { word: 'resume' }, refuseNotRunning),
  exclude: (context) => changePrivacy(context, 'exclude', context.flags.subcommandArgs),
  include: (context) => changePrivacy(context, 'include', context.flags.subcommandArgs),
  titles: (context) => changePrivacy(context, 'titles', context.flags.subcommandArgs),
  release: (context) =>
    sendToAgent(context, { word: 'release' }, () => {
      const heldPath = getHeldPath(context.folders.state);
      if (process.platform === 'darwin') return releaseOnMac(heldPath);
      if (process.platform === 'win32') return releaseWindowsLeftovers(heldPath);
      return releaseOnDisplay(process.env['DISPLAY'], heldPath);
    }),
  try: async ({ folders }) => {
    const { origin } = requireSettings(folders);
    const reply = await requestFromRunningAgent(folders.socket, { word: 'tool', text: 'try' });
    if (!reply)
      throw new Refusal(
        'agent.not_running',
        'The agent is not running. Start it with `run`, then enter `try` in a second terminal',
      );
    if (!reply.done) throw new Refusal('agent.try_failed', reply.lines.join('\n'));
    const address = `${origin}${reply.lines[0] ?? ''}`;
    print('Open this page in a browser on this computer, and choose Start the check:');
    print(address);
    const problem = await openInBrowser(address);
    if (problem !== undefined) print(problem);
    return 0;
  },
  send: (context, text) =>
    sendToAgent(context, { word: 'send', text }, async () => {
      const { origin, token } = requireSettings(context.folders);
      await parseServerOrigin(origin, context.flags);
      await sendText(createClient({ origin, token: () => token, fetch: lightFetch }), text);
      return ['Sent'];
    }),
  approve: (context, text) =>
    sendToAgent(context, { word: 'approve', text }, () => {
      approveScript(context.folders.state, text);
      return [`'${text}' is approved to run until it changes`];
    }),
  activitywatch: (context) => {
    const rest = [...context.flags.subcommandArgs, ...context.flags.origins];
    const request: ControlRequest = { word: 'tool', text: 'activitywatch', rest };
    return sendToAgent(context, request, () =>
      rest.length > 0 ? setActivityWatch(context.folders.state, rest) : refuseNotRunning(),
    );
  },
  capture: (context) => {
    const { subcommandArgs, region } = context.flags;
    const rest = [...subcommandArgs, ...(region === undefined ? [] : ['--region', region])];
    return sendToAgent(context, { word: 'tool', text: 'capture', rest }, refuseNotRunning);
  },
  'gnome-extension': async (_context, action) => {
    if (action !== 'install' && action !== 'uninstall')
      throw new Refusal('agent.invalid_command', 'Use `gnome-extension install` or `gnome-extension uninstall`');
    const lines = action === 'install' ? await installExtension(process.env) : uninstallExtension(process.env);
    for (const line of lines) print(line);
    return 0;
  },
  install: async ({ folders, agentFile, flags }) => {
    requireSettings(folders);
    if (!agentFile.endsWith('.mjs'))
      throw new Refusal(
        'agent.not_built',
        'Only the built agent can be installed. Run npm run build, then apps/agent/dist/agent.mjs install',
      );
    const options = { env: process.env, folders, agentFile, flags: flags.persistentFlags };
    const lines = process.platform === 'win32' ? await installWindowsService(options) : installService(options);
    for (const line of lines) print(line);
    return 0;
  },
  uninstall: async ({ folders }) => {
    const lines =
      process.platform === 'win32'
        ? await uninstallWindowsService(folders)
        : uninstallService({ env: process.env, folders });
    for (const line of lines) print(line);
    return 0;
  },
};

async function runSubcommand(context: SubcommandContext): Promise<number> {
  const { subcommand, subcommandArgs } = context.flags;
  if (subcommand !== undefined) return SUBCOMMANDS[subcommand](context, subcommandArgs[0] ?? '');
  process.stdout.write(USAGE);
  return 0;
}

/** Runs the command line and returns the exit code. `agentFile` is the path of the agent's own file. */
export async function runCommandLine(args: readonly string[], agentFile: string): Promise<number> {
  try {
    return await runSubcommand({ flags: parseFlags(args), folders: getFolders(process.env), agentFile });
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof CallError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}
