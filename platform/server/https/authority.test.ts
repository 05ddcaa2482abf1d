import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { getSkipReason } from '#testing/machine.ts';
import { getAuthorityPath, loadOrCreateAuthority, readAuthority } from './authority.ts';
import { needsRenewal, issueLeafCertificate } from './ownHttps.ts';

const toInstant = (text: string): Temporal.Instant => Temporal.Instant.from(text);
const NOW = toInstant('2026-11-21T12:00:00Z');

const loadAuthority = (dataDir: string, now = NOW, publicHosts: readonly string[] = []) =>
  loadOrCreateAuthority({ dataDir, now, hostname: 'raspi', publicHosts });

test('the first start creates an authority that only its user can read, and later ones use it', async () => {
  const dataDir = await createTempFolder();
  const first = await loadAuthority(dataDir);
  expect(first.isNew).toBe(true);
  expect((await stat(getAuthorityPath(dataDir))).mode & 0o777).toBe(0o600);
  expect(await readdir(dataDir)).toEqual(['authority.json']);
  const reloaded = await loadAuthority(dataDir, NOW.add({ hours: 24 * 365 }));
  expect(reloaded.isNew).toBe(false);
  expect(reloaded.authority.fingerprint).toBe(first.authority.fingerprint);
  expect(first.authority.name).toMatch(/^Pegboard on raspi [0-9A-F]{4}$/);
  expect(first.authority.fingerprint).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
});

test('a key that others could read is made private, and reported', async () => {
  const dataDir = await createTempFolder();
  const { authority } = await loadAuthority(dataDir);
  await chmod(getAuthorityPath(dataDir), 0o644);
  const reloaded = await loadAuthority(dataDir);
  expect(reloaded.wasReadableByOthers).toBe(true);
  expect(reloaded.authority.fingerprint).toBe(authority.fingerprint);
  expect((await stat(getAuthorityPath(dataDir))).mode & 0o777).toBe(0o600);
});

test.for(['', '{}', 'not JSON', '{"certificate":"x","key":"y","permitted":{"ranges":[],"endings":[]}}'])(
  'a damaged file is reported and stays unchanged: %j',
  async (text) => {
    const dataDir = await createTempFolder();
    await writeFile(getAuthorityPath(dataDir), text);
    await expect(loadAuthority(dataDir)).rejects.toThrow(
      /authority\.json, the certificate authority of HTTPS_PORT, is damaged\. Restore/,
    );
    expect(await readFile(getAuthorityPath(dataDir), 'utf8')).toBe(text);
  },
);

test('a key that does not belong to the certificate is reported', async () => {
  const dataDir = await createTempFolder();
  const otherDataDir = await createTempFolder();
  await loadAuthority(dataDir);
  await loadAuthority(otherDataDir);
  const ownFile = JSON.parse(await readFile(getAuthorityPath(dataDir), 'utf8')) as Record<string, unknown>;
  const otherFile = JSON.parse(await readFile(getAuthorityPath(otherDataDir), 'utf8')) as Record<string, unknown>;
  await writeFile(getAuthorityPath(dataDir), JSON.stringify({ ...ownFile, key: otherFile['key'] }));
  await expect(loadAuthority(dataDir)).rejects.toThrow('is damaged');
});

test('an unreadable file is reported and not replaced', async () => {
  const dataDir = await createTempFolder();
  await mkdir(getAuthorityPath(dataDir));
  await expect(loadAuthority(dataDir)).rejects.toThrow(
    /authority\.json, the certificate authority of HTTPS_PORT, cannot be read \(EISDIR\)/,
  );
  await expect(readAuthority(await createTempFolder())).resolves.toBeUndefined();
});

test('an expired authority is reported; with a wrong clock, a new one starts in 2026', async () => {
  const dataDir = await createTempFolder();
  const { authority } = await loadAuthority(dataDir, toInstant('1970-01-01T00:01:00Z'));
  expect(authority.notBefore.toString()).toBe('2026-01-01T00:00:00Z');
  await expect(loadAuthority(dataDir, toInstant('2036-06-01T00:00:00Z'))).rejects.toThrow(
    'expired on 2035-12-30. Set the clock of this computer if it is wrong',
  );
});

test('a certificate lasts 90 days, and is only renewed for changed hosts, near its end, or after a clock change', async () => {
  const { authority } = await loadAuthority(await createTempFolder());
  const hosts = ['192.168.1.5', 'raspi.local'];
  const leaf = issueLeafCertificate(authority, hosts, NOW);
  const { subjectAltName, validToDate, keyUsage } = new X509Certificate(leaf.certificate);
  expect(subjectAltName).toBe('IP Address:192.168.1.5, DNS:raspi.local');
  expect(keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  expect(validToDate.toISOString()).toBe('2027-02-18T12:00:00.000Z');
  const isDue = (now: Temporal.Instant, currentHosts: readonly string[] = hosts): boolean =>
    needsRenewal(leaf, authority, currentHosts, now);
  expect(isDue(NOW)).toBe(false);
  expect(isDue(NOW, hosts.toReversed())).toBe(false);
  expect(isDue(NOW, ['192.168.1.5'])).toBe(true);
  expect(isDue(NOW, [...hosts, '10.0.0.1'])).toBe(true);
  expect(isDue(NOW, ['192.168.1.6', 'raspi.local'])).toBe(true);
  expect(isDue(toInstant('2027-01-19T11:00:00Z'))).toBe(false);
  expect(isDue(toInstant('2027-01-19T13:00:00Z'))).toBe(true);
  expect(isDue(NOW.subtract({ hours: 23 }))).toBe(false);
  expect(isDue(toInstant('2026-01-01T00:00:00Z'))).toBe(false); // the authority itself does not start earlier
});

test('a certificate that starts in the future is renewed', async () => {
  const { authority } = await loadAuthority(await createTempFolder());
  const leaf = issueLeafCertificate(authority, ['raspi.local'], NOW.add({ hours: 24 * 40 }));
  expect(needsRenewal(leaf, authority, ['raspi.local'], NOW)).toBe(true);
});

test('near its own end, the authority issues what it can, once', async () => {
  const { authority } = await loadAuthority(await createTempFolder());
  const now = authority.notAfter.subtract({ hours: 24 * 10 });
  const leaf = issueLeafCertificate(authority, ['raspi.local'], now);
  expect(leaf.notAfter.toString()).toBe(authority.notAfter.toString());
  expect(needsRenewal(leaf, authority, ['raspi.local'], now.add({ hours: 1 }))).toBe(false);
});

const lack = getSkipReason('openssl');

test.skipIf(lack)(`openssl accepts certificates for permitted hosts, and no others ${lack ?? ''}`, async () => {
  const folder = await createTempFolder();
  const { authority } = await loadAuthority(folder, Temporal.Now.instant());
  const run = promisify(execFile);
  const ca = join(folder, 'ca.pem');
  await writeFile(ca, authority.certificate.toString());
  async function verify(hosts: readonly string[], ...more: readonly string[]): Promise<string> {
    const path = join(folder, 'leaf.pem');
    await writeFile(path, issueLeafCertificate(authority, hosts, Temporal.Now.instant()).certificate);
    const args = ['verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', ca, ...more, path];
    return run('openssl', args).then(
      ({ stdout }) => stdout,
      ({ stderr }: { readonly stderr: string }) => stderr,
    );
  }
  const homeHosts = ['192.168.1.5', 'fd00::5', 'raspi.local', 'raspi', 'localhost', '127.0.0.1', '::1'];
  expect(await verify(homeHosts)).toContain('leaf.pem: OK');
  expect(await verify(homeHosts, '-verify_hostname', 'raspi.local')).toContain('leaf.pem: OK');
  expect(await verify(homeHosts, '-verify_ip', 'fd00::5')).toContain('leaf.pem: OK');
  expect(await verify(['192.168.1.5'])).toContain('leaf.pem: OK');
  for (const host of ['example.com', 'www.example.com', '8.8.8.8', '2001:db8::1'])
    expect(await verify([...homeHosts, host])).toContain('permitted subtree violation');
  const { stdout } = await run('openssl', ['x509', '-in', ca, '-noout', '-text']);
  for (const line of ['CA:TRUE, pathlen:0', 'Name Constraints: critical', 'NIST CURVE: P-256', 'Key Usage: critical'])
    expect(stdout).toContain(line);
});
