import { readFileSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import * as z from 'zod';
import type { CopyTarget } from '#platform/server/backup/backupCopies.ts';
import { parseBackupInterval, parseBackupRetention } from '#platform/server/backup/backupPolicy.ts';
import { parseAllowedTarget } from '#platform/server/egress/addressPolicy.ts';
import { parseAddressRange } from '#platform/server/http/address.ts';
import { parseBasePath } from '#platform/server/http/basePath.ts';
import { isLocalName } from '#platform/server/http/guard.ts';
import { parseDiskWarning } from '#platform/server/storage/diskSpace.ts';
import { getErrorCode } from '#platform/server/storage/errorCode.ts';
import { parseS3Address } from '#platform/server/storage/s3Address.ts';
import type { S3Access, S3Bucket } from '#platform/server/storage/s3Store.ts';
import type { ToolSettings } from '#platform/server/tool.ts';
import type { ServerOptions } from './assemble.ts';
import { serverTools } from './tools.ts';

const parseList = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, origin } = new URL(text);
  return /^https?:$/.test(protocol) && (text === origin || text === `${origin}/`);
}

/** HTTP is only allowed for names that no foreign DNS can claim, such as addresses of the local network. */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, host, search, hash } = new URL(text);
  return search === '' && hash === '' && (protocol === 'https:' || (protocol === 'http:' && isLocalName(host)));
}

/** Returns why an address is invalid; undefined if it is valid. */
function explainInvalid(parse: (text: string) => unknown, text: string): string | undefined {
  try {
    parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const port = z
  .string()
  .refine((text) => /^\d{1,5}$/.test(text) && Number(text) <= 65_535, 'must be a number from 0 to 65535')
  .transform(Number);

const origins = z
  .string()
  .transform(parseList)
  .superRefine((all, context) => {
    for (const entry of all.filter((text) => !isOrigin(text)))
      context.addIssue({ code: 'custom', message: `'${entry}' is not an origin such as https://pegboard.example.org` });
  })
  .transform((all) => all.map((text) => new URL(text).origin));

/** Creates the schema of a list of addresses; `parse` must accept each. */
const createAddressList = (parse: (text: string) => unknown) =>
  z
    .string()
    .transform(parseList)
    .superRefine((all, context) => {
      for (const message of all.map((text) => explainInvalid(parse, text)))
        if (message) context.addIssue({ code: 'custom', message });
    });

/** Settings of the server itself. */
const ownSettings = z.object({
  PORT: port.prefault('8300').describe('Port to listen on. `0` picks a free one.'),
  HOST: z
    .string()
    .min(1, 'must be an address')
    .prefault('::')
    .describe(
      'Address to listen on. The default is all addresses of this computer, so that phones can connect. `127.0.0.1` allows only this computer.',
    ),
  HTTPS_PORT: port
    .optional()
    .describe(
      "Port for the server's own HTTPS, such as `8443`. Empty turns it off. Each phone has to trust the server once, as the page /trust explains. Not needed behind a proxy with HTTPS.",
    ),
  DATA_DIR: z
    .string()
    .min(1, 'must be a folder')
    .prefault('./data')
    .describe('Folder for all data of the server. Each server needs its own folder.'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\/\S+$/, 'must begin with postgres://')
    .optional()
    .meta({ isSecret: true })
    .describe('PostgreSQL instead of SQLite: `postgres://user:password@host/database`.'),
  REDIS_URL: z
    .string()
    .regex(/^(rediss?:\/\/|unix:\/)\S+$/, 'must begin with redis://, rediss:// or unix:/')
    .optional()
    .meta({ isSecret: true })
    .describe(
      'Redis or Valkey, with which several instances share one `DATABASE_URL` and one `DATA_DIR`: `redis://user:password@host:6379`.',
    ),
  ROLE: z
    .enum(['all', 'web', 'worker'], 'must be all, web or worker')
    .prefault('all')
    .describe(
      'Which work this instance does. `web` runs no jobs, schedules or backups; `worker` does, and the proxy sends it no requests.',
    ),
  INSTANCE_NAME: z
    .string()
    .max(60, 'must have at most 60 characters')
    .optional()
    .describe("Name of this instance for the owner, if there are several. By default this computer's name."),
  PUBLIC_ORIGIN: origins
    .prefault('')
    .describe(
      'Public origin of this server behind a proxy, such as `https://pegboard.example.org`. Separate several with commas. The server then responds only to these names.',
    ),
  BASE_PATH: z
    .string()
    .refine((text) => parseBasePath(text) !== undefined, 'must be a path such as /pegboard')
    .transform((text) => parseBasePath(text) ?? '')
    .prefault('')
    .describe(
      'Path below which everything is served, such as `/pegboard`, for a proxy that has no host name to spare. The proxy must not remove it.',
    ),
  TRUST_PROXY: createAddressList(parseAddressRange)
    .prefault('')
    .describe(
      'Proxies whose forwarded headers are trusted: addresses, ranges such as `10.0.0.0/8`, or `loopback`, separated by commas.',
    ),
  EGRESS_ALLOW: createAddressList(parseAllowedTarget)
    .prefault('')
    .describe(
      'Private addresses that the server may fetch for its users (subscribed calendars, music): addresses with or without a port (`192.168.1.5:8080`), names with a port (`nas.home:8096`), ranges, `private` for home networks such as 192.168.0.0/16, or `loopback`, separated by commas.',
    ),
  YTDLP_PATH: z
    .string()
    .startsWith('/', 'must be an absolute path')
    .optional()
    .describe(
      "Path of a yt-dlp to use instead of the system's: the zipapp or binary of a release, or an installation by pip, pipx or uv. If 'Update yt-dlp' has installed a newer one, that one is used.",
    ),
  FFMPEG_PATH: z
    .string()
    .startsWith('/', 'must be an absolute path')
    .optional()
    .describe("Path of an ffmpeg to use instead of the system's, with ffprobe next to it. The agent reads this too."),
  BACKUP_EVERY: z
    .string()
    .refine((text) => text === 'off' || parseBackupInterval(text) !== undefined, 'must be such as 1d, 12h or off')
    .prefault('1d')
    .describe(
      'How often a backup is made: `1d` for every night, `12h`, `7d`. `off` makes none, not even before an upgrade.',
    ),
  BACKUP_KEEP: z
    .string()
    .refine((text) => parseBackupRetention(text) !== undefined, 'must be such as 7d,4w,6m')
    .prefault('7d,4w,6m')
    .describe(
      'Which backups are kept: the last one of each of so many days, weeks and months. The newest one, and three from before upgrades, always are.',
    ),
  BACKUP_COPY_TO: z
    .string()
    .refine(
      (text) => text.startsWith('/') || parseS3Address(text) !== undefined,
      'must be an absolute path, or an address such as s3://bucket/pegboard',
    )
    .optional()
    .describe(
      'Where each backup is copied to: a folder on another disk, which must exist, or `s3://bucket/prefix`. Each server needs its own folder or prefix.',
    ),
  BACKUP_PASSPHRASE: z
    .string()
    .min(12, 'must have at least 12 characters')
    .optional()
    .meta({ isSecret: true })
    .describe(
      'Encrypts the copies of backups, so that only this passphrase opens them. Keep it in another place too: without it, the copies are lost.',
    ),
  FILES_URL: z
    .string()
    .refine((text) => parseS3Address(text) !== undefined, 'must be an address such as s3://bucket/pegboard')
    .optional()
    .describe(
      'Where songs and recordings are stored, as `s3://bucket/prefix`. Without it they are in `DATA_DIR`. Each server needs its own bucket or prefix.',
    ),
  S3_ENDPOINT: z
    .string()
    .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'must begin with https:// or http://')
    .optional()
    .describe('Address of the S3-compatible server, such as `https://s3.eu-central-1.amazonaws.com`.'),
  S3_REGION: z.string().prefault('us-east-1').describe('Region of the bucket, as the S3-compatible server names it.'),
  S3_ACCESS_KEY_ID: z
    .string()
    .optional()
    .meta({ isSecret: true })
    .describe('Key for the S3-compatible server. It must be allowed to list, read, write and delete objects.'),
  S3_SECRET_ACCESS_KEY: z.string().optional().meta({ isSecret: true }).describe('Secret of `S3_ACCESS_KEY_ID`.'),
  DISK_WARNING: z
    .string()
    .refine(
      (text) => parseDiskWarning(text) !== undefined,
      'must be a size such as 2GiB or 500MiB, or a share such as 5%',
    )
    .prefault('2GiB')
    .describe(
      'Free disk space below which the owner is warned: a size such as `2GiB` or `500MiB`, or a share of the disk such as `5%`.',
    ),
  OIDC_ISSUER: z
    .string()
    .refine(isIssuer, 'must be an https:// address, or http:// with a local name or address')
    .optional()
    .describe(
      'Address of an OpenID Connect provider for single sign-on, such as `https://auth.example.org`. Register `<origin>/login` there as redirect address.',
    ),
  OIDC_CLIENT_ID: z.string().optional().describe('Client id of this server at the OpenID provider.'),
  OIDC_CLIENT_SECRET: z
    .string()
    .optional()
    .meta({ isSecret: true })
    .describe('Client secret of this server at the OpenID provider. A public client has none.'),
  OIDC_NAME: z
    .string()
    .max(40, 'must have at most 40 characters')
    .prefault('single sign-on')
    .describe("Name of the OpenID provider: the login page says 'Log in with …'."),
  OIDC_CREATE_ACCOUNTS: z
    .enum(['on', 'off'], 'must be on or off')
    .prefault('off')
    .describe('`on` lets everybody whom the OpenID provider admits create an account, whatever the rule for sign-up.'),
  PASSWORD_LOGIN: z
    .enum(['on', 'off'], 'must be on or off')
    .prefault('on')
    .describe(
      '`off` allows logins only at the OpenID provider and with passkeys. A password that the operator has reset works for a day.',
    ),
  METRICS_TOKEN: z
    .string()
    .min(16, 'must have at least 16 characters')
    .optional()
    .meta({ isSecret: true })
    .describe('Bearer token with which other computers can read `/metrics`. Without it, only this computer can.'),
  RATE_LIMITS: z
    .enum(['on', 'off'], 'must be on or off')
    .prefault('on')
    .describe('`off` disables all rate limits and limits per address. Only for load tests.'),
  PASSWORD_HASH: z
    .enum(['full', 'light'], 'must be full or light')
    .prefault('full')
    .describe(
      '`light` hashes passwords with 19 MiB instead of 64 MiB, and a new `BACKUP_PASSPHRASE` with 16 MiB instead of 256 MiB, for computers with less than 1 GiB of memory.',
    ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], 'must be fatal, error, warn, info, debug or silent')
    .prefault('info')
    .describe('Minimum log level. Logs are JSON lines on the standard output.'),
});

const toolSettings = serverTools.flatMap((tool) => tool.settings ?? []);

/** All settings of the server and its tools. The table in docs/configuration.md is generated from it. */
export const settings: ToolSettings = z.object(
  Object.assign({}, ...[ownSettings, ...toolSettings].map(({ shape }) => shape)) as ToolSettings['shape'],
);

export type Config = z.output<typeof ownSettings> & {
  /** Raw texts of the tools' settings, which each tool parses itself. */
  readonly environment: Readonly<Record<string, string>>;
};

/** Invalid settings. The message lists each with its reason. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the variables that are set; empty ones count as unset. */
const selectSetVariables = (environment: Environment): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(environment).flatMap(([name, text]) => (text ? [[name, text]] : [])));

/** Names of the settings with secrets. Each can be in a file instead, which a variable with this suffix names. */
const secretNames = Object.entries(settings.shape).flatMap(([name, field]) =>
  field.meta()?.['isSecret'] === true ? [name] : [],
);
const FILE_SUFFIX = '_FILE';

/** Reads a secret from a file, without the newline at its end. @throws ConfigError */
function readSecretFile(variable: string, path: string): string {
  try {
    const text = readFileSync(path, 'utf8').replace(/[\r\n]+$/, '');
    if (text === '') throw new ConfigError(`${variable}: ${path} is empty`);
    return text;
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`${variable}: ${path} cannot be read (${getErrorCode(error)})`, { cause: error });
  }
}

/** Replaces variables that name the file of a secret by the secret. @throws ConfigError */
function resolveSecretFiles(variables: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const resolved = { ...variables };
  for (const name of secretNames) {
    const variable = name + FILE_SUFFIX;
    const path = variables[variable];
    if (path === undefined) continue;
    if (variables[name] !== undefined) throw new ConfigError(`${variable}: ${name} is set as well. Remove one of them`);
    resolved[name] = readSecretFile(variable, path);
  }
  return resolved;
}

const isInside = (path: string, folder: string): boolean => `${resolve(path)}${sep}`.startsWith(`${folder}${sep}`);

const isS3 = (place: string | undefined): boolean => place !== undefined && parseS3Address(place) !== undefined;

/** @throws ConfigError if files or copies of backups can't be stored where the settings say. */
function assertUsablePlaces(values: z.output<typeof ownSettings>): void {
  const { BACKUP_COPY_TO, DATA_DIR, S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = values;
  const isS3Incomplete = [S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY].includes(undefined);
  for (const name of ['BACKUP_COPY_TO', 'FILES_URL'] as const)
    if (isS3(values[name]) && isS3Incomplete)
      throw new ConfigError(`${name}: also needs S3_ENDPOINT, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY`);
  // Each copy would contain all earlier ones, and a restore would move them away.
  if (BACKUP_COPY_TO !== undefined && !isS3(BACKUP_COPY_TO) && isInside(BACKUP_COPY_TO, resolve(DATA_DIR)))
    throw new ConfigError('BACKUP_COPY_TO: must not be in DATA_DIR. Use another disk');
}

/** @throws ConfigError if settings contradict each other. */
function assertConsistent(values: z.output<typeof ownSettings>): void {
  const { PORT, HTTPS_PORT } = values;
  if (PORT !== 0 && PORT === HTTPS_PORT) throw new ConfigError('HTTPS_PORT: must not be the same as PORT');
  assertUsablePlaces(values);
  const { OIDC_ISSUER, OIDC_CLIENT_ID, PASSWORD_LOGIN } = values;
  if ((OIDC_ISSUER === undefined) !== (OIDC_CLIENT_ID === undefined))
    throw new ConfigError('OIDC_ISSUER: needs OIDC_CLIENT_ID, and the other way round. Set both');
  if (PASSWORD_LOGIN === 'off' && OIDC_ISSUER === undefined)
    throw new ConfigError('PASSWORD_LOGIN: can only be off with OIDC_ISSUER, because nobody could log in');
  if (values.REDIS_URL !== undefined && values.DATABASE_URL === undefined)
    throw new ConfigError('REDIS_URL: needs DATABASE_URL, because several instances cannot share SQLite');
}

/** Reads the settings. @throws ConfigError, which never contains secrets. */
export function readConfig(environment: Environment): Config {
  const variables = resolveSecretFiles(selectSetVariables(environment));
  const ownResult = ownSettings.safeParse(variables);
  const issues = [ownResult, ...toolSettings.map((toolSchema) => toolSchema.safeParse(variables))].flatMap(
    ({ error }) => error?.issues ?? [],
  );
  if (!ownResult.success || issues.length > 0)
    throw new ConfigError(issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n'));
  assertConsistent(ownResult.data);
  const names = toolSettings.flatMap(({ shape }) => Object.keys(shape));
  return {
    ...ownResult.data,
    DATA_DIR: resolve(ownResult.data.DATA_DIR),
    environment: Object.fromEntries(Object.entries(variables).filter(([name]) => names.includes(name))),
  };
}

/** Returns whether a proxy with a public certificate makes the server's own authority unnecessary. */
export function isHttpsRedundant({ HTTPS_PORT, PUBLIC_ORIGIN }: Config): boolean {
  return HTTPS_PORT !== undefined && PUBLIC_ORIGIN.some((origin) => origin.startsWith('https:'));
}

function toS3Access(config: Config): S3Access | undefined {
  const { S3_ENDPOINT: endpoint, S3_ACCESS_KEY_ID: accessKey, S3_SECRET_ACCESS_KEY: secretKey } = config;
  const isComplete = endpoint !== undefined && accessKey !== undefined && secretKey !== undefined;
  return isComplete ? { endpoint, accessKey, secretKey, region: config.S3_REGION } : undefined;
}

/** Returns what it takes to use a place with copies of backups. */
export function toCopyTarget(config: Config, address: string): CopyTarget {
  return { address, passphrase: config.BACKUP_PASSPHRASE, hashCost: config.PASSWORD_HASH, s3: toS3Access(config) };
}

/** Returns the bucket of finished files; undefined if they are in the data folder. */
export function toFilesBucket(config: Config): S3Bucket | undefined {
  const place = config.FILES_URL === undefined ? undefined : parseS3Address(config.FILES_URL);
  const access = toS3Access(config);
  return place && access && { ...place, ...access };
}

function toSingleSignOnOptions(config: Config): ServerOptions['singleSignOn'] {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId } = config;
  if (issuer === undefined || clientId === undefined) return undefined;
  return {
    issuer,
    clientId,
    clientSecret: config.OIDC_CLIENT_SECRET,
    name: config.OIDC_NAME,
    createsAccounts: config.OIDC_CREATE_ACCOUNTS === 'on',
    allowsPasswords: config.PASSWORD_LOGIN === 'on',
  };
}

/** Converts the settings to options of a server. */
export function toServerOptions(config: Config): ServerOptions {
  return {
    dataDir: config.DATA_DIR,
    diskWarning: parseDiskWarning(config.DISK_WARNING),
    databaseUrl: config.DATABASE_URL,
    redisUrl: config.REDIS_URL,
    role: config.ROLE,
    ...(config.INSTANCE_NAME !== undefined && { instanceName: config.INSTANCE_NAME }),
    publicOrigins: config.PUBLIC_ORIGIN,
    basePath: config.BASE_PATH,
    trustProxy: config.TRUST_PROXY,
    egressAllow: config.EGRESS_ALLOW,
    rateLimits: config.RATE_LIMITS === 'on',
    passwordHash: config.PASSWORD_HASH,
    logLevel: config.LOG_LEVEL,
    ytdlpPath: config.YTDLP_PATH,
    ffmpegPath: config.FFMPEG_PATH,
    metricsToken: config.METRICS_TOKEN,
    singleSignOn: toSingleSignOnOptions(config),
    backupIntervalMs: parseBackupInterval(config.BACKUP_EVERY),
    backupRetention: parseBackupRetention(config.BACKUP_KEEP),
    filesBucket: toFilesBucket(config),
    backupCopyTo: config.BACKUP_COPY_TO === undefined ? undefined : toCopyTarget(config, config.BACKUP_COPY_TO),
    environment: config.environment,
  };
}

/** Returns the settings for display, with secrets masked. */
export function maskConfig({ environment, ...own }: Config): readonly (readonly [name: string, value: string])[] {
  const values: Readonly<Record<string, string | number | readonly string[] | undefined>> = { ...environment, ...own };
  return Object.entries(settings.shape).map(([name, field]) => {
    // Settings of tools are read by the tools, from the environment.
    const preset = field.safeParse(undefined).data as string | number | undefined;
    const value = String(values[name] ?? preset ?? '');
    return [name, value !== '' && field.meta()?.['isSecret'] === true ? '***' : value];
  });
}

/** Formats the sentence of docs/configuration.md about secrets in files. */
export function formatSecretFiles(): string {
  const names = secretNames.map((name) => formatCode(name + FILE_SUFFIX)).join(', ');
  return `A secret can be in a file instead, so that it is in no list of variables: ${names} take the path of a file. A newline at its end is ignored. The server doesn't start if the file can't be read, or if both variables of a secret are set.`;
}

const TABLE_HEAD = ['variable', 'default', 'description'] as const;

const formatCode = (text: string): string => (text === '' ? '' : `\`${text}\``);

/** Formats the table of docs/configuration.md, with columns aligned as the formatter does. */
export function formatSettingsTable(): string {
  const defaults = z.toJSONSchema(settings, { io: 'input' }).properties ?? {};
  const rows = Object.entries(settings.shape).map(([name, field]) => {
    const defaultValue = defaults[name];
    const value =
      typeof defaultValue === 'object' && typeof defaultValue.default === 'string' ? defaultValue.default : '';
    return [formatCode(name), formatCode(value), field.description ?? ''];
  });
  const widths = TABLE_HEAD.map((head, index) => Math.max(head.length, ...rows.map((row) => row[index]?.length ?? 0)));
  const formatRow = (cells: readonly string[], filler = ' '): string =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0, filler)).join(' | ')} |`;
  return [formatRow(TABLE_HEAD), formatRow(['', '', ''], '-'), ...rows.map((row) => formatRow(row))].join('\n');
}
