import type { FastifyBaseLogger } from 'fastify';
import type { Transaction } from 'kysely';
import { countCodePoints } from '#platform/contract/fields.ts';
import { InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';
import type { Database } from '../database/database.ts';
import { logSecurityEvent } from '../operations/logger.ts';
import type { Seal } from '../storage/seal.ts';
import type { AccountStore, BrowserStore } from './accountStore.ts';
import { cleanName } from './appPasswords.ts';
import type { NewRecoveryCodes, PageClient, PasskeyInfo, SecondFactors } from './identity.ts';
import { generateRecoveryCodes, normalizeRecoveryCode } from './recoveryCodes.ts';
import type { SecondFactorStore, StoredPasskey } from './secondFactorStore.ts';
import { refuseTicket, type OpenedTicket, type Tickets } from './tickets.ts';
import { generateSecret, hashSecret } from './tokens.ts';
import { findTotpStep, formatTotpUri, generateTotpSecret } from './totp.ts';
import { createRegistrationOptions, parseRelyingParty, verifyRegistration, type RelyingParty } from './webAuthn.ts';

const MAX_PASSKEYS_PER_ACCOUNT = 20;
const MAX_NAME_LENGTH = 60;

/** @throws Refusal if passkeys can't work at this address. */
export function requireRelyingParty(origin: string): RelyingParty {
  const relyingParty = parseRelyingParty(origin);
  if (relyingParty === undefined)
    throw new Refusal(
      'passkey.address_unsuitable',
      "Passkeys don't work at an IP address. Open this server by its name, over https",
    );
  return relyingParty;
}

function parsePasskeyName(typed: string): string {
  const name = cleanName(typed);
  if (name === '') throw new Refusal('passkey.name_empty', 'Enter a name for the passkey, such as the device it is on');
  if (countCodePoints(name) > MAX_NAME_LENGTH)
    throw new Refusal('passkey.name_too_long', `This name is too long. Enter at most ${MAX_NAME_LENGTH} characters`);
  return name;
}

function refuseUnknownPasskey(): never {
  throw new Refusal('passkey.not_found', 'There is no such passkey. It may have been removed already');
}

const toInstant = (ms: number): Temporal.Instant => Temporal.Instant.fromEpochMilliseconds(ms);

const toPasskeyInfo = ({
  id,
  name,
  host,
  created,
  lastUsed,
}: Pick<StoredPasskey, 'id' | 'name' | 'host' | 'created' | 'lastUsed'>): PasskeyInfo => ({
  id,
  name,
  host,
  created: toInstant(created),
  lastUsed: lastUsed === undefined ? undefined : toInstant(lastUsed),
});

const getTotpContext = (account: number): string => `totp ${account}`;
const getPasskeyContext = (account: number): string => `passkey ${account}`;

interface SecondFactorsDeps {
  readonly database: Database;
  readonly store: SecondFactorStore;
  readonly accounts: AccountStore;
  readonly browsers: BrowserStore;
  readonly tickets: Tickets;
  /** Seals the secrets of authenticator apps. */
  readonly seal: Seal;
  readonly now: () => Temporal.Instant;
  readonly log: FastifyBaseLogger;
}

/** Creates the service that adds, removes and uses second factors. */
export function createSecondFactors(deps: SecondFactorsDeps) {
  const { database, store, accounts, browsers, tickets, seal, now, log } = deps;
  const getTime = (): number => now().epochMilliseconds;

  async function getUsername(account: number): Promise<string> {
    const stored = await accounts.findById(account);
    if (stored === undefined) throw new InvalidTokenRefusal();
    return stored.name;
  }

  /** @throws Refusal if the ticket was used before. */
  async function useTicket(
    tx: Transaction<unknown>,
    account: number,
    { id, expires }: OpenedTicket<object>,
  ): Promise<void> {
    if (!(await store.useTicket(tx, account, { hash: hashSecret(id), expires, now: getTime() }))) refuseTicket();
  }

  async function storeNewRecoveryCodes(tx: Transaction<unknown>, account: number): Promise<readonly string[]> {
    const codes = generateRecoveryCodes();
    const hashes = codes.map((code) => hashSecret(normalizeRecoveryCode(code) ?? ''));
    await store.replaceRecoveryCodes(tx, account, hashes);
    return codes;
  }

  /** Adds a factor with `insert`. The first one comes with recovery codes. */
  async function addFactor<T>(
    account: number,
    ticket: OpenedTicket<object>,
    insert: (tx: Transaction<unknown>) => Promise<T>,
  ): Promise<NewRecoveryCodes & { readonly inserted: T }> {
    return database.transaction(async ({ tx }) => {
      await store.lock(tx, account);
      await useTicket(tx, account, ticket);
      const hadFactor = await store.hasFactor(tx, account);
      const inserted = await insert(tx);
      return { inserted, recoveryCodes: hadFactor ? undefined : await storeNewRecoveryCodes(tx, account) };
    });
  }

  /** Removes a factor with `remove`. The last one takes recovery codes and remembered browsers with it. */
  async function removeFactor<T>(account: number, remove: (tx: Transaction<unknown>) => Promise<T>): Promise<T> {
    return database.transaction(async ({ tx }) => {
      await store.lock(tx, account);
      const removed = await remove(tx);
      if (!(await store.hasFactor(tx, account))) {
        await store.removeRecoveryCodes(tx, account);
        await browsers.forgetRemembered(tx, account);
      }
      return removed;
    });
  }

  function logChange(event: 'secondfactor.added' | 'secondfactor.removed' | 'recoverycode.made') {
    return (account: number, { address }: PageClient): void => logSecurityEvent(log, event, { account, address });
  }
  const logAdded = logChange('secondfactor.added');
  const logRemoved = logChange('secondfactor.removed');

  const service: SecondFactors = {
    get: async (account) => {
      const totp = await store.findTotp(database.db, account);
      return {
        totpSince: totp === undefined ? undefined : toInstant(totp.created),
        passkeys: (await store.listPasskeys(database.db, account)).map(toPasskeyInfo),
        recoveryCodeCount: await store.countRecoveryCodes(database.db, account),
      };
    },

    startTotp: async (account, { origin }) => {
      if ((await store.findTotp(database.db, account)) !== undefined) refuseSecondTotp();
      const secret = generateTotpSecret();
      const { ticket } = tickets.create(getTotpContext(account), { secret });
      const host = URL.canParse(origin) ? new URL(origin).hostname : '';
      return { ticket, secret, uri: formatTotpUri({ secret, username: await getUsername(account), host }) };
    },

    addTotp: async (account, { ticket, oneTimeCode }, client) => {
      const opened = tickets.open<{ readonly secret: string }>(getTotpContext(account), ticket) ?? refuseTicket();
      const step = findTotpStep(opened.secret, oneTimeCode.replaceAll(/\s/g, ''), getTime());
      if (step === undefined)
        throw new Refusal(
          'second_factor.wrong_code',
          "Wrong code. Enter the code that the app shows now, and check that your phone's clock is right",
        );
      const sealed = seal.seal(opened.secret, getTotpContext(account));
      const { recoveryCodes } = await addFactor(account, opened, async (tx) => {
        const row = { account, sealed, lastStep: step, created: getTime() };
        if (!(await store.insertTotp(tx, row))) refuseSecondTotp();
      });
      logAdded(account, client);
      return { recoveryCodes };
    },

    removeTotp: async (account, client) => {
      const isRemoved = await removeFactor(account, (tx) => store.removeTotp(tx, account));
      if (!isRemoved)
        throw new Refusal('second_factor.no_totp', 'There is no authenticator app. It may have been removed already');
      logRemoved(account, client);
    },

    startPasskey: async (account, { origin }) => {
      const relyingParty = requireRelyingParty(origin);
      const passkeys = await store.listPasskeys(database.db, account);
      refuseTooManyPasskeys(passkeys.length);
      const userHandle = passkeys[0]?.userHandle ?? generateSecret();
      const { ticket, id } = tickets.create(getPasskeyContext(account), { userHandle });
      const options = createRegistrationOptions({
        relyingParty,
        challenge: id,
        userHandle,
        username: await getUsername(account),
        existing: passkeys.filter(({ host }) => host === relyingParty.id),
      });
      return { ticket, options };
    },

    addPasskey: async (account, { ticket, name: typed, passkey }, client) => {
      const relyingParty = requireRelyingParty(client.origin);
      const context = getPasskeyContext(account);
      const opened = tickets.open<{ readonly userHandle: string }>(context, ticket) ?? refuseTicket();
      const name = parsePasskeyName(typed);
      const credential = await verifyRegistration(passkey, { relyingParty, challenge: opened.id });
      if (credential === undefined)
        throw new Refusal('passkey.invalid', 'The server could not verify this passkey. Try again, or use another one');
      const row = {
        ...credential,
        account,
        userHandle: opened.userHandle,
        host: relyingParty.id,
        name,
        created: getTime(),
      };
      const { inserted: id, recoveryCodes } = await addFactor(account, opened, async (tx) => {
        refuseTooManyPasskeys((await store.listPasskeys(tx, account)).length);
        const insertedId = await store.insertPasskey(tx, row);
        if (insertedId === undefined) throw new Refusal('passkey.exists', 'This passkey was added already');
        return insertedId;
      });
      logAdded(account, client);
      return { ...toPasskeyInfo({ ...row, id, lastUsed: undefined }), recoveryCodes };
    },

    renamePasskey: async (account, id, typed) => {
      const name = parsePasskeyName(typed);
      if (!(await store.renamePasskey(account, id, name))) refuseUnknownPasskey();
    },

    removePasskey: async (account, id, client) => {
      const removedCount = await removeFactor(account, (tx) => store.removePasskeys(tx, account, id));
      if (removedCount === 0) refuseUnknownPasskey();
      logRemoved(account, client);
    },

    createRecoveryCodes: async (account, client) => {
      const codes = await database.transaction(async ({ tx }) => {
        await store.lock(tx, account);
        return (await store.hasFactor(tx, account)) ? storeNewRecoveryCodes(tx, account) : undefined;
      });
      if (codes === undefined)
        throw new Refusal(
          'second_factor.off',
          'Recovery codes need a second factor. Set up an authenticator app or a passkey first',
        );
      logChange('recoverycode.made')(account, client);
      return codes;
    },

    removeAll: async (account) => {
      const removed = await removeFactor(account, async (tx) => ({
        hadTotp: await store.removeTotp(tx, account),
        passkeyCount: await store.removePasskeys(tx, account),
      }));
      if (removed.hadTotp || removed.passkeyCount > 0) logSecurityEvent(log, 'secondfactor.removed', { account });
      return removed;
    },
  };

  return {
    service,
    useTicket,
    /**
     * Uses a code of the authenticator app or a recovery code, which then no longer works. Returns which one it was, or
     * undefined if it is wrong or was used before.
     */
    useOneTimeCode: async (
      tx: Transaction<unknown>,
      account: number,
      typed: string,
    ): Promise<'totp' | 'recovery' | undefined> => {
      const recoveryCode = normalizeRecoveryCode(typed);
      if (recoveryCode !== undefined)
        return (await store.useRecoveryCode(tx, account, hashSecret(recoveryCode))) ? 'recovery' : undefined;
      const totp = await store.findTotp(tx, account);
      const secret = totp && seal.open(totp.sealed, getTotpContext(account));
      const step = secret === undefined ? undefined : findTotpStep(secret, typed.replaceAll(/\s/g, ''), getTime());
      return step !== undefined && (await store.useTotpStep(tx, account, step)) ? 'totp' : undefined;
    },
  };
}

function refuseSecondTotp(): never {
  throw new Refusal(
    'second_factor.totp_exists',
    'This account already has an authenticator app. Remove it before you set up another one',
  );
}

function refuseTooManyPasskeys(count: number): void {
  if (count >= MAX_PASSKEYS_PER_ACCOUNT)
    throw new Refusal(
      'passkey.limit_reached',
      `You have the maximum of ${MAX_PASSKEYS_PER_ACCOUNT} passkeys. Remove one that you no longer use`,
    );
}

export type SecondFactorService = ReturnType<typeof createSecondFactors>;
