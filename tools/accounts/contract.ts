import * as z from 'zod/mini';
import { call, fileAnswer } from '#platform/contract/call.ts';
import { HOUR_SECONDS } from '#platform/contract/duration.ts';
import { requestedId, id } from '#platform/contract/fields.ts';
import { oneTimeCode, registrationOptions, registrationResponse, ticket } from '#platform/contract/secondFactor.ts';
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

const passkey = z.object({
  id,
  name: z.string(),
  /** Host name for which it works. */
  host: z.string(),
  created: z.string(),
  /** Absent before its first use. */
  lastUsed: z.optional(z.string()),
});

/** Returned once, with the first factor of the account. */
const newRecoveryCodes = z.optional(z.array(z.string()));

/** Passkeys are in the order of their creation. */
export const secondfactor = call({
  route: 'GET /api/secondfactor',
  summary: 'Returns the second factors of the account.',
  access: 'account',
  answer: z.object({
    /** When the authenticator app was set up; absent without one. */
    totpSince: z.optional(z.string()),
    passkeys: z.array(passkey),
    /** Recovery codes that were not used yet. */
    recoveryCodes: z.int(),
  }),
});

/** `uri` is the text of the QR code, which includes the secret. */
export const starttotp = call({
  route: 'POST /api/starttotp',
  summary: 'Creates the secret of an authenticator app, which `addtotp` adds.',
  access: 'account',
  request: z.object({ password: z.string() }),
  answer: z.object({ ticket: z.string(), secret: z.string(), uri: z.string() }),
});

export const addtotp = call({
  route: 'POST /api/addtotp',
  summary: 'Adds an authenticator app, for one of its codes.',
  access: 'account',
  request: z.object({ ticket, oneTimeCode }),
  answer: z.object({ recoveryCodes: newRecoveryCodes }),
});

export const removetotp = call({
  route: 'POST /api/removetotp',
  summary: 'Removes the authenticator app.',
  access: 'account',
  usesReserve: true,
  request: z.object({ password: z.string() }),
});

export const startpasskey = call({
  route: 'POST /api/startpasskey',
  summary: 'Returns what a browser needs to create a passkey, which `addpasskey` adds.',
  access: 'account',
  request: z.object({ password: z.string() }),
  answer: z.object({ ticket: z.string(), options: registrationOptions }),
});

export const addpasskey = call({
  route: 'POST /api/addpasskey',
  summary: 'Adds a passkey for the host name of the page.',
  access: 'account',
  request: z.object({ ticket, name: z.string().check(z.maxLength(300)), passkey: registrationResponse }),
  answer: z.object({ ...passkey.shape, recoveryCodes: newRecoveryCodes }),
});

export const renamepasskey = call({
  route: 'POST /api/renamepasskey',
  summary: 'Renames a passkey.',
  access: 'account',
  request: z.object({ id: requestedId, name: z.string().check(z.maxLength(300)) }),
});

export const removepasskey = call({
  route: 'POST /api/removepasskey',
  summary: 'Removes a passkey.',
  access: 'account',
  usesReserve: true,
  request: z.object({ id: requestedId, password: z.string() }),
});

export const makerecoverycodes = call({
  route: 'POST /api/makerecoverycodes',
  summary: 'Replaces the recovery codes of the account with new ones.',
  access: 'account',
  request: z.object({ password: z.string() }),
  answer: z.object({ recoveryCodes: z.array(z.string()) }),
});

export const exportaccount = call({
  route: 'POST /api/exportaccount',
  usesReserve: true,
  summary: 'Returns all data of the account as a zip with one JSON file per tool.',
  access: 'account',
  request: z.object({ password: z.string() }),
  answer: fileAnswer('application/zip'),
});

/** Size of a part of an upload, in bytes. */
export const IMPORT_PART_BYTES = 4 * 1024 * 1024;

/** What became of a tool's part of an export. `counts` are numbers of imported things by their name. */
export const importReport = z.object({
  tool: z.string(),
  status: z.enum(['imported', 'skipped', 'failed', 'unsupported']),
  counts: z.record(z.string(), z.int()),
  /** Sentences about what was not imported, and what to do about it. */
  problems: z.array(z.string()),
});

/** `percent` is the progress of the upload or the import. `parts` and `error` are set once it has ended. */
export const accountimport = call({
  route: 'GET /api/accountimport',
  summary: 'Returns the state of the last import of an export.',
  access: 'account',
  answer: z.object({
    state: z.enum(['none', 'uploading', 'running', 'done', 'failed']),
    percent: z.optional(z.int()),
    error: z.optional(z.string()),
    parts: z.optional(z.array(importReport)),
  }),
});

/** `key` identifies the file, so that an interrupted upload continues at `offset`. Another key starts a new one. */
export const startimport = call({
  route: 'POST /api/startimport',
  summary: 'Starts or continues the upload of an export, which is imported when it is complete.',
  access: 'account',
  request: z.object({ size: z.int().check(z.minimum(1)), key: z.string().check(z.maxLength(1000)) }),
  answer: z.object({ offset: z.int() }),
  rates: [{ times: 60, seconds: HOUR_SECONDS }],
});

/** `data` is base64. The answer has the offset of the next part, also if this one was received before. */
export const importpart = call({
  route: 'POST /api/importpart',
  summary: 'Uploads a part of an export.',
  access: 'account',
  bodyLimit: Math.ceil(IMPORT_PART_BYTES * 1.4),
  request: z.object({ offset: z.int().check(z.minimum(0)), data: z.string() }),
  answer: z.object({ offset: z.int() }),
});

export const dropimport = call({
  route: 'POST /api/dropimport',
  usesReserve: true,
  summary: 'Cancels the upload or the import of an export, or hides its report.',
  access: 'account',
});

/** `username` is the name of the account, typed as a confirmation. */
export const deleteaccount = call({
  route: 'POST /api/deleteaccount',
  usesReserve: true,
  summary: 'Deletes the account and all its data.',
  access: 'account',
  request: z.object({ password: z.string(), username: z.string() }),
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
    /** Processes that run this server. Times are ISO 8601. */
    instances: z.array(
      z.object({
        name: z.string(),
        version: z.string(),
        role: z.enum(['all', 'web', 'worker']),
        started: z.string(),
        isLeader: z.boolean(),
        isReady: z.boolean(),
      }),
    ),
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
    /** Absent if backups are not copied. */
    copies: z.optional(
      z.object({
        address: z.string(),
        /** When the newest backup was copied. */
        newest: z.optional(z.string()),
        failure: z.optional(z.object({ time: z.string(), message: z.string() })),
      }),
    ),
  }),
});

/** Answers when it has begun; `serverbackups` says how it goes. Only for the owner. */
export const makebackup = call({
  route: 'POST /api/makebackup',
  summary: 'Starts a backup of the server. Only for the owner.',
  access: 'account',
  rates: [{ times: 30, seconds: HOUR_SECONDS }],
});
