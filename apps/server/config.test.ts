import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import {
  ConfigError,
  toServerOptions,
  readConfig,
  settings,
  formatSecretFiles,
  formatSettingsTable,
  maskConfig,
} from './config.ts';

/** Returns the error message for invalid settings. */
function getErrorMessage(environment: Readonly<Record<string, string>>): string {
  try {
    readConfig(environment);
    return 'valid';
  } catch (error) {
    return error instanceof ConfigError ? error.message : 'another error';
  }
}

test('without settings, the server listens to everyone on port 8300, with its data in ./data', () => {
  const config = readConfig({});
  expect(config).toMatchObject({ PORT: 8300, HOST: '::', RATE_LIMITS: 'on', PASSWORD_HASH: 'full', LOG_LEVEL: 'info' });
  expect(config.DATA_DIR).toMatch(/\/data$/);
  expect(readConfig({ PORT: '', DATABASE_URL: '' })).toEqual(config);
  expect(toServerOptions(config)).toMatchObject({ rateLimits: true, publicOrigins: [], trustProxy: [] });
});

test('lists are split at commas', () => {
  const config = readConfig({
    PUBLIC_ORIGIN: 'https://a.example, https://b.example:8443/',
    TRUST_PROXY: 'loopback,10.0.0.0/8',
  });
  expect(config.PUBLIC_ORIGIN).toEqual(['https://a.example', 'https://b.example:8443']);
  expect(config.TRUST_PROXY).toEqual(['loopback', '10.0.0.0/8']);
});

test.each([
  ['PORT', '65536', 'PORT: must be a number from 0 to 65535'],
  ['HTTPS_PORT', 'on', 'HTTPS_PORT: must be a number from 0 to 65535'],
  ['HTTPS_PORT', '8300', 'HTTPS_PORT: must not be the same as PORT'],
  ['BACKUP_COPY_TO', resolve('data/copies'), 'BACKUP_COPY_TO: must not be in DATA_DIR. Use another disk'],
  ['DATABASE_URL', 'mysql://me:secret@host/x', 'DATABASE_URL: must begin with postgres://'],
  [
    'PUBLIC_ORIGIN',
    'https://a.example/path',
    "PUBLIC_ORIGIN: 'https://a.example/path' is not an origin such as https://pegboard.example.org",
  ],
  ['BASE_PATH', 'pegboard', 'BASE_PATH: must be a path such as /pegboard'],
  ['BASE_PATH', '/a/../b', 'BASE_PATH: must be a path such as /pegboard'],
  ['TRUST_PROXY', 'true', "TRUST_PROXY: 'true' is not an address, a range such as 10.0.0.0/8, or 'loopback'"],
  [
    'EGRESS_ALLOW',
    'home',
    "EGRESS_ALLOW: 'home' is not an address, a name with a port such as nas.home:8096, a range such as 10.0.0.0/8, 'private' or 'loopback'",
  ],
  ['DISK_WARNING', '2 GB', 'DISK_WARNING: must be a size such as 2GiB or 500MiB, or a share such as 5%'],
  ['DISK_WARNING', '100%', 'DISK_WARNING: must be a size such as 2GiB or 500MiB, or a share such as 5%'],
  ['METRICS_TOKEN', 'secret', 'METRICS_TOKEN: must have at least 16 characters'],
  ['RATE_LIMITS', 'no', 'RATE_LIMITS: must be on or off'],
  ['PASSWORD_HASH', 'none', 'PASSWORD_HASH: must be full or light'],
  ['LOG_LEVEL', 'loud', 'LOG_LEVEL: must be fatal, error, warn, info, debug or silent'],
])('%s=%s is refused with its name and reason', (name, value, sentence) => {
  expect(getErrorMessage({ [name]: value })).toBe(sentence);
});

test('secrets are masked in displayed settings', () => {
  const masked = Object.fromEntries(
    maskConfig(readConfig({ DATABASE_URL: 'postgres://me:hunter2@host/x', METRICS_TOKEN: 'hunter2hunter2hunter2' })),
  );
  expect(masked).toMatchObject({ MUSIC_QUOTA_GB: '20' });
  expect(masked).toMatchObject({ PORT: '8300', DATABASE_URL: '***', METRICS_TOKEN: '***', PUBLIC_ORIGIN: '' });
});

test('a secret is read from a file, without the newline at its end, and is masked', async () => {
  const folder = await createTempFolder();
  const path = join(folder, 'secret');
  await writeFile(path, 'hunter2hunter2hunter2\r\n');
  const config = readConfig({ METRICS_TOKEN_FILE: path, AI_API_KEY_FILE: path });
  expect(config.METRICS_TOKEN).toBe('hunter2hunter2hunter2');
  expect(config.environment).toEqual({ AI_API_KEY: 'hunter2hunter2hunter2' });
  expect(Object.fromEntries(maskConfig(config))).toMatchObject({ METRICS_TOKEN: '***', AI_API_KEY: '***' });
  // What the file contains is checked as the variable is.
  await writeFile(path, 'short\n');
  expect(getErrorMessage({ METRICS_TOKEN_FILE: path })).toBe('METRICS_TOKEN: must have at least 16 characters');
  await writeFile(path, '\n');
  expect(getErrorMessage({ METRICS_TOKEN_FILE: path })).toBe(`METRICS_TOKEN_FILE: ${path} is empty`);
  expect(getErrorMessage({ METRICS_TOKEN_FILE: folder })).toBe(`METRICS_TOKEN_FILE: ${folder} cannot be read (EISDIR)`);
  expect(getErrorMessage({ DATABASE_URL_FILE: join(folder, 'none'), DATABASE_URL: '' })).toBe(
    `DATABASE_URL_FILE: ${join(folder, 'none')} cannot be read (ENOENT)`,
  );
  expect(getErrorMessage({ METRICS_TOKEN_FILE: path, METRICS_TOKEN: 'hunter2hunter2hunter2' })).toBe(
    'METRICS_TOKEN_FILE: METRICS_TOKEN is set as well. Remove one of them',
  );
  // Only secrets can be in files.
  expect(readConfig({ PORT_FILE: path }).PORT).toBe(8300);
});

const getWarning = (DISK_WARNING: string) => toServerOptions(readConfig({ DISK_WARNING })).diskWarning;

test('the warning about the disk is a size or a share', () => {
  expect(getWarning('')).toEqual({ bytes: 2 * 1024 ** 3 });
  expect(getWarning('1.5 GiB')).toEqual({ bytes: 1.5 * 1024 ** 3 });
  expect(getWarning('5%')).toEqual({ share: 0.05 });
});

test('each setting has a description, and docs/configuration.md has the same', async () => {
  for (const field of Object.values(settings.shape)) expect(field.description).toMatch(/\.$/);
  const page = `# Settings\n\nThe server reads these environment variables when it starts. If a value is not valid, it does not start, and prints the name of the variable and the reason. \`npm run pegboard -- config\` shows all values, with secrets masked.\n\n${formatSecretFiles()} [running.md](running.md#secrets-in-files) shows it for systemd and containers.\n\nThis page is generated from \`apps/server/config.ts\`. To update it, run \`node run.cjs vitest run apps/server/config.test.ts -u\`.\n\n${formatSettingsTable()}\n`;
  await expect(page).toMatchFileSnapshot('../../docs/configuration.md');
});
