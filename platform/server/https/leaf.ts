import { generateKeyPairSync } from 'node:crypto';
import type { Authority } from './authority.ts';
import { pemOf, serverCertificate, type Validity } from './certificate.ts';

/** The server's certificate and its key, which lives in memory alone: each start has another one. */
export interface Leaf extends Validity {
  readonly hosts: readonly string[];
  readonly certificate: string;
  readonly key: string;
}

/** Apple takes at most 397. */
const DAYS = 90;
const LEFT_DAYS = 30;
const HOURS = 24;

const later = (one: Temporal.Instant, other: Temporal.Instant): Temporal.Instant =>
  Temporal.Instant.compare(one, other) > 0 ? one : other;
const earlier = (one: Temporal.Instant, other: Temporal.Instant): Temporal.Instant =>
  Temporal.Instant.compare(one, other) < 0 ? one : other;

/** A day back: clocks of phones differ. */
export const issueLeaf = (authority: Authority, hosts: readonly string[], now: Temporal.Instant): Leaf => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const from = later(now.subtract({ hours: HOURS }), authority.from);
  const ends = earlier(from.add({ hours: HOURS * DAYS }), authority.ends);
  const issued = serverCertificate(
    { issuer: authority.name, issuerKey: authority.keys, publicKey },
    { hosts, from, ends },
  );
  return {
    hosts,
    from,
    ends,
    certificate: pemOf(issued),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
};

/**
 * Whether another one is needed: a name or address came or went, its time runs out, or the clock was set to before it.
 * Where the authority's own time leaves no room for a better one, it stays.
 */
export const isDue = (leaf: Leaf, authority: Validity, hosts: readonly string[], now: Temporal.Instant): boolean => {
  if (hosts.length !== leaf.hosts.length || hosts.some((host) => !leaf.hosts.includes(host))) return true;
  const isTooEarly = Temporal.Instant.compare(now, leaf.from) < 0;
  if (isTooEarly) return Temporal.Instant.compare(leaf.from, authority.from) > 0;
  const isRunningOut = Temporal.Instant.compare(now, leaf.ends.subtract({ hours: HOURS * LEFT_DAYS })) > 0;
  return isRunningOut && Temporal.Instant.compare(leaf.ends, authority.ends) < 0;
};
