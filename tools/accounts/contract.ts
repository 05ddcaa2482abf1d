import * as z from 'zod/mini';
import { call, fileAnswer } from '#platform/contract/call.ts';
import { HOUR_SECONDS } from '#platform/contract/duration.ts';
import { requestedId, id } from '#platform/contract/fields.ts';
import { SECURITY_EVENTS } from '#platform/contract/security.ts';

const sessionInfo = z.object({
  id,
  /** The session that makes the call. */
  own: z.boolean(),
  created: z.string(),
  lastSeen: z.string(),
  expires: z.string(),
  address: z.string(),
  browser: z.string(),
});

/**
 * Overview of the account for the settings. `devices` are names; `sessions` are those of persons. Times are ISO 8601.
 */
export const checkaccounts = call({
  route: 'POST /api/checkaccounts',
  summary: 'Returns an overview of the account.',
  access: 'account',
  answer: z.object({
    username: z.string(),
    isOwner: z.boolean(),
    created: z.string(),
    devices: z.array(z.string()),
    sessions: z.array(sessionInfo),
  }),
});

export const changepassword = call({
  route: 'POST /api/changepassword',
  usesReserve: true,
  summary: 'Changes the password and ends all other sessions.',
  access: 'account',
  request: z.object({ password: z.string(), newPassword: z.string() }),
  answer: z.object({ ended: z.int() }),
});

/** Without ids, ends all sessions except the current one. */
export const endsessions = call({
  route: 'POST /api/endsessions',
  usesReserve: true,
  summary: 'Ends sessions of the account.',
  access: 'account',
  request: z.object({ ids: z.optional(z.array(requestedId).check(z.maxLength(100))) }),
  answer: z.object({ ended: z.int() }),
});

/** A new password and ending all other sessions also end these links. */
export const endlinks = call({
  route: 'POST /api/endlinks',
  usesReserve: true,
  summary: 'Revokes all signed links to songs, lists and recordings.',
  access: 'account',
});

/** What an app password gives access to. */
export const APP_PASSWORD_KINDS = ['calendar', 'music'] as const;
export type AppPasswordKind = (typeof APP_PASSWORD_KINDS)[number];

const kind = z.enum(APP_PASSWORD_KINDS);
const appPassword = z.object({
  id,
  name: z.string(),
  kind,
  created: z.string(),
  /** Absent before its first use. */
  lastUsed: z.optional(z.string()),
  /** Address of its last use. */
  address: z.string(),
});

/** Newest first. The passwords themselves are only returned when they are created. */
export const apppasswords = call({
  route: 'GET /api/apppasswords',
  summary: 'Returns the app passwords, which phone calendars and music players use.',
  access: 'account',
  answer: z.object({ passwords: z.array(appPassword) }),
});

/** `password` is only returned here. The default kind is calendar. */
export const makeapppassword = call({
  route: 'POST /api/makeapppassword',
  summary: 'Creates an app password.',
  access: 'account',
  request: z.object({ name: z.string().check(z.maxLength(300)), kind: z.optional(kind) }),
  answer: z.object({ ...appPassword.shape, password: z.string() }),
  rates: [{ times: 60, seconds: HOUR_SECONDS }],
});

export const revokeapppassword = call({
  route: 'POST /api/revokeapppassword',
  usesReserve: true,
  summary: 'Revokes an app password.',
  access: 'account',
  request: z.object({ id: requestedId }),
});

export const exportaccount = call({
  route: 'POST /api/exportaccount',
  usesReserve: true,
  summary: 'Returns all data of the account as a zip with one JSON file per tool.',
  access: 'account',
  request: z.object({ password: z.string() }),
  answer: fileAnswer('application/zip'),
});

/** `username` is the name of the account, typed as a confirmation. */
export const deleteaccount = call({
  route: 'POST /api/deleteaccount',
  usesReserve: true,
  summary: 'Deletes the account and all its data.',
  access: 'account',
  request: z.object({ password: z.string(), username: z.string() }),
});

/** Only for the owner. */
export const setsignup = call({
  route: 'POST /api/setsignup',
  usesReserve: true,
  summary: 'Opens or closes sign-up. Only for the owner.',
  access: 'account',
  request: z.object({ open: z.boolean() }),
});

const securityEventInfo = z.object({
  id,
  event: z.enum(SECURITY_EVENTS),
  /** Time of the last occurrence. */
  time: z.string(),
  times: z.int(),
  /** Empty if there was no address, or too many. */
  address: z.string(),
  /** The device involved, in the list of the account. */
  device: z.optional(z.string()),
  /** The account involved, in the list of the server. */
  username: z.optional(z.string()),
});

/** The last 200 events, newest first: of the account, or of the whole server for its owner. */
export const securityevents = call({
  route: 'POST /api/securityevents',
  summary: 'Returns security events of the account, or of the whole server for the owner.',
  access: 'account',
  request: z.object({ scope: z.optional(z.enum(['own', 'server'])) }),
  answer: z.object({ events: z.array(securityEventInfo) }),
});

/** Only for the owner. */
export const serverstate = call({
  route: 'POST /api/serverstate',
  summary: 'Returns the state of the server. Only for the owner.',
  access: 'account',
  answer: z.object({
    version: z.string(),
    started: z.string(),
    database: z.object({ kind: z.enum(['sqlite', 'postgres']), bytes: z.number() }),
    /** Free space of the disk with the data folder. */
    freeBytes: z.number(),
    /** Connected devices of all accounts. */
    devices: z.int(),
    /** Open sockets of pages and devices. */
    sockets: z.int(),
    /** Sentences about what the owner should check. */
    warnings: z.array(z.string()),
  }),
});

/** Why a backup was made. */
export const BACKUP_REASONS = ['schedule', 'request', 'upgrade'] as const;

/** Only for the owner. Times are ISO 8601. */
export const serverbackups = call({
  route: 'POST /api/serverbackups',
  summary: 'Returns the backups of the server. Only for the owner.',
  access: 'account',
  answer: z.object({
    /** Newest first. */
    backups: z.array(
      z.object({
        id: z.string(),
        created: z.string(),
        reason: z.enum(BACKUP_REASONS),
        /** Of the database and all files, which may be shared with other backups. */
        bytes: z.number(),
      }),
    ),
    isRunning: z.boolean(),
    /** Absent if no backups are scheduled. */
    next: z.optional(z.string()),
    /** The last attempt, if it failed. */
    failure: z.optional(z.object({ time: z.string(), message: z.string() })),
  }),
});

/** Answers when it has begun; `serverbackups` says how it goes. Only for the owner. */
export const makebackup = call({
  route: 'POST /api/makebackup',
  summary: 'Starts a backup of the server. Only for the owner.',
  access: 'account',
  rates: [{ times: 30, seconds: HOUR_SECONDS }],
});
