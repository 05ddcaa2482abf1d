import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto';
import { chmod, open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import * as z from 'zod/mini';
import { Refusal } from '#platform/contract/refusal.ts';
import { hasErrorCode } from '../storage/diskSpace.ts';
import { createAuthorityCertificate, type KeyPair, toPem, type Validity } from './certificate.ts';
import { type NameConstraints, createNameConstraints } from './nameConstraints.ts';

const TYPE = 'application/x-x509-ca-cert';

/** The authority's certificate for everybody, over plain http too: a phone has to have it before https works. */
export function registerAuthorityRoute(http: FastifyInstance, authority: () => CertificateAuthority | undefined): void {
  const files = {
    '/trust/pegboard-ca.crt': ({ certificate }: CertificateAuthority) => certificate.raw,
    '/trust/pegboard-ca.pem': ({ certificate }: CertificateAuthority) => certificate.toString(),
  };
  for (const [url, read] of Object.entries(files))
    http.route({
      method: ['GET', 'HEAD'],
      url,
      handler: (_request, reply) => {
        reply.header('cache-control', 'no-store');
        const own = authority();
        if (own) return reply.type(TYPE).send(read(own));
        return reply.code(404).type('text/plain').send('This server serves no https itself: HTTPS_PORT is off.\n');
      },
    });
}

/** The server's own certificate authority: what phones are asked to trust. */
export interface CertificateAuthority extends Validity {
  /** As the lists of trusted certificates show it. */
  readonly name: string;
  /** SHA-256: pairs of hex digits with colons. */
  readonly fingerprint: string;
  readonly nameConstraints: NameConstraints;
  readonly certificate: X509Certificate;
  readonly keys: KeyPair;
}

const FILE = 'authority.json';
const YEARS = 10;
/** No authority of ours is older: a clock that stands before it is wrong. */
const EARLIEST = Temporal.Instant.from('2026-01-01T00:00:00Z');
const DAY_HOURS = 24;

const kept = z.object({
  /** PEM. */
  certificate: z.string(),
  key: z.string(),
  permitted: z.object({ ranges: z.array(z.string()), endings: z.array(z.string()) }),
});

export function getAuthorityPath(dataDir: string): string {
  return join(dataDir, FILE);
}

const NEW_ONE = 'delete it: the next start makes a new authority, which every phone has to trust anew';

const parse = (text: string, path: string): CertificateAuthority => {
  try {
    const { certificate: pem, key, permitted } = kept.parse(JSON.parse(text));
    const certificate = new X509Certificate(pem);
    const privateKey = createPrivateKey(key);
    if (!certificate.checkPrivateKey(privateKey)) throw new Error('the key is another one');
    return {
      name: certificate.subject.replace(/^CN=/, ''),
      fingerprint: certificate.fingerprint256,
      nameConstraints: permitted,
      certificate,
      keys: { privateKey, publicKey: createPublicKey(privateKey) },
      notBefore: Temporal.Instant.from(certificate.validFromDate.toISOString()),
      notAfter: Temporal.Instant.from(certificate.validToDate.toISOString()),
    };
  } catch {
    // What is wrong with it may hold parts of the key, so the reason stays here.
    throw new Refusal(`${path}, the authority of HTTPS_PORT, is damaged. Restore it from a backup, or ${NEW_ONE}.`);
  }
};

/** The authority of a data folder; undefined where none was made. @throws Refusal where it cannot be read or is damaged. */
export async function readAuthority(dataDir: string): Promise<CertificateAuthority | undefined> {
  const path = getAuthorityPath(dataDir);
  try {
    return parse(await readFile(path, 'utf8'), path);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    if (hasErrorCode(error, 'ENOENT')) return undefined;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no reason';
    throw new Refusal(`${path}, the authority of HTTPS_PORT, cannot be read (${code}). Let this user read it.`);
  }
}

/** Whether others than the server's own user may read the key. */
export async function isReadableByOthers(dataDir: string): Promise<boolean> {
  return process.platform !== 'win32' && ((await stat(getAuthorityPath(dataDir))).mode & 0o077) !== 0;
}

/** Either the whole file is there, or none. */
const write = async (path: string, text: string, dataDir: string): Promise<void> => {
  const unfinished = `${path}.new`;
  const file = await open(unfinished, 'w', 0o600);
  try {
    await file.chmod(0o600); // one that was left there keeps its mode
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
  if (process.platform === 'win32') return;
  const folder = await open(dataDir);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};

interface AuthorityOptions {
  readonly dataDir: string;
  readonly now: Temporal.Instant;
  readonly hostname: string;
  /** Hosts that it shall stand for besides those of private networks. */
  readonly publicHosts: readonly string[];
}

const createAuthority = async ({
  dataDir,
  now,
  hostname,
  publicHosts,
}: AuthorityOptions): Promise<CertificateAuthority> => {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const permitted = createNameConstraints(hostname, publicHosts);
  const yesterday = now.subtract({ hours: DAY_HOURS });
  const from = Temporal.Instant.compare(yesterday, EARLIEST) < 0 ? EARLIEST : yesterday;
  const ends = from.add({ hours: DAY_HOURS * 365 * YEARS });
  // A name of its own, so that a phone never takes a later authority for this one.
  const mark = randomBytes(2).toString('hex').toUpperCase();
  const name = `Pegboard on ${hostname.replaceAll(/[^\w.-]/g, '').slice(0, 40) || 'this computer'} ${mark}`;
  const all = [...permitted.endings, ...permitted.ranges];
  const certificate = toPem(
    createAuthorityCertificate(name, keys, { notBefore: from, notAfter: ends, permitted: all }),
  );
  const key = keys.privateKey.export({ type: 'pkcs8', format: 'pem' });
  const path = getAuthorityPath(dataDir);
  const text = JSON.stringify({ certificate, key, permitted }, undefined, 2);
  await write(path, `${text}\n`, dataDir);
  return parse(text, path);
};

/** Reads the authority of a data folder, or makes the first one. An unreadable one is never replaced: phones trust it. @throws Refusal */
export async function loadOrCreateAuthority(
  wanted: AuthorityOptions,
): Promise<{ readonly authority: CertificateAuthority; readonly isNew: boolean; readonly wasOpen: boolean }> {
  const { dataDir, now } = wanted;
  const found = await readAuthority(dataDir);
  if (!found) return { authority: await createAuthority(wanted), isNew: true, wasOpen: false };
  if (Temporal.Instant.compare(now, found.notAfter) >= 0)
    throw new Refusal(
      `${getAuthorityPath(dataDir)}, the authority of HTTPS_PORT, ended on ${found.notAfter.toString().slice(0, 10)}. Set this computer's clock if it is wrong, else ${NEW_ONE}.`,
    );
  const wasOpen = await isReadableByOthers(dataDir);
  if (wasOpen) await chmod(getAuthorityPath(dataDir), 0o600);
  return { authority: found, isNew: false, wasOpen };
}
