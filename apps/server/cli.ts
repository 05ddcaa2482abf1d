// `npm run pegboard -- <command>`: what the operator does from a terminal.
import { parseArgs } from 'node:util';
import { Refusal } from '#platform/contract/refusal.ts';
import type { ServerTool } from '#platform/server/tool.ts';
import { assembleServer } from './assemble.ts';
import { BadConfig, type Config, optionsOf, readConfig, shownConfig } from './config.ts';
import { askRunning, outcomeOf, type Outcome } from './control.ts';
import { examine } from './doctor.ts';
import { isDeed, perform, type Wish } from './operator.ts';
import { serverTools } from './tools.ts';

const USAGE = `Usage: npm run pegboard -- <command>

  user list                      all accounts
  user create <name> [--owner]   an account with a random password; the first one is the owner
  user reset-password <name>     a new random password; ends all sessions
  user delete <name> --yes       the account and all its data
  session end-all                ends all sessions of persons, on all accounts
  config                         the settings as the server would read them
  doctor                         what is in order on this computer, and what is not
  doctor data [--mend]           whether what is counted agrees with what it was counted from, and what has a file has it
`;

const say = (text: string): void => void process.stdout.write(`${text.trimEnd()}\n`);

/** Without a running server: opens the data folder itself, which takes its lock. */
const performAlone = async (config: Config, wish: Wish): Promise<Outcome> => {
  let run: (() => Promise<string>) | undefined;
  const operator: ServerTool = {
    name: 'control',
    migrations: [],
    start: ({ identity, database }, { forget, checkData }) => {
      run = () => perform({ identity, database, forget, checkData }, wish);
      return { calls: [] };
    },
  };
  const server = await assembleServer({
    ...optionsOf(config),
    logLevel: 'warn',
    tools: [...serverTools, operator],
    worksByItself: false,
  });
  try {
    return await outcomeOf(async () => (await run?.()) ?? '');
  } finally {
    await server.stop();
  }
};

const runDeed = async (config: Config, wish: Wish): Promise<number> => {
  const { said, refused } = (await askRunning(config.DATA_DIR, wish)) ?? (await performAlone(config, wish));
  if (refused !== undefined) throw new Refusal(refused);
  say(said ?? '');
  return 0;
};

const runCommand = async (): Promise<number> => {
  const { positionals: words, values } = parseArgs({
    allowPositionals: true,
    options: {
      owner: { type: 'boolean', default: false },
      yes: { type: 'boolean', default: false },
      mend: { type: 'boolean', default: false },
    },
  });
  const config = readConfig(process.env);
  if (isDeed(words)) return runDeed(config, { words, ...values });
  if (words[0] === 'config') {
    say(
      shownConfig(config)
        .map(([name, value]) => `${name}=${value}`)
        .join('\n'),
    );
    return 0;
  }
  if (words[0] === 'doctor') {
    const findings = await examine(config);
    say(findings.map(({ isGood, text }) => `${isGood ? 'ok  ' : 'LOOK'} ${text}`).join('\n'));
    return findings.every(({ isGood }) => isGood) ? 0 : 1;
  }
  say(USAGE);
  return words.length === 0 ? 0 : 2;
};

const isWrongUse = (error: unknown): error is Error =>
  error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');

try {
  process.exitCode = await runCommand();
} catch (error) {
  if (!(error instanceof Refusal || error instanceof BadConfig || isWrongUse(error))) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
