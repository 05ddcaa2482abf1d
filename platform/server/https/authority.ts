import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto';
import { chmod, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import * as z from 'zod/mini';
import { DAY_HOURS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { hasErrorCode } from '../storage/errorCode.ts';
import { createAuthorityCertificate, type KeyPair, toPem, type Validity } from './certificate.ts';
import { type NameConstraints, createNameConstraints } from './nameConstraints.ts';

const CERTIFICATE_TYPE = 'application/x-x509-ca-cert';

/** Serves the authority's certificate to everyone, also over plain HTTP, because phones need it before HTTPS works. */
export function registerAuthorityRoute(
  http: FastifyInstance,
  getAuthority: () => CertificateAuthority | undefined,
): void {
  const serializerByUrl = {
    '/trust/pegboard-ca.crt': ({ certificate }: CertificateAuthority) => certificate.raw,
    '/trust/pegboard-ca.pem': ({ certificate }: CertificateAuthority) => certificate.toString(),
  };
  for (const [url, serialize] of Object.entries(serializerByUrl))
    http.route({
      method: ['GET', 'HEAD'],
      url,
      handler: (_request, reply) => {
        reply.header('cache-control', 'no-store');
        const authority = getAuthority();
        if (authority) return reply.type(CERTIFICATE_TYPE).send(serialize(authority));
        return reply.code(404).type('text/plain').send('This server does not serve https itself. HTTPS_PORT is off\n');
      },
    });
}

/** The server's own certificate authority, which users trust on their phones. */
export interface CertificateAuthority extends Validity {
  /** Name in the lists of trusted certificates. */
  readonly name: string;
  /** SHA-256 of the certificate, as pairs of hex digits with colons. */
  readonly fingerprint: string;
  readonly nameConstraints: NameConstraints;
  readonly certificate: X509Certificate;
  readonly keys: KeyPair;
}

const AUTHORITY_FILE = 'authority.json';
const VALIDITY_YEARS = 10;
/** Start of the oldest authority. A clock before this moment is wrong. */
const EARLIEST_DATE = Temporal.Instant.from('2026-01-01T00:00:00Z');

const storedAuthority = z.object({
  /** Certificate as PEM. */
  certificate: z.string(),
  /** Private key as PEM. */
  key: z.string(),
  /** Name constraints. `endings` are the domain suffixes. */
  permitted: z.object({ ranges: z.array(z.string()), endings: z.array(z.string()) }),
});

/** Returns the path of the authority's file. */
export function getAuthorityPath(dataDir: string): string {
  return join(dataDir, AUTHORITY_FILE);
}

const REPLACE_ADVICE = 'delete it: the next start creates a new authority, which every phone must trust again';

function parseAuthority(text: string, path: string): CertificateAuthority {
  try {
    const { certificate: pem, key, permitted } = storedAuthority.parse(JSON.parse(text));
    const certificate = new X509Certificate(pem);
    const privateKey = createPrivateKey(key);
    if (!certificate.checkPrivateKey(privateKey)) throw new Error('the key does not belong to the certificate');
    return {
      name: certificate.subject.replace(/^CN=/, ''),
      fingerprint: certificate.fingerprint256,
      nameConstraints: { ranges: permitted.ranges, domainSuffixes: permitted.endings },
      certificate,
      keys: { privateKey, publicKey: createPublicKey(privateKey) },
      notBefore: Temporal.Instant.from(certificate.validFromDate.toISOString()),
      notAfter: Temporal.Instant.from(certificate.validToDate.toISOString()),
    };
  } catch {
    // Omit the reason, which could contain parts of the key.
    throw new Refusal(
      'https.authority_damaged',
      `${path}, the certificate authority of HTTPS_PORT, is damaged. Restore it from a backup, or ${REPLACE_ADVICE}`,
    );
  }
}

/** Reads the authority of a data folder; undefined if there is none. @throws Refusal if it is unreadable or damaged. */
export async function readAuthority(dataDir: string): Promise<CertificateAuthority | undefined> {
  const path = getAuthorityPath(dataDir);
  try {
    return parseAuthority(await readFile(path, 'utf8'), path);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    if (hasErrorCode(error, 'ENOENT')) return undefined;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no reason';
    throw new Refusal(
      'https.authority_unreadable',
      `${path}, the certificate authority of HTTPS_PORT, cannot be read (${code}). Give this user read access`,
    );
  }
}

/** Returns whether other users of this computer can read the file with the key. */
export async function isReadableByOthers(dataDir: string): Promise<boolean> {
  return process.platform !== 'win32' && ((await stat(getAuthorityPath(dataDir))).mode & 0o077) !== 0;
}

/** Replaces the authority's file atomically. */
async function writeAuthority(path: string, text: string, dataDir: string): Promise<void> {
  const temporaryPath = `${path}.new`;
  // The mode of an existing file would not change.
  await rm(temporaryPath, { force: true });
  await writeFile(temporaryPath, text, { flag: 'wx', mode: 0o600, flush: true });
  await rename(temporaryPath, path);
  if (process.platform === 'win32') return;
  await using folder = await open(dataDir);
  await folder.sync();
}

interface AuthorityOptions {
  readonly dataDir: string;
  readonly now: Temporal.Instant;
  readonly hostname: string;
  /** Hosts that the authority may sign for, in addition to those of private networks. */
  readonly publicHosts: readonly string[];
}

async function createAuthority(options: AuthorityOptions): Promise<CertificateAuthority> {
  const { dataDir, now, hostname, publicHosts } = options;
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { ranges, domainSuffixes } = createNameConstraints(hostname, publicHosts);
  const yesterday = now.subtract({ hours: DAY_HOURS });
  const notBefore = Temporal.Instant.compare(yesterday, EARLIEST_DATE) < 0 ? EARLIEST_DATE : yesterday;
  const notAfter = notBefore.add({ hours: DAY_HOURS * 365 * VALIDITY_YEARS });
  // The name is unique, so that phones never confuse a later authority with this one.
  const suffix = randomBytes(2).toString('hex').toUpperCase();
  const name = `Pegboard on ${hostname.replaceAll(/[^\w.-]/g, '').slice(0, 40) || 'this computer'} ${suffix}`;
  const permitted = [...domainSuffixes, ...ranges];
  const certificate = toPem(createAuthorityCertificate(name, keys, { notBefore, notAfter, permitted }));
  const key = keys.privateKey.export({ type: 'pkcs8', format: 'pem' });
  const path = getAuthorityPath(dataDir);
  const text = JSON.stringify({ certificate, key, permitted: { ranges, endings: domainSuffixes } }, undefined, 2);
  await writeAuthority(path, `${text}\n`, dataDir);
  return parseAuthority(text, path);
}

/**
 * Loads the authority of a data folder, or creates the first one. An unreadable one is never replaced: phones trust it.
 * @throws Refusal if it is unreadable, damaged or expired.
 */
export async function loadOrCreateAuthority(options: AuthorityOptions): Promise<{
  readonly authority: CertificateAuthority;
  readonly isNew: boolean;
  readonly wasReadableByOthers: boolean;
}> {
  const { dataDir, now } = options;
  const authority = await readAuthority(dataDir);
  if (!authority) return { authority: await createAuthority(options), isNew: true, wasReadableByOthers: false };
  if (Temporal.Instant.compare(now, authority.notAfter) >= 0)
    throw new Refusal(
      'https.authority_expired',
      `${getAuthorityPath(dataDir)}, the certificate authority of HTTPS_PORT, expired on ${authority.notAfter.toString().slice(0, 10)}. Set the clock of this computer if it is wrong. Otherwise ${REPLACE_ADVICE}`,
    );
  const wasReadableByOthers = await isReadableByOthers(dataDir);
  if (wasReadableByOthers) await chmod(getAuthorityPath(dataDir), 0o600);
  return { authority, isNew: false, wasReadableByOthers };
}
