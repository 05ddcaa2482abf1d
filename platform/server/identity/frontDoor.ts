import type { Transaction } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import { addressKey } from '../address.ts';
import type { Database } from '../database/database.ts';
import { shownOf, type AccountStore } from './accountStore.ts';
import type { BrowserStore } from './browserStore.ts';
import { HOUR_MS, windowCounter } from './counters.ts';
import type { Account, Entered, Entry, FrontDoor } from './identity.ts';
import { foldName, isName, newName } from './names.ts';
import type { Ownership } from './ownership.ts';
import { checkNewPassword } from './passwords.ts';
import type { Proof } from './proof.ts';
import type { Sessions } from './sessions.ts';
import { refuseWaiting } from './throttle.ts';
import { hashOf, isSecret, newSecret } from './tokens.ts';

const SIGNUPS_AN_HOUR = 30;
const LOCAL_FACTOR = 10;
const TRIES = 3;

interface Parts {
  readonly database: Database;
  readonly accounts: AccountStore;
  readonly browsers: BrowserStore;
  readonly sessions: Sessions;
  readonly ownership: Ownership;
  readonly proof: Proof;
  readonly now: () => Temporal.Instant;
  readonly clock: () => number;
  readonly rateLimits: boolean;
}

export const makeFrontDoor = (parts: Parts): FrontDoor => {
  const { database, accounts, browsers, sessions, ownership, proof, now, clock, rateLimits } = parts;
  const signups = windowCounter(SIGNUPS_AN_HOUR, HOUR_MS, clock);
  const localSignups = windowCounter(SIGNUPS_AN_HOUR * LOCAL_FACTOR, HOUR_MS, clock);

  const countSignup = (address: string, isLocal: boolean): void => {
    if (!rateLimits) return;
    const counter = isLocal ? localSignups : signups;
    refuseWaiting(counter, addressKey(address), 'Too many sign-ups from your network');
    counter.count(addressKey(address));
  };

  /** Opens the session and remembers the browser; runs inside the transaction that proved or made the account. */
  const enter = async (tx: Transaction<unknown>, account: Account, { days, origin, knownBrowser }: Entry) => {
    const secret = knownBrowser !== undefined && isSecret(knownBrowser) ? knownBrowser : newSecret();
    await browsers.remember(tx, account.id, hashOf(secret), now().epochMilliseconds);
    const { token, ended } = await sessions.openPerson(tx, { account: account.id, days, origin });
    return { entered: { token, account, knownBrowser: secret }, ended };
  };

  const finish = ({ entered, ended }: Awaited<ReturnType<typeof enter>>): Entered => {
    if (ended.length > 0) sessions.drop(ended);
    return entered;
  };

  const refuseTaken = async (name: string): Promise<void> => {
    if (await accounts.byName(name)) throw new Refusal('That username is taken, choose another');
  };

  const signUp: FrontDoor['signUp'] = async (entry) => {
    const name = newName(entry.username);
    checkNewPassword(entry.password, name);
    if (!entry.isOperator) countSignup(entry.origin.address, entry.isLocal);
    const mayOwn = await ownership.mayOwn(entry);
    if (!entry.isOperator) await ownership.refuseClosed();
    await refuseTaken(name);
    const password = await proof.hashNew(entry.password, 'strangers');
    for (let left = TRIES; left > 0; left -= 1) {
      const made = await database.transaction(async ({ tx }) => {
        const isOwner = !(await accounts.holdOwner(tx));
        if (isOwner && !mayOwn) ownership.refuseUnowned();
        const created = now();
        const id = await accounts.add(tx, { name, password, isOwner, created });
        return id === undefined ? undefined : enter(tx, { id, name, isOwner, created }, entry);
      });
      if (made) {
        if (made.entered.account.isOwner) ownership.taken();
        return finish(made);
      }
      await refuseTaken(name); // else another became the owner at the same moment: once more, as an account like others
    }
    throw new Error('an account could not be added, though its name is free');
  };

  const logIn: FrontDoor['logIn'] = async (entry) => {
    const name = isName(entry.username) ? foldName(entry.username) : '';
    const read = () => accounts.byName(name);
    const id = (await read())?.id;
    const browser = await browsers.find(id ?? 0, hashOf(entry.knownBrowser ?? ''));
    const vouched = browser === undefined ? undefined : `browser ${browser}`;
    const attempt = { name, address: entry.origin.address, vouched };
    const wrong = 'Wrong username or password';
    for (let left = TRIES; left > 0; left -= 1) {
      const account = await proof.prove({ attempt, account: id, password: entry.password, read, wrong });
      const to = await proof.renewed(account, entry.password);
      const made = await database.transaction(async ({ tx }) => {
        // A password changed since it was proven has ended all sessions: none may be opened by the old one behind that.
        const stands = await accounts.replacePassword(tx, account.id, { from: account.password, to });
        return stands ? enter(tx, shownOf(account), entry) : undefined;
      });
      if (made) return finish(made);
    }
    throw new Refusal(wrong);
  };

  return { signUp, logIn };
};
