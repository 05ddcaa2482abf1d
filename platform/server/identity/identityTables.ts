import type { Generated } from 'kysely';
import type { AppPasswordKind } from '#platform/contract/security.ts';

/** Rows of the ground's own tables (`migrations.ts`). Times are milliseconds since the epoch. */
export type IdentityTables = {
  account: {
    id: Generated<number>;
    /** As typed. */
    name: string;
    /** As compared: `foldName` of the name; unique. */
    folded: string;
    /** PHC string. */
    password: string;
    /** 1 for the owner; the database lets only one row have it. */
    is_owner: number;
    created: number;
    /** IANA name of the zone that its pages last named. */
    zone: string | null;
    /** Of its signed addresses: those of earlier ones hold no more. */
    link_generation: Generated<number>;
  };
  session: {
    id: Generated<number>;
    account: number;
    /** SHA-256 of the token. */
    hash: string;
    kind: 'person' | 'device';
    device: number | null;
    created: number;
    /** How long it may lie unused. */
    unused_limit: number;
    /** As of `last_seen`; moves with it. */
    expires: number;
    last_seen: number;
    address: string;
    browser: string;
  };
  known_browser: { id: Generated<number>; account: number; hash: string; used: number };
  app_password: {
    id: Generated<number>;
    account: number;
    name: string;
    /** SHA-256 of the password without its groups. */
    hash: string;
    kind: AppPasswordKind;
    /** The password itself, sealed for its account, where a program may prove it without sending it. */
    sealed: string | null;
    created: number;
    last_used: number | null;
    address: string;
  };
  setting: { name: string; value: string };
};
