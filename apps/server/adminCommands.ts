import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Kysely } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import type { IdentityTables } from '#platform/server/identity/identityTables.ts';
import { importAccount, type PartReport } from '#platform/server/storage/accountImport.ts';
import { openExportArchive } from '#platform/server/storage/exportArchive.ts';
import type { ServerContext, ServerSite } from '#platform/server/tool.ts';

/** An account, as the server's operator sees it. */
export interface AccountSummary {
  readonly id: number;
  readonly name: string;
  readonly isOwner: boolean;
  readonly created: Temporal.Instant;
  /** Open sessions, including those of devices. */
  readonly sessions: number;
  readonly isSuspended: boolean;
}

/** Lists all accounts, oldest first. */
export async function listAccountSummaries(db: Kysely<unknown>): Promise<readonly AccountSummary[]> {
  const rows = await db
    .$extendTables<IdentityTables>()
    .selectFrom('account')
    .leftJoin('session', 'session.account', 'account.id')
    .select(({ fn }) => [
      'account.id',
      'account.name',
      'account.is_owner',
      'account.created',
      'account.suspended',
      fn.count('session.id').as('sessions'),
    ])
    .groupBy(['account.id', 'account.name', 'account.is_owner', 'account.created', 'account.suspended'])
    .orderBy('account.id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    isOwner: row.is_owner === 1,
    created: Temporal.Instant.fromEpochMilliseconds(row.created),
    sessions: Number(row.sessions),
    isSuspended: row.suspended !== null,
  }));
}

/** An admin command with its options, such as `user create ann --owner`. */
export interface AdminRequest {
  readonly words: readonly string[];
  readonly owner: boolean;
  readonly yes: boolean;
  readonly mend: boolean;
}

type AdminDeps = Pick<ServerContext, 'identity' | 'database' | 'backups' | 'log'> &
  Pick<ServerSite, 'deleteAccountData' | 'checkData' | 'listImports'>;
type AdminCommand = (deps: AdminDeps, name: string, request: AdminRequest) => Promise<string>;

const generatePassword = (): string => randomBytes(15).toString('base64url');

async function requireAccount({ identity }: AdminDeps, name: string) {
  const account = await identity.findAccountByName(name);
  if (!account) throw new Refusal('account.not_found', `There is no account called '${name}'`);
  return account;
}

const createAccount: AdminCommand = async ({ identity }, username, { owner }) => {
  const hasOwner = await identity.hasOwner();
  if (owner && hasOwner) throw new Refusal('admin.owner_exists', 'This server already has an owner. Leave out --owner');
  if (!owner && !hasOwner) throw new Refusal('admin.owner_missing', 'The first account must be the owner. Add --owner');
  const password = generatePassword();
  const { account } = await identity.signUp({
    username,
    password,
    sessionDays: 1,
    client: { address: 'this computer', browser: 'pegboard' },
    knownBrowser: undefined,
    setupCode: undefined,
    isLocal: true,
    isOperator: true,
  });
  await identity.endSessions(account.id, { allBut: 0 });
  return `Created the account '${account.name}'${owner ? ' (owner)' : ''}. Password: ${password}`;
};

type RemovedFactors = Awaited<ReturnType<ServerContext['identity']['secondFactors']['removeAll']>>;

function describeRemovedFactors({ hadTotp, passkeyCount }: RemovedFactors): string {
  const removed = [
    ...(hadTotp ? ['the authenticator app'] : []),
    ...(passkeyCount > 0 ? [passkeyCount === 1 ? 'one passkey' : `${passkeyCount} passkeys`] : []),
  ];
  return removed.length === 0
    ? 'there was none'
    : `removed ${removed.join(' and ')}. The new password alone logs in until another one is set up`;
}

const resetPassword: AdminCommand = async (deps, name) => {
  const account = await requireAccount(deps, name);
  const password = generatePassword();
  const endedCount = await deps.identity.changePassword(account.id, password, undefined);
  const removed = await deps.identity.secondFactors.removeAll(account.id);
  await deps.identity.allowPasswordLogin(account.id);
  const { singleSignOn } = deps.identity;
  return [
    `New password of '${account.name}': ${password}`,
    `Sessions ended: ${endedCount}. Devices stay paired`,
    `Second factor: ${describeRemovedFactors(removed)}`,
    ...(singleSignOn === undefined
      ? []
      : ['Single sign-on: unlinked. The login page links it again, for this password']),
    ...(singleSignOn?.allowsPasswords === false ? ['PASSWORD_LOGIN is off, so this password logs in for one day'] : []),
  ].join('\n');
};

const deleteAccount: AdminCommand = async (deps, name, { yes }) => {
  const account = await requireAccount(deps, name);
  if (!yes)
    throw new Refusal(
      'admin.confirmation_missing',
      `This permanently deletes '${account.name}' and all its data. Add --yes to confirm`,
    );
  await deps.identity.assertDeletable(account.id);
  await deps.deleteAccountData(account.id); // while rows still list the account's files
  await deps.identity.deleteAccount(account.id);
  return `Deleted '${account.name}'`;
};

function describePart({ tool, status, counts, problems }: PartReport): string {
  const imported = Object.entries(counts).map(([name, count]) => `${name}: ${count}`);
  return [tool, status, imported.join(', '), ...problems].filter((text) => text !== '').join('\t');
}

const importData: AdminCommand = async ({ listImports, log, ...deps }, name, { words }) => {
  const account = await requireAccount({ listImports, log, ...deps }, name);
  const [, , , path] = words;
  if (path === undefined || !existsSync(path))
    throw new Refusal('admin.file_not_found', 'Enter the path of the zip: pegboard user import <name> <zip>');
  await using archive = await openExportArchive(path);
  const parts = await importAccount({ imports: listImports(), log }, { account: account.id, archive });
  return parts.map(describePart).join('\n');
};

const listAccounts: AdminCommand = async ({ database }) => {
  const accounts = await listAccountSummaries(database.db);
  if (accounts.length === 0) return 'There are no accounts';
  const lines = accounts.map(({ name, isOwner, created, sessions, isSuspended }) =>
    [
      name,
      isOwner ? 'owner' : isSuspended ? 'suspended' : '',
      created.toString().slice(0, 10),
      `${sessions} sessions`,
    ].join('\t'),
  );
  return lines.join('\n');
};

const endAllSessions: AdminCommand = async ({ identity, database }) => {
  let endedCount = 0;
  for (const { id } of await listAccountSummaries(database.db))
    endedCount += await identity.endSessions(id, { allBut: 0 });
  return `Sessions ended: ${endedCount}. Devices stay paired`;
};

/** @throws Refusal with all problems, unless each of them was repaired. */
const checkData: AdminCommand = async ({ checkData: check }, _name, { mend }) => {
  const problems = await check(mend);
  if (problems.length === 0) return 'ok   stored totals and files are correct';
  const lines = problems.map(({ repair, message }) => `${repair === 'done' ? 'ok  ' : 'LOOK'} ${message}`).join('\n');
  const problemsByRepair = Object.groupBy(problems, ({ repair }) => repair);
  if (problemsByRepair.possible)
    throw new Refusal('admin.data_repairable', `${lines}\nAdd --mend to repair the totals`);
  if (problemsByRepair['by hand']) throw new Refusal('admin.data_damaged', lines);
  return lines;
};

const createBackup: AdminCommand = async ({ backups }) => {
  const { id, path } = await backups.backUp('request');
  return `Created the backup ${id} (${path})`;
};

const ADMIN_COMMANDS: Readonly<Record<string, AdminCommand>> = {
  'user list': listAccounts,
  'user create': createAccount,
  'user reset-password': resetPassword,
  'user delete': deleteAccount,
  'user import': importData,
  'session end-all': endAllSessions,
  'doctor data': checkData,
  backup: createBackup,
};
const COMMANDS_WITHOUT_NAME = ['user list', 'session end-all', 'doctor data', 'backup'];

export function isAdminCommand(words: readonly string[]): boolean {
  return Object.hasOwn(ADMIN_COMMANDS, words.slice(0, 2).join(' '));
}

/** Runs an admin command, and returns the text to print. @throws Refusal with a message. */
export async function runAdminCommand(deps: AdminDeps, request: AdminRequest): Promise<string> {
  const commandName = request.words.slice(0, 2).join(' ');
  const [, , name = ''] = request.words;
  const command = Object.hasOwn(ADMIN_COMMANDS, commandName) ? ADMIN_COMMANDS[commandName] : undefined;
  if (!command) throw new Refusal('admin.unknown_command', `There is no command '${commandName}'`);
  if (name === '' && !COMMANDS_WITHOUT_NAME.includes(commandName))
    throw new Refusal('admin.name_missing', `Enter the name of the account: pegboard ${commandName} <name>`);
  return command(deps, name, request);
}
