import type { Transaction } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Database } from '../database/database.ts';
import { getAddressKey } from '../http/address.ts';
import { toPublicAccount, type AccountStore, type BrowserStore } from './accountStore.ts';
import type { Account, LoginResult, LoginRequest, LoginService } from './identity.ts';
import { HOUR_MS, createWindowCounter, assertNotThrottled } from './loginThrottle.ts';
import type { Ownership } from './ownership.ts';
import { validateNewPassword } from './passwords.ts';
import type { PasswordVerifier } from './passwordVerifier.ts';
import type { Sessions } from './sessions.ts';
import { hashSecret, isSecret, generateSecret } from './tokens.ts';
import { foldAccountName, isAccountName, parseAccountName } from './username.ts';

const MAX_SIGNUPS_PER_HOUR = 30;
const LOCAL_FACTOR = 10;
const MAX_ATTEMPTS = 3;

interface LoginServiceDeps {
  readonly database: Database;
  readonly accounts: AccountStore;
  readonly browsers: BrowserStore;
  readonly sessions: Sessions;
  readonly ownership: Ownership;
  readonly proof: PasswordVerifier;
  readonly now: () => Temporal.Instant;
  readonly clock: () => number;
  readonly rateLimits: boolean;
}

export function createLoginService(parts: LoginServiceDeps): LoginService {
  const { database, accounts, browsers, sessions, ownership, proof, now, clock, rateLimits } = parts;
  const signups = createWindowCounter(MAX_SIGNUPS_PER_HOUR, HOUR_MS, clock);
  const localSignups = createWindowCounter(MAX_SIGNUPS_PER_HOUR * LOCAL_FACTOR, HOUR_MS, clock);

  const countSignup = (address: string, isLocal: boolean): void => {
    if (!rateLimits) return;
    const counter = isLocal ? localSignups : signups;
    assertNotThrottled(counter, getAddressKey(address), 'Too many sign-ups from your network');
    counter.add(getAddressKey(address));
  };

  /** Opens the session and remembers the browser; runs inside the transaction that proved or made the account. */
  const enter = async (
    tx: Transaction<unknown>,
    account: Account,
    { sessionDays, client, knownBrowser }: LoginRequest,
  ) => {
    const secret = knownBrowser !== undefined && isSecret(knownBrowser) ? knownBrowser : generateSecret();
    await browsers.remember(tx, account.id, hashSecret(secret), now().epochMilliseconds);
    const { token, ended } = await sessions.openPerson(tx, { account: account.id, days: sessionDays, origin: client });
    return { entered: { token, account, knownBrowser: secret }, ended };
  };

  const finish = ({ entered, ended }: Awaited<ReturnType<typeof enter>>): LoginResult => {
    if (ended.length > 0) sessions.drop(ended);
    return entered;
  };

  const refuseTaken = async (name: string): Promise<void> => {
    if (await accounts.byName(name)) throw new Refusal('That username is taken, choose another');
  };

  const signUp: LoginService['signUp'] = async (entry) => {
    const name = parseAccountName(entry.username);
    validateNewPassword(entry.password, name);
    if (!entry.isOperator) countSignup(entry.client.address, entry.isLocal);
    const mayOwn = await ownership.mayOwn(entry);
    if (!entry.isOperator) await ownership.refuseClosed();
    await refuseTaken(name);
    const password = await proof.hashNew(entry.password, 'strangers');
    for (let left = MAX_ATTEMPTS; left > 0; left -= 1) {
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

  const logIn: LoginService['logIn'] = async (entry) => {
    const name = isAccountName(entry.username) ? foldAccountName(entry.username) : '';
    const read = () => accounts.byName(name);
    const id = (await read())?.id;
    const browser = await browsers.find(id ?? 0, hashSecret(entry.knownBrowser ?? ''));
    const vouched = browser === undefined ? undefined : `browser ${browser}`;
    const attempt = { name, address: entry.client.address, trustedBy: vouched };
    const wrong = 'Wrong username or password';
    for (let left = MAX_ATTEMPTS; left > 0; left -= 1) {
      const account = await proof.prove({
        attempt,
        account: id,
        password: entry.password,
        readAccount: read,
        refusalMessage: wrong,
      });
      const to = await proof.renewed(account, entry.password);
      const made = await database.transaction(async ({ tx }) => {
        // A password changed since it was proven has ended all sessions: none may be opened by the old one behind that.
        const stands = await accounts.replacePassword(tx, account.id, { from: account.password, to });
        return stands ? enter(tx, toPublicAccount(account), entry) : undefined;
      });
      if (made) return finish(made);
    }
    throw new Refusal(wrong);
  };

  return { signUp, logIn };
}
