import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Refusal } from '#platform/contract/refusal.ts';
import { isDiskFullError } from '#platform/server/storage/diskFullError.ts';
import type { ServerTool } from '#platform/server/tool.ts';
import { isAdminCommand, runAdminCommand, type AdminRequest } from './adminCommands.ts';
import { assembleServer } from './assemble.ts';
import { runBackupCommand } from './backupCommands.ts';
import { ConfigError, type Config, toServerOptions, readConfig, maskConfig } from './config.ts';
import { requestFromRunningServer, toAdminResult, type AdminResult } from './controlSocket.ts';
import { runDatabaseCommand } from './databaseCommands.ts';
import { runChecks } from './doctor.ts';
import { serverTools } from './tools.ts';

const USAGE = `Usage: npm run pegboard -- <command>

  user list                      list all accounts
  user create <name> [--owner]   create an account with a random password; the first one is the owner
  user reset-password <name>     set a new random password, remove the second factor and end all sessions
  user delete <name> --yes       delete an account and all its data
  user import <name> <zip>       import the zip of 'Export all data' into an account
  session end-all                end the sessions of all accounts; devices stay paired
  backup                         make a backup now
  backup list [<copies>]         list the backups, or the copies in a folder or s3://bucket/prefix, newest first
  backup check <backup>          read a whole backup and compare it with its checksums
  restore <backup> [--yes]       restore a backup while the server is stopped: an id of the list, 'newest', a folder,
                                 or the address of copies, with or without an id at its end
    --at <time>                  restore the newest backup before a time, such as 2026-11-30T12:00
    --end-sessions               also log out everybody
  move --to <database>           copy the database to an empty one while the server is stopped: postgres://… or sqlite:<folder>
  upgrade-check                  say what the start of this version would change in the database
  config                         show the settings as the server reads them
  doctor                         check the set-up of this computer
  doctor data [--mend]           check the stored totals and files, and repair the totals
`;

/** Where a command reads its settings, and where its texts go. */
export interface CommandSurroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly print: (text: string) => void;
  /** Prints why a command failed. */
  readonly printError: (text: string) => void;
}

/** Runs a command without a running server, by opening the data folder, which takes its lock. */
async function runWithoutServer(
  config: Config,
  request: AdminRequest,
  printError: CommandSurroundings['printError'],
): Promise<AdminResult> {
  let run: (() => Promise<string>) | undefined;
  const operator: ServerTool = {
    name: 'control',
    migrations: [],
    start: ({ identity, database, backups, log }, { deleteAccountData, checkData, listImports }) => {
      const deps = { identity, database, backups, log, deleteAccountData, checkData, listImports };
      run = () => runAdminCommand(deps, request);
      return { calls: [] };
    },
  };
  const server = await assembleServer({
    ...toServerOptions(config),
    logLevel: 'warn',
    logTo: { write: printError },
    tools: [...serverTools, operator],
    runsBackgroundWork: false,
  });
  try {
    return await toAdminResult(async () => (await run?.()) ?? '');
  } finally {
    await server.stop();
  }
}

async function executeAdminCommand(
  config: Config,
  request: AdminRequest,
  { print, printError }: CommandSurroundings,
): Promise<number> {
  const { said, refused, code } =
    (await requestFromRunningServer(config.DATA_DIR, request)) ?? (await runWithoutServer(config, request, printError));
  if (refused !== undefined) throw new Refusal(code ?? 'admin.refused', refused);
  print(said ?? '');
  return 0;
}

async function execute(args: readonly string[], surroundings: CommandSurroundings): Promise<number> {
  const { environment, print } = surroundings;
  const { positionals: words, values } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      owner: { type: 'boolean', default: false },
      yes: { type: 'boolean', default: false },
      mend: { type: 'boolean', default: false },
      at: { type: 'string' },
      to: { type: 'string' },
      'end-sessions': { type: 'boolean', default: false },
    },
  });
  const { owner, yes, mend } = values;
  const config = readConfig(environment);
  const backupOutput = await runBackupCommand(config, { words, yes, at: values.at });
  if (backupOutput !== undefined) {
    print(backupOutput);
    if (!values['end-sessions']) return 0;
    return executeAdminCommand(config, { words: ['session', 'end-all'], owner, yes, mend }, surroundings);
  }
  const databaseResult = await runDatabaseCommand(config, { words, to: values.to, print });
  if (databaseResult !== undefined) return databaseResult;
  if (isAdminCommand(words)) {
    // The running server has another working directory.
    const resolvedWords = words.map((word, index) => (index === 3 ? resolve(word) : word));
    return executeAdminCommand(config, { words: resolvedWords, owner, yes, mend }, surroundings);
  }
  if (words[0] === 'config') {
    print(
      maskConfig(config)
        .map(([name, value]) => `${name}=${value}`)
        .join('\n'),
    );
    return 0;
  }
  if (words[0] === 'doctor') {
    const findings = await runChecks(config);
    print(findings.map(({ isOk, text }) => `${isOk ? 'ok  ' : 'LOOK'} ${text}`).join('\n'));
    return findings.every(({ isOk }) => isOk) ? 0 : 1;
  }
  print(USAGE);
  return words.length === 0 ? 0 : 2;
}

const isUsageError = (error: unknown): error is Error =>
  error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');

/** Describes an error in a sentence; undefined if it is a fault of the program. */
function describeError(error: unknown): string | undefined {
  if (error instanceof Refusal || error instanceof ConfigError || isUsageError(error)) return error.message;
  if (isDiskFullError(error)) return 'The disk is full. Free some space, and run the command again';
  // A file or a connection that cannot be used.
  return error instanceof Error && 'syscall' in error ? `The command failed: ${error.message}` : undefined;
}

/** Runs a command of the operator, and returns its exit code. */
export async function runCommand(args: readonly string[], surroundings: CommandSurroundings): Promise<number> {
  try {
    return await execute(args, surroundings);
  } catch (error) {
    const description = describeError(error);
    if (description === undefined) throw error;
    surroundings.printError(description);
    return 1;
  }
}
