// `npm run pegboard -- <command>`: admin commands in a terminal.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Refusal } from '#platform/contract/refusal.ts';
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

const print = (text: string): void => void process.stdout.write(`${text.trimEnd()}\n`);

/** Runs a command without a running server, by opening the data folder, which takes its lock. */
async function runWithoutServer(config: Config, request: AdminRequest): Promise<AdminResult> {
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
    tools: [...serverTools, operator],
    runsBackgroundWork: false,
  });
  try {
    return await toAdminResult(async () => (await run?.()) ?? '');
  } finally {
    await server.stop();
  }
}

async function executeAdminCommand(config: Config, request: AdminRequest): Promise<number> {
  const { said, refused, code } =
    (await requestFromRunningServer(config.DATA_DIR, request)) ?? (await runWithoutServer(config, request));
  if (refused !== undefined) throw new Refusal(code ?? 'admin.refused', refused);
  print(said ?? '');
  return 0;
}

async function runCommand(): Promise<number> {
  const { positionals: words, values } = parseArgs({
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
  const config = readConfig(process.env);
  const backupOutput = await runBackupCommand(config, { words, yes, at: values.at });
  if (backupOutput !== undefined) {
    print(backupOutput);
    if (!values['end-sessions']) return 0;
    return executeAdminCommand(config, { words: ['session', 'end-all'], owner, yes, mend });
  }
  const databaseResult = await runDatabaseCommand(config, { words, to: values.to, print });
  if (databaseResult !== undefined) return databaseResult;
  if (isAdminCommand(words)) {
    // The running server has another working directory.
    const resolvedWords = words.map((word, index) => (index === 3 ? resolve(word) : word));
    return executeAdminCommand(config, { words: resolvedWords, owner, yes, mend });
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

try {
  process.exitCode = await runCommand();
} catch (error) {
  if (!(error instanceof Refusal || error instanceof ConfigError || isUsageError(error))) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
