import { generateKeyPairSync } from 'node:crypto';
import type { CertificateAuthority } from './authority.ts';
import { toPem, createServerCertificate, type Validity } from './certificate.ts';

/** The server's certificate and its key, which lives in memory alone: each start has another one. */
export interface LeafCertificate extends Validity {
  readonly hosts: readonly string[];
  readonly certificate: string;
  readonly key: string;
}

/** Apple takes at most 397. */
const VALIDITY_DAYS = 90;
const RENEWAL_DAYS = 30;
const HOURS = 24;

const later = (one: Temporal.Instant, other: Temporal.Instant): Temporal.Instant =>
  Temporal.Instant.compare(one, other) > 0 ? one : other;
const earlier = (one: Temporal.Instant, other: Temporal.Instant): Temporal.Instant =>
  Temporal.Instant.compare(one, other) < 0 ? one : other;

/** A day back: clocks of phones differ. */
export const issueLeafCertificate = (
  authority: CertificateAuthority,
  hosts: readonly string[],
  now: Temporal.Instant,
): LeafCertificate => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const from = later(now.subtract({ hours: HOURS }), authority.notBefore);
  const ends = earlier(from.add({ hours: HOURS * VALIDITY_DAYS }), authority.notAfter);
  const issued = createServerCertificate(
    { issuer: authority.name, issuerKey: authority.keys, publicKey },
    { hosts, notBefore: from, notAfter: ends },
  );
  return {
    hosts,
    notBefore: from,
    notAfter: ends,
    certificate: toPem(issued),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
};

/**
 * Whether another one is needed: a name or address came or went, its time runs out, or the clock was set to before it.
 * Where the authority's own time leaves no room for a better one, it stays.
 */
export const needsRenewal = (
  leaf: LeafCertificate,
  authority: Validity,
  hosts: readonly string[],
  now: Temporal.Instant,
): boolean => {
  if (hosts.length !== leaf.hosts.length || hosts.some((host) => !leaf.hosts.includes(host))) return true;
  const isTooEarly = Temporal.Instant.compare(now, leaf.notBefore) < 0;
  if (isTooEarly) return Temporal.Instant.compare(leaf.notBefore, authority.notBefore) > 0;
  const isRunningOut = Temporal.Instant.compare(now, leaf.notAfter.subtract({ hours: HOURS * RENEWAL_DAYS })) > 0;
  return isRunningOut && Temporal.Instant.compare(leaf.notAfter, authority.notAfter) < 0;
};
