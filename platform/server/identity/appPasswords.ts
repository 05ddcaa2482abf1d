import { hash, randomInt } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { lengthOf } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { addressKey } from '../address.ts';
import type { Database } from '../database/database.ts';
import { securityEvent } from '../log.ts';
import { appPasswordStore, type StoredAppPassword } from './appPasswordStore.ts';
import { MINUTE_MS, windowCounter } from './counters.ts';
import type { AppPasswordRow, AppPasswords } from './identity.ts';
import { foldName, isName } from './names.ts';
import { refuseWaiting } from './throttle.ts';

const NAME_LIMIT = 60;
const AN_ACCOUNT = 50;
/** Wrong ones from one address in 15 minutes; then no more are looked at closely. One that is right always passes. */
const WRONG = 30;

/** Crockford's base32: no I, L, O and U, so that nothing looks like something else and no word comes up. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 24;
const GROUP = 4;

/** 120 random bits, as six groups of four: `7K3M-…`. */
const newAppPassword = (): string =>
  Array.from({ length: LENGTH }, (_, at) => {
    const letter = LETTERS[randomInt(LETTERS.length)] ?? '0';
    return at > 0 && at % GROUP === 0 ? `-${letter}` : letter;
  }).join('');

/** As it is hashed, however it was typed: groups and case make no difference, and what looks alike is the same. */
const plainOf = (typed: string): string | undefined => {
  if (typeof typed !== 'string' || typed.length > 100) return undefined;
  const plain = typed.replaceAll(/[\s-]/g, '').toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  return /^[0-9A-HJKMNP-TV-Z]{24}$/.test(plain) ? plain : undefined;
};

const hashOf = (plain: string): string => hash('sha256', plain, 'base64url');

const UNSHOWN = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/gu;
const nameOf = (typed: string): string => {
  const name = typed.replaceAll(UNSHOWN, ' ').replaceAll(/\s+/gu, ' ').trim();
  if (name.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '').trim() === '')
    throw new Refusal('Enter a name for the app password, such as the phone that it is for');
  if (lengthOf(name) > NAME_LIMIT) throw new Refusal(`Name is too long, limit is ${NAME_LIMIT} characters`);
  return name;
};

interface Use {
  readonly at: number;
  readonly address: string;
}

const toRow = ({ id, name, created, lastUsed, address }: StoredAppPassword, use: Use | undefined): AppPasswordRow => {
  const at = use?.at ?? lastUsed;
  return {
    id,
    name,
    created: Temporal.Instant.fromEpochMilliseconds(created),
    lastUsed: at === undefined ? undefined : Temporal.Instant.fromEpochMilliseconds(at),
    address: use?.address ?? address,
  };
};

interface Parts {
  readonly database: Database;
  readonly now: () => Temporal.Instant;
  /** Milliseconds that only go forward. */
  readonly clock: () => number;
  readonly log: FastifyBaseLogger;
  readonly rateLimits: boolean;
}

/** Passwords for programs that speak a protocol of their own. Every check asks the database, so an ended one is ended at once. */
export const makeAppPasswords = ({ database, now, clock, log, rateLimits }: Parts) => {
  const store = appPasswordStore(database.db);
  const uses = new Map<number, Use>();
  const wrong = windowCounter(WRONG, 15 * MINUTE_MS, clock);

  const save = async (): Promise<void> => {
    const due = [...uses];
    uses.clear();
    if (due.length === 0) return;
    try {
      await database.transaction(async ({ tx }) => {
        for (const [id, { at, address }] of due) await store.saveUse(tx, id, { at, address });
      });
    } catch (error) {
      for (const [id, use] of due) if (!uses.has(id)) uses.set(id, use);
      throw error;
    }
  };
  const timer = setInterval(() => {
    save().catch((error: unknown) => log.error({ err: error }, 'app passwords unsaved'));
  }, MINUTE_MS);
  timer.unref();

  const passwords: AppPasswords = {
    list: async (account) => (await store.ofAccount(account)).map((one) => toRow(one, uses.get(one.id))),

    make: async (account, typed, { address }) => {
      const name = nameOf(typed);
      const password = newAppPassword();
      const made = await database.transaction(async ({ tx }) => {
        if ((await store.hold(tx, account)) >= AN_ACCOUNT)
          throw new Refusal(`There are ${AN_ACCOUNT} app passwords already, revoke one that is not used any more`);
        return store.add(tx, { account, name, hash: hashOf(plainOf(password) ?? '') }, now().epochMilliseconds);
      });
      securityEvent(log, 'apppassword.made', { account, address });
      return { ...toRow(made, undefined), password };
    },

    revoke: async (account, id, { address }) => {
      if (!(await database.transaction(({ tx }) => store.remove(tx, account, id))))
        throw new Refusal('There is no such app password');
      uses.delete(id);
      securityEvent(log, 'apppassword.revoked', { account, address });
    },

    check: async (username, typed, { address }) => {
      const folded = isName(username) ? foldName(username) : undefined;
      const plain = plainOf(typed);
      const found = plain === undefined || folded === undefined ? undefined : await store.find(hashOf(plain));
      if (found !== undefined && found.folded === folded) {
        uses.set(found.id, { at: now().epochMilliseconds, address });
        return { id: found.id, account: found.account, username: found.username };
      }
      const key = addressKey(address);
      if (rateLimits) refuseWaiting(wrong, key, 'Too many wrong app passwords from your network');
      wrong.count(key);
      const account = folded === undefined ? undefined : await store.accountOf(folded);
      securityEvent(log, 'apppassword.failed', { account, address });
      return undefined;
    },
  };
  return {
    passwords,
    /** Ends all of an account, with its password. */
    removeAll: store.removeAll,
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await save();
    },
  };
};
