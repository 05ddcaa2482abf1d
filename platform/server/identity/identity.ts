import type { Transaction } from 'kysely';
import type {
  AuthenticationOptions,
  AuthenticationResponse,
  RegistrationOptions,
  RegistrationResponse,
} from '#platform/contract/secondFactor.ts';
import type { SignupRule } from '#platform/contract/session.ts';

/** An account, without credentials. */
export interface Account {
  readonly id: number;
  /** As typed at sign-up. Unique regardless of case. */
  readonly name: string;
  /** Whether it is the first account, which owns the server. */
  readonly isOwner: boolean;
  readonly created: Temporal.Instant;
}

/** An account as the owner of the server sees it. */
export interface AccountInfo extends Account {
  /** Since when it is suspended; undefined if it is active. */
  readonly suspended: Temporal.Instant | undefined;
  /** Last use of a session that has not ended; undefined without one. */
  readonly lastSeen: Temporal.Instant | undefined;
  readonly hasSecondFactor: boolean;
}

/** An invitation link as the owner of the server sees it. */
export interface InvitationInfo {
  readonly id: number;
  /** Whom it is for, as the owner entered it; may be empty. */
  readonly name: string;
  readonly created: Temporal.Instant;
  readonly expires: Temporal.Instant;
  /** How many accounts it may create. */
  readonly maxUses: number;
  readonly uses: number;
}

/** Links with which people may sign up while sign-up is by invitation. */
export interface Invitations {
  /** Those that have not expired, newest first. */
  readonly list: () => Promise<readonly InvitationInfo[]>;
  /** Creates an invitation, whose secret only this call returns. @throws Refusal for an invalid name, or too many. */
  readonly create: (
    options: { readonly name: string; readonly days: number; readonly maxUses: number },
    creator: { readonly account: number; readonly address: string },
  ) => Promise<InvitationInfo & { readonly secret: string }>;
  /** @throws Refusal if there is no such invitation. */
  readonly revoke: (id: number, creator: { readonly account: number; readonly address: string }) => Promise<void>;
}

/** A session as it is cached: who a token belongs to. */
export interface LiveSession {
  readonly id: number;
  readonly account: number;
  readonly kind: 'person' | 'device';
  /** The device, if it is a device's session. */
  readonly device: number | undefined;
}

/** A session as the settings show it. */
export interface SessionInfo extends LiveSession {
  readonly created: Temporal.Instant;
  readonly expires: Temporal.Instant;
  readonly lastSeen: Temporal.Instant;
  readonly address: string;
  readonly browser: string;
}

/** Where a session was opened or used. */
export interface ClientInfo {
  readonly address: string;
  readonly browser: string;
}

/** An app password as the settings show it. */
export interface AppPasswordInfo {
  readonly id: number;
  /** Name that the user chose. */
  readonly name: string;
  /** Name of an `AppPasswordKind`. */
  readonly kind: string;
  readonly created: Temporal.Instant;
  readonly lastUsed: Temporal.Instant | undefined;
  /** Address of the last use; empty if there was none. */
  readonly address: string;
}

/** The user that an app password belongs to. */
export interface AppPasswordUser {
  /** Id of the app password. */
  readonly id: number;
  readonly account: number;
  readonly username: string;
}

/** A kind of app passwords, for one protocol. A tool declares it (`ServerTool.appPasswordKinds`). */
export interface AppPasswordKind {
  /** Stored with each password. */
  readonly name: string;
  /** Whether its programs send a digest instead of the password, so that the server must be able to read it. */
  readonly acceptsDigests?: boolean;
}

/**
 * How a program proves an app password: with the username, alone, or as the MD5 digest (hex) of password and salt,
 * which is all that some programs support.
 */
export type AppCredential =
  | { readonly username: string; readonly password: string }
  | { readonly key: string }
  | { readonly username: string; readonly token: string; readonly salt: string };

/**
 * Passwords for programs with their own protocol, such as WebDAV.
 * They open no session and no other kind. A new account password removes all of them.
 */
export interface AppPasswords {
  /** Newest first. */
  readonly list: (account: number) => Promise<readonly AppPasswordInfo[]>;
  /** Creates an app password, which only this call returns. @throws Refusal for an invalid name or for more than 50. */
  readonly create: (
    account: number,
    options: { readonly name: string; readonly kind: string },
    client: Pick<ClientInfo, 'address'>,
  ) => Promise<AppPasswordInfo & { readonly password: string }>;
  /** Revokes it immediately. @throws Refusal if the account has no such app password. */
  readonly revoke: (account: number, id: number, client: Pick<ClientInfo, 'address'>) => Promise<void>;
  /**
   * Finds the user of a credential; undefined if it is wrong. Digests only work for kinds that accept them.
   * @throws RateLimitError for a wrong credential, after many wrong ones from one address; Refusal for a suspended
   * account.
   */
  readonly verify: (
    credential: AppCredential,
    request: Pick<ClientInfo, 'address'> & { readonly kind: string },
  ) => Promise<AppPasswordUser | undefined>;
}

/** A passkey as the settings show it. */
export interface PasskeyInfo {
  readonly id: number;
  /** Name that the user chose. */
  readonly name: string;
  /** Host name for which it works. */
  readonly host: string;
  readonly created: Temporal.Instant;
  readonly lastUsed: Temporal.Instant | undefined;
}

/** Second factors of an account as the settings show them. */
export interface SecondFactorInfo {
  /** When the authenticator app was set up; undefined without one. */
  readonly totpSince: Temporal.Instant | undefined;
  /** Oldest first. */
  readonly passkeys: readonly PasskeyInfo[];
  /** Recovery codes that were not used yet. */
  readonly recoveryCodeCount: number;
}

/** Recovery codes, which are returned once, when the first factor is added. */
export interface NewRecoveryCodes {
  readonly recoveryCodes: readonly string[] | undefined;
}

/** The address of a client, and the origin of its page. */
export interface PageClient extends Pick<ClientInfo, 'address'> {
  readonly origin: string;
}

/**
 * Second factors: an authenticator app (TOTP), passkeys and recovery codes. An account with an app or a passkey can't
 * log in with its password alone. Callers have checked the password.
 */
export interface SecondFactors {
  readonly get: (account: number) => Promise<SecondFactorInfo>;
  /** Returns a new secret, and a ticket that adds it. @throws Refusal if the account has an authenticator app. */
  readonly startTotp: (
    account: number,
    client: PageClient,
  ) => Promise<{ readonly ticket: string; readonly secret: string; readonly uri: string }>;
  /** Adds the authenticator app whose code this is. @throws Refusal for a wrong code or an expired ticket. */
  readonly addTotp: (
    account: number,
    request: { readonly ticket: string; readonly oneTimeCode: string },
    client: PageClient,
  ) => Promise<NewRecoveryCodes>;
  /** @throws Refusal if the account has none. */
  readonly removeTotp: (account: number, client: PageClient) => Promise<void>;
  /** @throws Refusal if passkeys can't work at the address of the page, or for too many. */
  readonly startPasskey: (
    account: number,
    client: PageClient,
  ) => Promise<{ readonly ticket: string; readonly options: RegistrationOptions }>;
  /** @throws Refusal for an invalid passkey or an expired ticket. */
  readonly addPasskey: (
    account: number,
    request: { readonly ticket: string; readonly name: string; readonly passkey: RegistrationResponse },
    client: PageClient,
  ) => Promise<PasskeyInfo & NewRecoveryCodes>;
  /** @throws Refusal if the account has no such passkey, or for an invalid name. */
  readonly renamePasskey: (account: number, id: number, name: string) => Promise<void>;
  /** @throws Refusal if the account has no such passkey. */
  readonly removePasskey: (account: number, id: number, client: PageClient) => Promise<void>;
  /** Replaces the recovery codes. @throws Refusal for an account without a second factor. */
  readonly createRecoveryCodes: (account: number, client: PageClient) => Promise<readonly string[]>;
  /** Removes all factors and recovery codes. Returns what there was. */
  readonly removeAll: (account: number) => Promise<{ readonly hadTotp: boolean; readonly passkeyCount: number }>;
}

/** A login from a browser that the account does not know. */
export interface NewBrowserLogin {
  readonly account: number;
  readonly client: ClientInfo;
}

/** Accounts, sessions and passwords (docs/design/reliability.md section 10). */
export interface Identity {
  /**
   * Finds the session of a token, cached after the first time. Undefined if it is unknown, expired or revoked.
   * @throws SuspendedRefusal if its account is suspended.
   */
  readonly findSession: (token: string) => Promise<LiveSession | undefined>;
  /** Records when and from where a session was used. Saved once a minute. */
  readonly recordUse: (session: number, client: ClientInfo) => void;
  readonly findAccount: (id: number) => Promise<Account | undefined>;
  /**
   * Returns the named IANA zone and saves it as the home zone; without a name the home zone, or else this machine's.
   * @throws Refusal for an unknown zone.
   */
  readonly resolveZone: (account: number, zone?: string) => Promise<string>;
  readonly findAccountByName: (name: string) => Promise<Account | undefined>;
  readonly hasOwner: () => Promise<boolean>;
  /** Undefined until someone signs up. */
  readonly findOwner: () => Promise<Account | undefined>;
  /** Returns the code that the first sign-up from another address needs; undefined once there is an owner. */
  readonly getSetupCode: () => Promise<string | undefined>;
  /** @throws Refusal for a wrong password. Counts towards the login throttle. */
  readonly checkPassword: (account: number, password: string, client: ClientInfo) => Promise<void>;
  readonly appPasswords: AppPasswords;
  readonly secondFactors: SecondFactors;
  /** Undefined if no OpenID provider is set up. */
  readonly singleSignOn: SingleSignOn | undefined;
  /**
   * Lets the password log in for a day, even if passwords don't log in otherwise, because the operator has reset it.
   */
  readonly allowPasswordLogin: (account: number) => Promise<void>;
  /**
   * Validates and stores a new password, and ends all app passwords, the link to the OpenID provider and the other
   * sessions of persons.
   * Returns the number of ended sessions. @throws Refusal for an invalid password.
   */
  readonly changePassword: (account: number, password: string, currentSession: number | undefined) => Promise<number>;
  readonly listSessions: (account: number) => Promise<readonly SessionInfo[]>;
  /** Opens a session for a device. Its token is returned once, and only its hash is stored. */
  readonly openDeviceSession: (tx: Transaction<unknown>, account: number, device: number) => Promise<string>;
  /** Ends sessions of this account: rows, cache and sockets. Ignores ids of others. Returns how many ended. */
  readonly endSessions: (
    account: number,
    selector: { readonly ids: readonly number[] } | { readonly allBut: number } | { readonly device: number },
  ) => Promise<number>;
  /** Returns the number that signed links of the account depend on (`linkSigner.ts`); undefined without an account. */
  readonly getLinkGeneration: (account: number) => Promise<number | undefined>;
  /** Revokes all signed links of the account, as a new password and ending all other sessions do. */
  readonly revokeLinks: (account: number) => Promise<void>;
  /** @throws Refusal if the account is the owner's and others have accounts. */
  readonly assertDeletable: (account: number) => Promise<void>;
  /**
   * Deletes the account and, by foreign keys, all its rows, and ends its sessions. @throws Refusal as
   * `assertDeletable` does.
   */
  readonly deleteAccount: (account: number) => Promise<void>;
  readonly getSignupRule: () => Promise<SignupRule>;
  readonly setSignupRule: (rule: SignupRule) => Promise<void>;
  readonly invitations: Invitations;
  /** Lists all accounts, oldest first. */
  readonly listAccounts: () => Promise<readonly AccountInfo[]>;
  /**
   * Suspends an account, or lifts the suspension. A suspended one can't log in, and its sessions, devices, app
   * passwords and links are refused. It loses nothing. @throws Refusal for the owner, and without such an account.
   */
  readonly setSuspended: (account: number, isSuspended: boolean, client: Pick<ClientInfo, 'address'>) => Promise<void>;
  /** For credentials that tools store themselves. @throws Refusal if the account is suspended. */
  readonly assertActive: (account: number) => Promise<void>;
  /** Called when an account is suspended or restored; `realtime` closes its sockets. */
  readonly onSuspension: (listener: (account: number, isSuspended: boolean) => void) => void;
  /** Called with the ids of sessions that have just ended; `realtime` closes their sockets. */
  readonly onSessionsEnded: (listener: (sessions: readonly number[]) => void) => void;
  /** Called after each login from a browser that the account does not know. */
  readonly onNewBrowserLogin: (listener: (login: NewBrowserLogin) => void) => void;
}

/** Days without use after which a session expires; undefined for the default. */
export type SessionDays = number | undefined;

/** The person at the OpenID provider that an account is linked to. */
export interface ExternalLogin {
  /** Username or e-mail address at the provider; may be empty. */
  readonly label: string;
  readonly created: Temporal.Instant;
}

/** Where a single sign-on continues: with a session, or with our second factor. */
export type SignOnResult =
  | { readonly session: LoginResult; readonly secondStep?: undefined }
  | { readonly secondStep: SecondStep; readonly session?: undefined };

/** What a finished login at the provider leads to. */
export type SignOnOutcome = { readonly days: SessionDays; readonly path: string | undefined } & (
  | SignOnResult
  | { readonly isLinked: true }
  | { readonly choice: { readonly ticket: string; readonly username: string; readonly canCreate: boolean } }
);

/** Login at an OpenID provider. Tickets are sealed, and valid for ten minutes. */
export interface SingleSignOn {
  /** Name of the provider. */
  readonly name: string;
  /** Whether passwords log in as well. */
  readonly allowsPasswords: boolean;
  /**
   * Returns the address at which to log in, and a ticket for the cookie of this browser.
   * @throws Refusal if the provider can't be reached.
   */
  readonly start: (request: {
    readonly redirectUri: string;
    readonly days: SessionDays;
    readonly path: string | undefined;
  }) => Promise<{ readonly address: string; readonly ticket: string }>;
  /** Starts a login that links this account, whose password the caller has checked. @throws like `start` */
  readonly startLink: (
    account: number,
    request: { readonly redirectUri: string; readonly path: string },
  ) => Promise<{ readonly address: string; readonly ticket: string }>;
  /**
   * Finishes the login in the browser that started it.
   * @throws Refusal if the person cancelled, the response is wrong or was used before, or the account is suspended.
   */
  readonly finish: (
    request: Pick<LoginRequest, 'client' | 'knownBrowser'> & {
      /** Query of the address with which the provider opened our page. */
      readonly response: string;
      readonly ticket: string | undefined;
      readonly origin: string;
    },
  ) => Promise<SignOnOutcome>;
  /**
   * Links an existing account to a person without one, or creates an account.
   * @throws like `logIn` and `signUp`; Refusal if accounts are not created.
   */
  readonly complete: (
    request: Omit<LoginRequest, 'sessionDays'> & {
      readonly ticket: string;
      readonly create: boolean;
      readonly isLocal: boolean;
      readonly origin: string;
    },
  ) => Promise<SignOnResult>;
  readonly get: (account: number) => Promise<ExternalLogin | undefined>;
  /** Returns whether the account was linked. */
  readonly unlink: (account: number, client: Pick<ClientInfo, 'address'>) => Promise<boolean>;
}

/** A request to log in or to sign up. */
export interface LoginRequest {
  readonly username: string;
  readonly password: string;
  /** Days without use after which the session expires. Default: 300. */
  readonly sessionDays: number | undefined;
  readonly client: ClientInfo;
  /** The secret of the browser's cookie `pb_known`, if it has one. */
  readonly knownBrowser: string | undefined;
  /** Whether a program sent it instead of a page. */
  readonly isProgram?: boolean;
}

/** A new session with its account. */
export interface LoginResult {
  readonly token: string;
  readonly account: Account;
  /** For the cookie `pb_known`, which marks a known browser and authorizes nothing alone. */
  readonly knownBrowser: string;
}

/** A login request after its password was checked, with the second factors that the account has. */
export interface SecondStep {
  /** For `finishLogin`. */
  readonly ticket: string;
  readonly hasTotp: boolean;
  /** Undefined if the account has no passkey for the address of the page. */
  readonly passkeyOptions: AuthenticationOptions | undefined;
  /** Other host names for which the account has passkeys. */
  readonly otherHosts: readonly string[];
}

/** The second step of a login, or a login with a passkey alone. */
export interface FinishLoginRequest extends Pick<LoginRequest, 'sessionDays' | 'client' | 'knownBrowser'> {
  readonly ticket: string;
  /** Code of the authenticator app, or a recovery code. */
  readonly oneTimeCode: string | undefined;
  readonly passkey: AuthenticationResponse | undefined;
  /** Whether the browser needs no second factor for 30 days. */
  readonly isRemembered: boolean;
  /** Origin of the page. */
  readonly origin: string;
}

/** Signs up and logs in. */
export interface LoginService {
  /**
   * @throws Refusal with a message for the form; RateLimitError after 30 an hour per address (300 from this computer).
   */
  readonly signUp: (
    request: LoginRequest & {
      readonly setupCode: string | undefined;
      /** Secret of an invitation link. */
      readonly invitation?: string | undefined;
      readonly isLocal: boolean;
      /** Whether the operator's command line creates it, regardless of rates and closed sign-up. */
      readonly isOperator?: boolean;
    },
  ) => Promise<LoginResult>;
  /**
   * @throws Refusal for a wrong username or password, or if a second factor is needed; RateLimitError if the throttle
   * or a full queue rejects the attempt.
   */
  readonly logIn: (request: LoginRequest) => Promise<LoginResult>;
  /** Checks the password of an account with a second factor. @throws like `logIn`; Refusal if it has none. */
  readonly startSecondStep: (request: LoginRequest & { readonly origin: string }) => Promise<SecondStep>;
  /** @throws Refusal if passkeys can't work at the address of the page. */
  readonly startPasskeyLogin: (
    origin: string,
  ) => Promise<{ readonly ticket: string; readonly options: AuthenticationOptions }>;
  /** @throws Refusal for a wrong code or passkey, or for an expired ticket; RateLimitError after many wrong ones. */
  readonly finishLogin: (request: FinishLoginRequest) => Promise<LoginResult>;
}
