import { generateKeyPairSync } from 'node:crypto';
import type { Server } from 'node:https';
import type { FastifyBaseLogger } from 'fastify';
import { Refusal } from '#platform/contract/refusal.ts';
import type { OwnHttps } from '#platform/contract/session.ts';
import { scheduleRepeating, realTimers, type Timers } from '../schedule/timers.ts';
import { type CertificateAuthority, getAuthorityPath, loadOrCreateAuthority } from './authority.ts';
import { toPem, createServerCertificate, type Validity } from './certificate.ts';
import {
  formatUrlHost,
  listPublicConstraints,
  listCertificateHosts,
  isHostPermitted,
  type HostIdentity,
} from './nameConstraints.ts';
import type { KeyCertificatePair } from './secureServer.ts';

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
export function issueLeafCertificate(
  authority: CertificateAuthority,
  hosts: readonly string[],
  now: Temporal.Instant,
): LeafCertificate {
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
}

/**
 * Whether another one is needed: a name or address came or went, its time runs out, or the clock was set to before it.
 * Where the authority's own time leaves no room for a better one, it stays.
 */
export function needsRenewal(
  leaf: LeafCertificate,
  authority: Validity,
  hosts: readonly string[],
  now: Temporal.Instant,
): boolean {
  if (hosts.length !== leaf.hosts.length || hosts.some((host) => !leaf.hosts.includes(host))) return true;
  const isTooEarly = Temporal.Instant.compare(now, leaf.notBefore) < 0;
  if (isTooEarly) return Temporal.Instant.compare(leaf.notBefore, authority.notBefore) > 0;
  const isRunningOut = Temporal.Instant.compare(now, leaf.notAfter.subtract({ hours: HOURS * RENEWAL_DAYS })) > 0;
  return isRunningOut && Temporal.Instant.compare(leaf.notAfter, authority.notAfter) < 0;
}

const CHECK_INTERVAL_MS = 60_000;

export interface OwnHttpsOptions {
  /** 0 takes a free one. */
  readonly port: number;
  /** Asked again every minute. */
  readonly getHostIdentity: () => HostIdentity;
  /** Another clock than the real one, for tests. */
  readonly timers?: Timers;
}

interface OwnHttpsDeps {
  readonly dataDir: string;
  readonly now: () => Temporal.Instant;
  readonly log: FastifyBaseLogger;
  readonly serve: (pair: KeyCertificatePair) => Server;
}

/** https by this server itself, with an authority of its own. */
export interface OwnHttpsServer {
  /** Reads or makes the authority and listens. @throws Refusal where the authority is no good. */
  readonly listen: (host: string) => Promise<void>;
  /** Undefined until it listens. */
  readonly getPort: () => number | undefined;
  readonly getAuthority: () => CertificateAuthority | undefined;
  /** What pages may know of it; undefined until it listens. */
  readonly describe: () => OwnHttps | undefined;
  readonly getServer: () => Server | undefined;
  /** Looks after the certificate no more; the listener is closed with the other one. */
  readonly stopRenewal: () => void;
}

const portOf = (server: Server): number => {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

const bind = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, () => {
      server.off('error', reject);
      resolve();
    });
  });

interface RunningServer {
  readonly authority: CertificateAuthority;
  readonly server: Server;
  leaf: LeafCertificate;
}

/** What the authority may stand for of the hosts that this computer has. */
const choose = (authority: CertificateAuthority, machine: HostIdentity) => {
  const all = listCertificateHosts(machine);
  return {
    hosts: all.filter((host) => isHostPermitted(authority.nameConstraints, host)),
    strange: all.filter((host) => !isHostPermitted(authority.nameConstraints, host)),
  };
};

const OFF: OwnHttpsServer = {
  listen: async () => undefined,
  getPort: () => undefined,
  getAuthority: () => undefined,
  describe: () => undefined,
  getServer: () => undefined,
  stopRenewal: () => undefined,
};

/** Without options it is off: it listens to nothing and says so. */
export function createOwnHttps(options: OwnHttpsOptions | undefined, parts: OwnHttpsDeps): OwnHttpsServer {
  return options === undefined ? OFF : createRunningHttps(options, parts);
}

const createRunningHttps = (
  { port, getHostIdentity, timers = realTimers }: OwnHttpsOptions,
  { dataDir, now, log, serve }: OwnHttpsDeps,
): OwnHttpsServer => {
  let running: RunningServer | undefined;
  let callOff: (() => void) | undefined;

  const open = async (): Promise<CertificateAuthority> => {
    const { hostname, publicHosts } = getHostIdentity();
    const { authority, isNew, wasOpen } = await loadOrCreateAuthority({ dataDir, now: now(), hostname, publicHosts });
    const { name, fingerprint } = authority;
    if (isNew) log.info({ name, fingerprint }, 'https: made an authority');
    if (wasOpen)
      log.warn(
        { file: getAuthorityPath(dataDir) },
        'https: others could read the key of the authority; closed to them now',
      );
    return authority;
  };

  const issue = (authority: CertificateAuthority): LeafCertificate => {
    const { hosts, strange } = choose(authority, getHostIdentity());
    if (hosts.length === 0)
      throw new Refusal(
        `The authority of HTTPS_PORT may not stand for ${strange.join(', ')}: it was made before PUBLIC_ORIGIN named it. Delete ${getAuthorityPath(dataDir)} for a new one, which every phone has to trust anew.`,
      );
    // Public addresses of this computer are nothing to wonder at, names that were asked for are.
    const missing = getHostIdentity().publicHosts.length > 0 ? strange : [];
    if (missing.length > 0)
      log.warn({ missing }, 'https: the authority was made before these names were set, and may not stand for them');
    return issueLeafCertificate(authority, hosts, now());
  };

  const look = (): void => {
    if (!running) return;
    const { authority, leaf, server } = running;
    const { hosts } = choose(authority, getHostIdentity());
    if (hosts.length === 0 || !needsRenewal(leaf, authority, hosts, now())) return;
    const next = issueLeafCertificate(authority, hosts, now());
    server.setSecureContext({ key: next.key, cert: next.certificate, minVersion: 'TLSv1.2' });
    running.leaf = next;
    log.info({ hosts, ends: next.notAfter.toString() }, 'https: renewed the certificate');
  };

  return {
    listen: async (host) => {
      const authority = await open();
      const leaf = issue(authority);
      const server = serve(leaf);
      await bind(server, port, host);
      running = { authority, leaf, server };
      callOff = scheduleRepeating(timers, CHECK_INTERVAL_MS, look);
    },
    getPort: () => running && portOf(running.server),
    getAuthority: () => running?.authority,
    describe: () => {
      if (!running) return undefined;
      const { authority, leaf, server } = running;
      return {
        port: portOf(server),
        hosts: leaf.hosts.map(formatUrlHost),
        name: authority.name,
        fingerprint: authority.fingerprint,
        beyond: [...listPublicConstraints(authority.nameConstraints)],
      };
    },
    getServer: () => running?.server,
    stopRenewal: () => callOff?.(),
  };
};
