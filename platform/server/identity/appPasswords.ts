import { hash, randomInt, timingSafeEqual } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { countCodePoints } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Database } from '../database/database.ts';
import { getAddressKey } from '../http/address.ts';
import { logSecurityEvent } from '../operations/logger.ts';
import type { Seal } from '../storage/seal.ts';
import { SuspendedRefusal } from './accountStore.ts';
import { createAppPasswordStore, type StoredAppPassword } from './appPasswordStore.ts';
import type { AppPasswordInfo, AppPasswordKind, AppPasswords, AppCredential, AppPasswordUser } from './identity.ts';
import { createWindowCounter, assertNotThrottled, type CounterStorage } from './loginThrottle.ts';
import { foldAccountName, isAccountName } from './username.ts';

const MAX_NAME_LENGTH = 60;
const MAX_APP_PASSWORDS_PER_ACCOUNT = 50;
/** Failed attempts from one address in 15 minutes. Then only correct ones pass. */
const MAX_FAILED_ATTEMPTS = 30;

/** Crockford's base32: without I, L, O and U, to avoid similar characters and accidental words. */
const PASSWORD_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const PASSWORD_LENGTH = 24;
const GROUP_LENGTH = 4;

/** Generates 120 random bits as six groups of four: `7K3M-…`. */
const generateAppPassword = (): string =>
  Array.from({ length: PASSWORD_LENGTH }, (_, index) => {
    const letter = PASSWORD_ALPHABET[randomInt(PASSWORD_ALPHABET.length)] ?? '0';
    return index > 0 && index % GROUP_LENGTH === 0 ? `-${letter}` : letter;
  }).join('');

/** Returns the form that is hashed. Groups, case and similar characters make no difference. */
function normalizePassword(typed: string): string | undefined {
  if (typeof typed !== 'string' || typed.length > 100) return undefined;
  const plain = typed.replaceAll(/[\s-]/g, '').toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  return /^[0-9A-HJKMNP-TV-Z]{24}$/.test(plain) ? plain : undefined;
}

/** Returns the comparable form of a name, or undefined if no account can have it. */
const toFoldedName = (username: string): string | undefined =>
  isAccountName(username) ? foldAccountName(username) : undefined;

const hashPassword = (plain: string): string => hash('sha256', plain, 'base64url');

/** Lists ways to type a password in apps that digest it unchanged: with and without groups, in either case. */
function listTypedForms(password: string): readonly string[] {
  const ungrouped = password.replaceAll('-', '');
  return [password, ungrouped, password.toLowerCase(), ungrouped.toLowerCase()];
}

function isSameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * Returns whether a token was made from this password and salt.
 * The programs only support MD5, which does not endanger 120 random bits.
 */
const matchesToken = (token: string, salt: string, password: string): boolean =>
  listTypedForms(password).some((form) => isSameText(hash('md5', form + salt, 'hex'), token));

const UNPRINTABLE_CHARACTERS = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/gu;

/** Removes characters that can't be shown from a name that a user chose. Returns '' if nothing visible is left. */
export function cleanName(typed: string): string {
  const name = typed.replaceAll(UNPRINTABLE_CHARACTERS, ' ').replaceAll(/\s+/gu, ' ').trim();
  return name.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '').trim() === '' ? '' : name;
}

function parseName(typed: string): string {
  const name = cleanName(typed);
  if (name === '')
    throw new Refusal(
      'app_password.name_empty',
      'Enter a name for the app password, such as the phone that will use it',
    );
  if (countCodePoints(name) > MAX_NAME_LENGTH)
    throw new Refusal(
      'app_password.name_too_long',
      `This name is too long. Enter at most ${MAX_NAME_LENGTH} characters`,
    );
  return name;
}

/** The user of a right app password. */
interface FoundUser extends AppPasswordUser {
  readonly suspended: number | null;
}

interface LastUse {
  readonly at: number;
  readonly address: string;
}

function toAppPasswordInfo(
  { id, name, kind, created, lastUsed, address }: StoredAppPassword,
  lastUse: LastUse | undefined,
): AppPasswordInfo {
  const at = lastUse?.at ?? lastUsed;
  return {
    id,
    name,
    kind,
    created: Temporal.Instant.fromEpochMilliseconds(created),
    lastUsed: at === undefined ? undefined : Temporal.Instant.fromEpochMilliseconds(at),
    address: lastUse?.address ?? address,
  };
}

interface AppPasswordsDeps {
  readonly database: Database;
  readonly now: () => Temporal.Instant;
  readonly counters: CounterStorage;
  readonly log: FastifyBaseLogger;
  readonly rateLimits: boolean;
  readonly seal: Seal;
  readonly kinds: readonly AppPasswordKind[];
}

const MAX_SALT_LENGTH = 200;

/**
 * Creates app passwords for programs with their own protocol. Each check reads the database, so revoking takes effect
 * immediately.
 */
export function createAppPasswords({ database, now, counters, log, rateLimits, seal, kinds }: AppPasswordsDeps) {
  const store = createAppPasswordStore(database);
  const lastUses = new Map<number, LastUse>();
  const failures = createWindowCounter(counters, 'app password', {
    maxAttempts: MAX_FAILED_ATTEMPTS,
    windowMs: 15 * MINUTE_MS,
  });

  async function save(): Promise<void> {
    const unsavedUses = [...lastUses];
    lastUses.clear();
    if (unsavedUses.length === 0) return;
    try {
      await database.transaction(async ({ tx }) => {
        for (const [id, { at, address }] of unsavedUses) await store.saveUse(tx, id, { at, address });
      });
    } catch (error) {
      for (const [id, use] of unsavedUses) if (!lastUses.has(id)) lastUses.set(id, use);
      throw error;
    }
  }
  const timer = setInterval(() => {
    save().catch((error: unknown) => log.error({ err: error }, 'app_passwords.unsaved'));
  }, MINUTE_MS);
  timer.unref();

  async function findByPassword(kind: string, typed: string, username?: string): Promise<FoundUser | undefined> {
    const plain = normalizePassword(typed);
    const match = plain === undefined ? undefined : await store.find(kind, hashPassword(plain));
    if (match === undefined || (username !== undefined && match.folded !== toFoldedName(username))) return undefined;
    return match;
  }

  async function findByToken(
    kind: string,
    { username, token, salt }: Extract<AppCredential, { readonly token: string }>,
  ): Promise<FoundUser | undefined> {
    const folded = toFoldedName(username);
    const digest = token.toLowerCase();
    if (folded === undefined || !/^[0-9a-f]{32}$/.test(digest) || salt.length > MAX_SALT_LENGTH) return undefined;
    for (const { sealed, ...user } of await store.listSealed(kind, folded)) {
      const password = sealed === null ? undefined : seal.open(sealed, String(user.account));
      if (password !== undefined && matchesToken(digest, salt, password)) return user;
    }
    return undefined;
  }

  async function findUser(credential: AppCredential, kind: string): Promise<FoundUser | undefined> {
    if ('key' in credential) return findByPassword(kind, credential.key);
    return 'token' in credential
      ? findByToken(kind, credential)
      : findByPassword(kind, credential.password, credential.username);
  }

  const passwords: AppPasswords = {
    list: async (account) =>
      (await store.listByAccount(account)).map((item) => toAppPasswordInfo(item, lastUses.get(item.id))),

    create: async (account, { name: typed, kind }, { address }) => {
      const kindOptions = kinds.find((declared) => declared.name === kind);
      if (!kindOptions) throw new Error(`no tool declares app passwords of the kind ${kind}`);
      const name = parseName(typed);
      const password = generateAppPassword();
      const stored = await database.transaction(async ({ tx }) => {
        if ((await store.lockAndCount(tx, account)) >= MAX_APP_PASSWORDS_PER_ACCOUNT)
          throw new Refusal(
            'app_password.limit_reached',
            `You have the maximum of ${MAX_APP_PASSWORDS_PER_ACCOUNT} app passwords. Revoke one that you no longer use`,
          );
        const sealed = kindOptions.acceptsDigests === true ? seal.seal(password, String(account)) : undefined;
        const row = { account, name, kind, hash: hashPassword(normalizePassword(password) ?? ''), sealed };
        return store.insert(tx, row, now().epochMilliseconds);
      });
      logSecurityEvent(log, 'apppassword.made', { account, address });
      return { ...toAppPasswordInfo(stored, undefined), password };
    },

    revoke: async (account, id, { address }) => {
      if (!(await database.transaction(({ tx }) => store.remove(tx, account, id))))
        throw new Refusal('app_password.not_found', 'There is no such app password. It may have been revoked already');
      lastUses.delete(id);
      logSecurityEvent(log, 'apppassword.revoked', { account, address });
    },

    verify: async (credential, { kind, address }) => {
      const found = await findUser(credential, kind);
      if (found !== undefined) {
        const { id, account, username, suspended } = found;
        if (suspended !== null) throw new SuspendedRefusal();
        lastUses.set(id, { at: now().epochMilliseconds, address });
        return { id, account, username };
      }
      const key = getAddressKey(address);
      if (rateLimits) await assertNotThrottled(failures, key, 'Too many wrong app passwords from your network');
      await failures.add(key);
      const folded = 'username' in credential ? toFoldedName(credential.username) : undefined;
      const account = folded === undefined ? undefined : await store.findAccount(folded);
      logSecurityEvent(log, 'apppassword.failed', { account, address });
      return undefined;
    },
  };
  return {
    passwords,
    /** Removes all app passwords of an account when its password changes. */
    removeAll: store.removeAll,
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await save();
    },
  };
}
