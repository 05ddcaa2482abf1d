import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import type { IdentityTables } from '#platform/server/identity/identityTables.ts';
import type { ServerContext, ServerSite } from '#platform/server/tool.ts';

/** An account as the server's operator sees it. */
export interface AccountSummary {
  readonly id: number;
  readonly name: string;
  readonly isOwner: boolean;
  readonly created: Temporal.Instant;
  /** Open sessions, devices' among them. */
  readonly sessions: number;
}

/** All accounts, oldest first. */
export async function listAccountSummaries(ground: Kysely<unknown>): Promise<readonly AccountSummary[]> {
  const rows = await ground
    .$extendTables<IdentityTables>()
    .selectFrom('account')
    .leftJoin('session', 'session.account', 'account.id')
    .select(({ fn }) => [
      'account.id',
      'account.name',
      'account.is_owner',
      'account.created',
      fn.count('session.id').as('sessions'),
    ])
    .groupBy(['account.id', 'account.name', 'account.is_owner', 'account.created'])
    .orderBy('account.id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    isOwner: row.is_owner === 1,
    created: Temporal.Instant.fromEpochMilliseconds(row.created),
    sessions: Number(row.sessions),
  }));
}

/** What the operator asks for, as words of the command line: `user create ann --owner`. */
export interface AdminRequest {
  readonly words: readonly string[];
  readonly owner: boolean;
  readonly yes: boolean;
  readonly mend: boolean;
}

type AdminDeps = Pick<ServerContext, 'identity' | 'database'> & Pick<ServerSite, 'deleteAccountData' | 'checkData'>;
type AdminCommand = (parts: AdminDeps, name: string, wish: AdminRequest) => Promise<string>;

const newPassword = (): string => randomBytes(15).toString('base64url');

const requireAccount = async ({ identity }: AdminDeps, name: string) => {
  const account = await identity.findAccountByName(name);
  if (!account) throw new Refusal(`There is no account named '${name}'`);
  return account;
};

const create: AdminCommand = async ({ identity }, username, { owner }) => {
  const hasOwner = await identity.hasOwner();
  if (owner && hasOwner) throw new Refusal('This server has an owner already');
  if (!owner && !hasOwner) throw new Refusal('The first account owns the server: add --owner');
  const password = newPassword();
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
  return `Made the account '${account.name}'${owner ? ', the owner' : ''}. Its password: ${password}`;
};

const resetPassword: AdminCommand = async (parts, name) => {
  const account = await requireAccount(parts, name);
  const password = newPassword();
  const ended = await parts.identity.changePassword(account.id, password, undefined);
  return `The new password of '${account.name}': ${password}\n${ended} sessions ended. Devices stay paired.`;
};

const remove: AdminCommand = async (parts, name, { yes }) => {
  const account = await requireAccount(parts, name);
  if (!yes) throw new Refusal(`This deletes '${account.name}' with all its data for good. Add --yes to do it.`);
  await parts.identity.assertDeletable(account.id);
  await parts.deleteAccountData(account.id); // while the rows still say which files are the account's
  await parts.identity.deleteAccount(account.id);
  return `Deleted '${account.name}'.`;
};

const list: AdminCommand = async ({ database }) => {
  const lines = await listAccountSummaries(database.db);
  if (lines.length === 0) return 'There are no accounts.';
  const rows = lines.map(({ name, isOwner, created, sessions }) =>
    [name, isOwner ? 'owner' : '', created.toString().slice(0, 10), `${sessions} sessions`].join('\t'),
  );
  return rows.join('\n');
};

const endAll: AdminCommand = async ({ identity, database }) => {
  let ended = 0;
  for (const { id } of await listAccountSummaries(database.db)) ended += await identity.endSessions(id, { allBut: 0 });
  return `${ended} sessions ended. Devices stay paired.`;
};

/** @throws Refusal with everything that is wrong, where not all of it is mended. */
const checkData: AdminCommand = async ({ checkData: check }, _name, { mend }) => {
  const found = await check(mend);
  if (found.length === 0) return 'ok   what is counted agrees with what it was counted from';
  const lines = found.map(({ repair, message }) => `${repair === 'done' ? 'ok  ' : 'LOOK'} ${message}`).join('\n');
  const of = Object.groupBy(found, ({ repair }) => repair);
  if (of.possible) throw new Refusal(`${lines}\nAdd --mend to count it anew.`);
  if (of['by hand']) throw new Refusal(lines);
  return lines;
};

const adminCommands: Readonly<Record<string, AdminCommand>> = {
  'user list': list,
  'user create': create,
  'user reset-password': resetPassword,
  'user delete': remove,
  'session end-all': endAll,
  'doctor data': checkData,
};
const COMMANDS_WITHOUT_NAME = ['user list', 'session end-all', 'doctor data'];

export function isAdminCommand(words: readonly string[]): boolean {
  return Object.hasOwn(adminCommands, words.slice(0, 2).join(' '));
}

/** Does what the operator wishes and gives what to print. @throws Refusal with a sentence. */
export async function runAdminCommand(parts: AdminDeps, wish: AdminRequest): Promise<string> {
  const what = wish.words.slice(0, 2).join(' ');
  const [, , name = ''] = wish.words;
  const deed = Object.hasOwn(adminCommands, what) ? adminCommands[what] : undefined;
  if (!deed) throw new Refusal(`There is no command '${what}'`);
  if (name === '' && !COMMANDS_WITHOUT_NAME.includes(what))
    throw new Refusal(`Name the account: pegboard ${what} <name>`);
  return deed(parts, name, wish);
}
