import type { Generated, Kysely } from 'kysely';

/** Rows of the platform's own tables (`migrations.ts`). Times are milliseconds since the epoch. */
export type IdentityTables = {
  account: {
    id: Generated<number>;
    /** Name as the user entered it. */
    name: string;
    /** Name as `foldAccountName` returns it, for comparison; unique. */
    folded: string;
    /** Hash of the password as a PHC string. */
    password: string;
    /** 1 for the owner. A unique index allows only one. */
    is_owner: number;
    created: number;
    /** IANA name of the time zone that a page of the account last reported. */
    zone: string | null;
    /** Number of the current signed links. Links of earlier generations are invalid. */
    link_generation: Generated<number>;
    /** When the owner suspended the account; null if it is active. */
    suspended: number | null;
    /** Until when the password logs in although passwords are off, after a reset by the operator. */
    password_login_until: number | null;
  };
  session: {
    id: Generated<number>;
    account: number;
    /** SHA-256 of the token. */
    hash: string;
    kind: 'person' | 'device';
    device: number | null;
    created: number;
    /** Duration without use after which the session expires. */
    unused_limit: number;
    /** Derived from `last_seen`, and updated with it. */
    expires: number;
    last_seen: number;
    address: string;
    browser: string;
  };
  known_browser: {
    id: Generated<number>;
    account: number;
    hash: string;
    used: number;
    /** Until when the browser needs no second factor. */
    remembered_until: number | null;
    /** Hash of the address and name of a program that has sent no cookie yet. Unique for each account. */
    program: string | null;
  };
  app_password: {
    id: Generated<number>;
    account: number;
    name: string;
    /** SHA-256 of the password without the separators of its groups. */
    hash: string;
    kind: string;
    /** The sealed password, for programs that send a hash of it instead of the password. */
    sealed: string | null;
    created: number;
    last_used: number | null;
    address: string;
  };
  /** Authenticator app of an account. */
  totp: {
    account: number;
    /** The sealed secret. */
    sealed: string;
    /** Time step of the last code that was used. Only codes of later steps are accepted. */
    last_step: number;
    created: number;
  };
  passkey: {
    id: Generated<number>;
    account: number;
    /** base64url, as are the public key and the user handle. Unique. */
    credential: string;
    public_key: string;
    /** Identifies the account to browsers. All passkeys of an account have the same one. */
    user_handle: string;
    counter: number;
    /** JSON list of ways to reach the device, such as `internal`. */
    transports: string;
    /** Host name for which it works. */
    host: string;
    name: string;
    created: number;
    last_used: number | null;
  };
  /** A row is removed when its code is used. */
  recovery_code: { id: Generated<number>; account: number; hash: string };
  /** Tickets that were used before they expired. */
  used_ticket: { id: Generated<number>; account: number; hash: string; expires: number };
  /** People at an OpenID provider who may log in as an account. */
  external_login: { account: number; issuer: string; subject: string; label: string; created: number };
  /** Links with which people may sign up. */
  invitation: {
    id: Generated<number>;
    /** SHA-256 of the secret in the link. */
    hash: string;
    name: string;
    created: number;
    expires: number;
    /** How many accounts it may create, and how many it has created. */
    max_uses: number;
    uses: Generated<number>;
  };
  setting: { name: string; value: string };
};

/** Returns a connection or a transaction with the types of these tables. */
export function withIdentityTables(source: Kysely<unknown>) {
  return source.$extendTables<IdentityTables>();
}
