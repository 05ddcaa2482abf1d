import { hostname } from 'node:os';
import { askRunning, type ControlRequest } from '#platform/agent/control.ts';
import { heldPathIn, systemName } from '#platform/agent/drivers/live.ts';
import { releaseOnDisplay } from '#platform/agent/drivers/x11/desktop.ts';
import { leanFetch } from '#platform/agent/fetch.ts';
import { serverOrigin } from '#platform/agent/origin.ts';
import { beforePairing } from '#platform/agent/owner.ts';
import { install, uninstall } from '#platform/agent/service.ts';
import { foldersOf, loadSettings, saveSettings, type Folders, type Settings } from '#platform/agent/settings.ts';
import { CallFailed, makeClient } from '#platform/contract/client.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { readFlags, USAGE, type Flags, type Word } from './flags.ts';
import { run, sendText } from './run.ts';
import { accountKeeps, approveScript, pairDevice, setActivityWatch, setPrivacy } from './tools.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const NOT_PAIRED = 'This computer is not paired yet: pair <address of your server>';

interface Asked {
  readonly flags: Flags;
  readonly folders: Folders;
  readonly self: string;
}

const pairedSettings = (folders: Folders): Settings => {
  const settings = loadSettings(folders);
  if (!settings) throw new Refusal(NOT_PAIRED);
  return settings;
};

const start = async ({ flags, folders, self }: Asked): Promise<number> => {
  const settings = pairedSettings(folders);
  await serverOrigin(settings.origin, flags);
  return run({ env: process.env, folders, settings, flags, self, say });
};

const pair = async (asked: Asked): Promise<number> => {
  const { flags, folders } = asked;
  const [written] = flags.rest;
  if (written === undefined) throw new Refusal('Pair with which server? pair http://192.168.1.5:8300');
  if (await askRunning(folders.socket, { word: 'status' }))
    throw new Refusal('An agent runs on this computer already; stop it before you pair again');
  const origin = await serverOrigin(written, flags);
  for (const line of beforePairing(folders.state, accountKeeps)) say(line);
  const { token, name, account } = await pairDevice({
    call: makeClient({ origin, fetch: leanFetch }),
    name: (flags.name ?? hostname()).slice(0, 100),
    system: systemName().slice(0, 100),
    show: (code) => {
      say(`Open ${origin}/dashboard/settings/pair and enter this code:`);
      say(`\n    ${code}\n`);
    },
  });
  saveSettings(folders, { origin, token, name, account });
  say(`Paired as ${name}`);
  return start(asked);
};

/** A word for the running agent; `otherwise` where none runs. */
const ask = async (
  { folders }: Asked,
  request: ControlRequest,
  otherwise: () => readonly string[] | Promise<readonly string[]>,
): Promise<number> => {
  const reply = await askRunning(folders.socket, request);
  const { done, lines } = reply ?? { done: true, lines: await otherwise() };
  for (const line of lines) say(line);
  return done ? 0 : 1;
};

const notRunning = (): never => {
  throw new Refusal('The agent does not run');
};

/** What the owner wants of measuring; where no agent runs it counts from the next start on. */
const askUsage = (asked: Asked, word: Parameters<typeof setPrivacy>[1], rest: readonly string[]): Promise<number> =>
  ask(asked, { word: 'tool', text: word, rest: [...rest] }, () => setPrivacy(asked.folders.state, word, rest));

const wordsOf: Readonly<Record<Word, (asked: Asked, text: string) => number | Promise<number>>> = {
  pair,
  run: start,
  status: (asked) => ask(asked, { word: 'status' }, notRunning),
  pause: (asked, what) => {
    if (what === '') return ask(asked, { word: 'pause' }, notRunning);
    if (what !== 'usage') throw new Refusal('Say `pause` for everything, or `pause usage` with how many minutes');
    return askUsage(asked, 'pause usage', asked.flags.rest.slice(1));
  },
  resume: (asked, what) =>
    what === 'usage' ? askUsage(asked, 'resume usage', []) : ask(asked, { word: 'resume' }, notRunning),
  exclude: (asked) => askUsage(asked, 'exclude', asked.flags.rest),
  include: (asked) => askUsage(asked, 'include', asked.flags.rest),
  titles: (asked) => askUsage(asked, 'titles', asked.flags.rest),
  release: (asked) =>
    ask(asked, { word: 'release' }, () => releaseOnDisplay(process.env['DISPLAY'], heldPathIn(asked.folders.state))),
  send: (asked, text) =>
    ask(asked, { word: 'send', text }, async () => {
      const { origin, token } = pairedSettings(asked.folders);
      await serverOrigin(origin, asked.flags);
      await sendText(makeClient({ origin, token: () => token, fetch: leanFetch }), text);
      return ['Sent'];
    }),
  approve: (asked, text) =>
    ask(asked, { word: 'approve', text }, () => {
      approveScript(asked.folders.state, text);
      return [`'${text}' may run as it is now`];
    }),
  activitywatch: (asked) => {
    const rest = [...asked.flags.rest, ...asked.flags.origins];
    const request: ControlRequest = { word: 'tool', text: 'activitywatch', rest };
    return ask(asked, request, () => (rest.length > 0 ? setActivityWatch(asked.folders.state, rest) : notRunning()));
  },
  capture: (asked) => {
    const { rest, region } = asked.flags;
    const words = [...rest, ...(region === undefined ? [] : ['--region', region])];
    return ask(asked, { word: 'tool', text: 'capture', rest: words }, notRunning);
  },
  install: ({ folders, self, flags }) => {
    pairedSettings(folders);
    if (!self.endsWith('.mjs'))
      throw new Refusal('Install the built agent: npm run build, then apps/agent/dist/agent.mjs');
    for (const line of install({ env: process.env, folders, self, flags: flags.lasting })) say(line);
    return 0;
  },
  uninstall: ({ folders }) => {
    for (const line of uninstall({ env: process.env, folders })) say(line);
    return 0;
  },
};

const obey = async (asked: Asked): Promise<number> => {
  const { word, rest } = asked.flags;
  if (word !== undefined) return wordsOf[word](asked, rest[0] ?? '');
  process.stdout.write(USAGE);
  return 0;
};

/** Does what the words of the command line say; gives the exit code. `self` is the agent's own file. */
export const obeyWords = async (args: readonly string[], self: string): Promise<number> => {
  try {
    return await obey({ flags: readFlags(args), folders: foldersOf(process.env), self });
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof CallFailed)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
};
