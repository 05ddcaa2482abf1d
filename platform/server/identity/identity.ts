import type { Transaction } from 'kysely';
import type { AppPasswordKind } from '#platform/contract/security.ts';

export interface Account {
  readonly id: number;
  /** As typed at sign-up; unique regardless of case. */
  readonly name: string;
  /** The first account is the owner. */
  readonly isOwner: boolean;
  readonly created: Temporal.Instant;
}

/** A session as the cache holds it: who a token stands for. */
export interface LiveSession {
  readonly id: number;
  readonly account: number;
  readonly kind: 'person' | 'device';
  /** The device a device's token stands for. */
  readonly device: number | undefined;
}

/** A session as its owner sees it in the settings. */
export interface SessionInfo extends LiveSession {
  readonly created: Temporal.Instant;
  readonly expires: Temporal.Instant;
  readonly lastSeen: Temporal.Instant;
  readonly address: string;
  readonly browser: string;
}

/** Where a session was opened from. */
export interface ClientInfo {
  readonly address: string;
  readonly browser: string;
}

/** An app password as its owner sees it in the settings. */
export interface AppPasswordInfo {
  readonly id: number;
  /** As its owner calls it. */
  readonly name: string;
  readonly kind: AppPasswordKind;
  readonly created: Temporal.Instant;
  readonly lastUsed: Temporal.Instant | undefined;
  /** Where it was last used from; empty before. */
  readonly address: string;
}

/** Whom an app password stands for. */
export interface AppPasswordUser {
  /** Of the app password. */
  readonly id: number;
  readonly account: number;
  readonly username: string;
}

/**
 * How a program shows that it has an app password: with the username, alone, or without sending it, as the MD5 digest (hex) of it and a
 * salt behind it, which is all that many music players know.
 */
export type AppCredential =
  | { readonly username: string; readonly password: string }
  | { readonly key: string }
  | { readonly username: string; readonly token: string; readonly salt: string };

/**
 * Passwords for programs that speak a protocol of their own (calendars of phones, music players) and take a username and a password.
 * They open nothing else: no session, no page, nothing of another kind. All of an account end when its password changes.
 */
export interface AppPasswords {
  /** Newest first. */
  readonly list: (account: number) => Promise<readonly AppPasswordInfo[]>;
  /** The password itself is given here and never again. @throws Refusal for a name that is none, and for more than 50. */
  readonly create: (
    account: number,
    given: { readonly name: string; readonly kind: AppPasswordKind },
    origin: Pick<ClientInfo, 'address'>,
  ) => Promise<AppPasswordInfo & { readonly password: string }>;
  /** Ended at once. @throws Refusal where the account has no such one. */
  readonly revoke: (account: number, id: number, origin: Pick<ClientInfo, 'address'>) => Promise<void>;
  /**
   * Whom a proof stands for; undefined where it is wrong. A token proves one of the kind 'music' alone: the others are kept as hashes.
   * @throws TooMany after many wrong ones from one address, and then for wrong ones alone.
   */
  readonly verify: (
    proof: AppCredential,
    asked: Pick<ClientInfo, 'address'> & { readonly kind: AppPasswordKind },
  ) => Promise<AppPasswordUser | undefined>;
}

/** Accounts, sessions and passwords (reliability.md sections 1 and 2). */
export interface Identity {
  /** Who a token stands for; from memory but for the first time. Unknown, expired and revoked tokens give undefined. */
  readonly findSession: (token: string) => Promise<LiveSession | undefined>;
  /** Remembers when and from where a session was last used; written once a minute. */
  readonly recordUse: (session: number, origin: ClientInfo) => void;
  readonly findAccount: (id: number) => Promise<Account | undefined>;
  /** The zone that a page names (an IANA name), remembered as the account's home; without one the home zone, else this machine's. @throws Refusal */
  readonly resolveZone: (account: number, named?: string) => Promise<string>;
  readonly findAccountByName: (name: string) => Promise<Account | undefined>;
  readonly hasOwner: () => Promise<boolean>;
  /** Undefined as long as nobody has signed up. */
  readonly findOwner: () => Promise<Account | undefined>;
  /** The code that the first sign-up from another address needs; undefined once there is an owner. */
  readonly getSetupCode: () => Promise<string | undefined>;
  /** @throws Refusal for a wrong password. Counts towards the login throttle. */
  readonly checkPassword: (account: number, password: string, origin: ClientInfo) => Promise<void>;
  readonly appPasswords: AppPasswords;
  /** Checks the rules, hashes, keeps, and ends all app passwords and all sessions of persons but this one; gives how many sessions ended. @throws Refusal for a password that breaks the rules. */
  readonly changePassword: (account: number, password: string, keepSession: number | undefined) => Promise<number>;
  readonly listSessions: (account: number) => Promise<readonly SessionInfo[]>;
  /** A session for a device: its token is given back once and stored hashed only. */
  readonly openDeviceSession: (tx: Transaction<unknown>, account: number, device: number) => Promise<string>;
  /** Ends sessions of this account: rows, memory, sockets. Ids that are not the account's are not touched. Gives how many ended. */
  readonly endSessions: (
    account: number,
    which: { readonly ids: readonly number[] } | { readonly allBut: number } | { readonly device: number },
  ) => Promise<number>;
  /** What signed addresses of the account are made with (`signed.ts`); undefined where there is no such account. */
  readonly getLinkGeneration: (account: number) => Promise<number | undefined>;
  /** Ends all signed addresses that were given out, as a new password and ending all other sessions do. */
  readonly revokeLinks: (account: number) => Promise<void>;
  /** @throws Refusal where the account has to stay: an owner does as long as others have accounts. */
  readonly assertDeletable: (account: number) => Promise<void>;
  /** Removes the account and, by foreign keys, all its rows; ends its sessions. @throws Refusal as `checkDeletable` does. */
  readonly deleteAccount: (account: number) => Promise<void>;
  readonly isSignupOpen: () => Promise<boolean>;
  readonly setSignupOpen: (isOpen: boolean) => Promise<void>;
  /** Called with the ids of sessions that have just ended; `realtime` closes their sockets. */
  readonly onSessionsEnded: (then: (sessions: readonly number[]) => void) => void;
}

/** What somebody who wants a session sends, and from where. */
export interface LoginRequest {
  readonly username: string;
  readonly password: string;
  /** Days that the session lasts unused; 300 where left out. */
  readonly sessionDays: number | undefined;
  readonly client: ClientInfo;
  /** The secret of the browser's cookie `pb_known`, if it has one. */
  readonly knownBrowser: string | undefined;
}

export interface LoginResult {
  readonly token: string;
  readonly account: Account;
  /** For the cookie `pb_known`: it tells this browser from those never seen at the account, and authorises nothing. */
  readonly knownBrowser: string;
}

/** Where sessions of persons are opened. */
export interface LoginService {
  /** @throws Refusal with a sentence for the form; TooMany for more than 30 an hour from one address (ten times as many from this computer). */
  readonly signUp: (
    entry: LoginRequest & {
      readonly setupCode: string | undefined;
      readonly isLocal: boolean;
      /** Made by the operator's command line: no rate holds, nor does closed sign-up. */
      readonly isOperator?: boolean;
    },
  ) => Promise<LoginResult>;
  /** @throws Refusal 'Wrong username or password', for unknown users alike; TooMany while the throttle or a full line holds the try back. */
  readonly logIn: (entry: LoginRequest) => Promise<LoginResult>;
}
