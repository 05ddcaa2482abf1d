import { randomBytes } from 'node:crypto';
import { Refusal } from '#platform/contract/refusal.ts';
import { roster } from '#platform/server/roster.ts';
import type { Ground, Site } from '#platform/server/tool.ts';

/** What the operator asks for, as words of the command line: `user create ann --owner`. */
export interface Wish {
  readonly words: readonly string[];
  readonly owner: boolean;
  readonly yes: boolean;
  readonly mend: boolean;
}

type Parts = Pick<Ground, 'identity' | 'database'> & Pick<Site, 'forget' | 'checkData'>;
type Deed = (parts: Parts, name: string, wish: Wish) => Promise<string>;

const newPassword = (): string => randomBytes(15).toString('base64url');

const named = async ({ identity }: Parts, name: string) => {
  const account = await identity.accountNamed(name);
  if (!account) throw new Refusal(`There is no account named '${name}'`);
  return account;
};

const create: Deed = async ({ identity }, username, { owner }) => {
  const hasOwner = await identity.hasOwner();
  if (owner && hasOwner) throw new Refusal('This server has an owner already');
  if (!owner && !hasOwner) throw new Refusal('The first account owns the server: add --owner');
  const password = newPassword();
  const { account } = await identity.signUp({
    username,
    password,
    days: 1,
    origin: { address: 'this computer', browser: 'pegboard' },
    knownBrowser: undefined,
    setupCode: undefined,
    isLocal: true,
    isOperator: true,
  });
  await identity.endSessions(account.id, { allBut: 0 });
  return `Made the account '${account.name}'${owner ? ', the owner' : ''}. Its password: ${password}`;
};

const resetPassword: Deed = async (parts, name) => {
  const account = await named(parts, name);
  const password = newPassword();
  const ended = await parts.identity.changePassword(account.id, password, undefined);
  return `The new password of '${account.name}': ${password}\n${ended} sessions ended. Devices stay paired.`;
};

const remove: Deed = async (parts, name, { yes }) => {
  const account = await named(parts, name);
  if (!yes) throw new Refusal(`This deletes '${account.name}' with all its data for good. Add --yes to do it.`);
  await parts.identity.checkDeletable(account.id);
  await parts.forget(account.id); // while the rows still say which files are the account's
  await parts.identity.deleteAccount(account.id);
  return `Deleted '${account.name}'.`;
};

const list: Deed = async ({ database }) => {
  const lines = await roster(database.db);
  if (lines.length === 0) return 'There are no accounts.';
  const rows = lines.map(({ name, isOwner, created, sessions }) =>
    [name, isOwner ? 'owner' : '', created.toString().slice(0, 10), `${sessions} sessions`].join('\t'),
  );
  return rows.join('\n');
};

const endAll: Deed = async ({ identity, database }) => {
  let ended = 0;
  for (const { id } of await roster(database.db)) ended += await identity.endSessions(id, { allBut: 0 });
  return `${ended} sessions ended. Devices stay paired.`;
};

/** @throws Refusal with everything that is wrong, where not all of it is mended. */
const checkData: Deed = async ({ checkData: check }, _name, { mend }) => {
  const found = await check(mend);
  if (found.length === 0) return 'ok   what is counted agrees with what it was counted from';
  const lines = found.map(({ mending, sentence }) => `${mending === 'done' ? 'ok  ' : 'LOOK'} ${sentence}`).join('\n');
  const of = Object.groupBy(found, ({ mending }) => mending);
  if (of.possible) throw new Refusal(`${lines}\nAdd --mend to count it anew.`);
  if (of['by hand']) throw new Refusal(lines);
  return lines;
};

const deeds: Readonly<Record<string, Deed>> = {
  'user list': list,
  'user create': create,
  'user reset-password': resetPassword,
  'user delete': remove,
  'session end-all': endAll,
  'doctor data': checkData,
};
const NAMELESS = ['user list', 'session end-all', 'doctor data'];

export const isDeed = (words: readonly string[]): boolean => Object.hasOwn(deeds, words.slice(0, 2).join(' '));

/** Does what the operator wishes and gives what to print. @throws Refusal with a sentence. */
export const perform = async (parts: Parts, wish: Wish): Promise<string> => {
  const what = wish.words.slice(0, 2).join(' ');
  const [, , name = ''] = wish.words;
  const deed = Object.hasOwn(deeds, what) ? deeds[what] : undefined;
  if (!deed) throw new Refusal(`There is no command '${what}'`);
  if (name === '' && !NAMELESS.includes(what)) throw new Refusal(`Name the account: pegboard ${what} <name>`);
  return deed(parts, name, wish);
};
