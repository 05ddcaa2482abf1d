import { hash, randomInt, timingSafeEqual } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import type { AppPasswordKind } from '#platform/contract/appPasswords.ts';
import { lengthOf } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { addressKey } from '../address.ts';
import type { Database } from '../database/database.ts';
import { securityEvent } from '../log.ts';
import type { Seal } from '../seal.ts';
import { appPasswordStore, type StoredAppPassword } from './appPasswordStore.ts';
import { MINUTE_MS, windowCounter } from './counters.ts';
import type { AppPasswordRow, AppPasswords, AppProof, AppUser } from './identity.ts';
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

/** As names are compared; undefined for what is no name. */
const foldedOf = (username: string): string | undefined => (isName(username) ? foldName(username) : undefined);

const hashOf = (plain: string): string => hash('sha256', plain, 'base64url');

/** How people type one where nothing puts it right before it is digested: as shown, in small letters, without its groups. */
const formsOf = (password: string): readonly string[] => {
  const ungrouped = password.replaceAll('-', '');
  return [password, ungrouped, password.toLowerCase(), ungrouped.toLowerCase()];
};

const isSame = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
};

/** Whether a token was made of this password and that salt. MD5 is what the protocol of music players has; of 120 random bits it gives nothing away. */
const isTokenOf = (token: string, salt: string, password: string): boolean =>
  formsOf(password).some((form) => isSame(hash('md5', form + salt, 'hex'), token));

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

const toRow = (
  { id, name, kind, created, lastUsed, address }: StoredAppPassword,
  use: Use | undefined,
): AppPasswordRow => {
  const at = use?.at ?? lastUsed;
  return {
    id,
    name,
    kind,
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
  readonly seal: Seal;
}

/** Kinds whose programs prove a password without sending it, so that its hash is not enough. */
const SEALED: readonly AppPasswordKind[] = ['music'];
const SALT_LIMIT = 200;

/** Passwords for programs that speak a protocol of their own. Every check asks the database, so an ended one is ended at once. */
export const makeAppPasswords = ({ database, now, clock, log, rateLimits, seal }: Parts) => {
  const store = appPasswordStore(database);
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

  const byPassword = async (kind: AppPasswordKind, typed: string, username?: string): Promise<AppUser | undefined> => {
    const plain = plainOf(typed);
    const found = plain === undefined ? undefined : await store.find(kind, hashOf(plain));
    if (found === undefined || (username !== undefined && found.folded !== foldedOf(username))) return undefined;
    return { id: found.id, account: found.account, username: found.username };
  };

  const byToken = async (
    kind: AppPasswordKind,
    { username, token, salt }: Extract<AppProof, { readonly token: string }>,
  ): Promise<AppUser | undefined> => {
    const folded = foldedOf(username);
    const digest = token.toLowerCase();
    if (folded === undefined || !/^[0-9a-f]{32}$/.test(digest) || salt.length > SALT_LIMIT) return undefined;
    for (const { sealed, ...user } of await store.sealed(kind, folded)) {
      const password = sealed === null ? undefined : seal.open(sealed, String(user.account));
      if (password !== undefined && isTokenOf(digest, salt, password)) return user;
    }
    return undefined;
  };

  const userOf = async (proof: AppProof, kind: AppPasswordKind): Promise<AppUser | undefined> => {
    if ('key' in proof) return byPassword(kind, proof.key);
    return 'token' in proof ? byToken(kind, proof) : byPassword(kind, proof.password, proof.username);
  };

  const passwords: AppPasswords = {
    list: async (account) => (await store.ofAccount(account)).map((one) => toRow(one, uses.get(one.id))),

    make: async (account, { name: typed, kind }, { address }) => {
      const name = nameOf(typed);
      const password = newAppPassword();
      const made = await database.transaction(async ({ tx }) => {
        if ((await store.hold(tx, account)) >= AN_ACCOUNT)
          throw new Refusal(`There are ${AN_ACCOUNT} app passwords already, revoke one that is not used any more`);
        const sealed = SEALED.includes(kind) ? seal.seal(password, String(account)) : undefined;
        const row = { account, name, kind, hash: hashOf(plainOf(password) ?? ''), sealed };
        return store.add(tx, row, now().epochMilliseconds);
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

    check: async (proof, { kind, address }) => {
      const user = await userOf(proof, kind);
      if (user !== undefined) {
        uses.set(user.id, { at: now().epochMilliseconds, address });
        return user;
      }
      const key = addressKey(address);
      if (rateLimits) refuseWaiting(wrong, key, 'Too many wrong app passwords from your network');
      wrong.count(key);
      const folded = 'username' in proof ? foldedOf(proof.username) : undefined;
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
