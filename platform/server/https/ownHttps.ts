import { generateKeyPairSync } from 'node:crypto';
import type { Server } from 'node:https';
import type { FastifyBaseLogger } from 'fastify';
import { MINUTE_MS, DAY_HOURS } from '#platform/contract/duration.ts';
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

/** The server's certificate and its key, which is only in memory. Each start creates another one. */
export interface LeafCertificate extends Validity {
  readonly hosts: readonly string[];
  readonly certificate: string;
  readonly key: string;
}

/** Validity of a certificate. Apple accepts at most 397 days. */
const VALIDITY_DAYS = 90;
const RENEWAL_DAYS = 30;

const getLater = (first: Temporal.Instant, second: Temporal.Instant): Temporal.Instant =>
  Temporal.Instant.compare(first, second) > 0 ? first : second;
const getEarlier = (first: Temporal.Instant, second: Temporal.Instant): Temporal.Instant =>
  Temporal.Instant.compare(first, second) < 0 ? first : second;

/** Issues a certificate whose validity started a day ago, because clocks of phones differ. */
export function issueLeafCertificate(
  authority: CertificateAuthority,
  hosts: readonly string[],
  now: Temporal.Instant,
): LeafCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const notBefore = getLater(now.subtract({ hours: DAY_HOURS }), authority.notBefore);
  const notAfter = getEarlier(notBefore.add({ hours: DAY_HOURS * VALIDITY_DAYS }), authority.notAfter);
  const certificate = createServerCertificate(
    { issuer: authority.name, issuerKey: authority.keys, publicKey },
    { hosts, notBefore, notAfter },
  );
  return {
    hosts,
    notBefore,
    notAfter,
    certificate: toPem(certificate),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
}

/**
 * Returns whether a new certificate is needed: hosts changed, it expires soon, or the clock is before its start.
 * It stays if the authority's own validity allows no better one.
 */
export function needsRenewal(
  leaf: LeafCertificate,
  authority: Validity,
  hosts: readonly string[],
  now: Temporal.Instant,
): boolean {
  if (hosts.length !== leaf.hosts.length || hosts.some((host) => !leaf.hosts.includes(host))) return true;
  const startsInFuture = Temporal.Instant.compare(now, leaf.notBefore) < 0;
  if (startsInFuture) return Temporal.Instant.compare(leaf.notBefore, authority.notBefore) > 0;
  const expiresSoon = Temporal.Instant.compare(now, leaf.notAfter.subtract({ hours: DAY_HOURS * RENEWAL_DAYS })) > 0;
  return expiresSoon && Temporal.Instant.compare(leaf.notAfter, authority.notAfter) < 0;
}

const CHECK_INTERVAL_MS = MINUTE_MS;

export interface OwnHttpsOptions {
  /** Port of the listener; 0 takes a free one. */
  readonly port: number;
  /** Returns the current names and addresses. Called every minute. */
  readonly getHostIdentity: () => HostIdentity;
  /** Replaces the real timers, for tests. */
  readonly timers?: Timers;
}

interface OwnHttpsDeps {
  readonly dataDir: string;
  readonly now: () => Temporal.Instant;
  readonly log: FastifyBaseLogger;
  readonly createServer: (pair: KeyCertificatePair) => Server;
}

/** Serves HTTPS with the server's own certificate authority. */
export interface OwnHttpsServer {
  /** Loads or creates the authority, and listens. @throws Refusal if the authority is unusable. */
  readonly listen: (host: string) => Promise<void>;
  /** Returns the port; undefined until the server listens. */
  readonly getPort: () => number | undefined;
  readonly getAuthority: () => CertificateAuthority | undefined;
  /** Returns the description for pages; undefined until the server listens. */
  readonly describe: () => OwnHttps | undefined;
  readonly getServer: () => Server | undefined;
  /** Stops renewing the certificate. The listener closes with the HTTP server. */
  readonly stopRenewal: () => void;
}

function getPort(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const startListening = (server: Server, port: number, host: string): Promise<void> =>
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

/** Divides the hosts of this computer by whether the authority may sign for them. */
function partitionHosts(authority: CertificateAuthority, identity: HostIdentity) {
  const allHosts = listCertificateHosts(identity);
  return {
    hosts: allHosts.filter((host) => isHostPermitted(authority.nameConstraints, host)),
    notPermitted: allHosts.filter((host) => !isHostPermitted(authority.nameConstraints, host)),
  };
}

const DISABLED_HTTPS: OwnHttpsServer = {
  listen: async () => undefined,
  getPort: () => undefined,
  getAuthority: () => undefined,
  describe: () => undefined,
  getServer: () => undefined,
  stopRenewal: () => undefined,
};

/** Creates the HTTPS server. Without options it is off and never listens. */
export function createOwnHttps(options: OwnHttpsOptions | undefined, deps: OwnHttpsDeps): OwnHttpsServer {
  return options === undefined ? DISABLED_HTTPS : createEnabledHttps(options, deps);
}

function createEnabledHttps(
  { port, getHostIdentity, timers = realTimers }: OwnHttpsOptions,
  { dataDir, now, log, createServer }: OwnHttpsDeps,
): OwnHttpsServer {
  let running: RunningServer | undefined;
  let cancelRenewal: (() => void) | undefined;

  async function loadAuthority(): Promise<CertificateAuthority> {
    const { hostname, publicHosts } = getHostIdentity();
    const { authority, isNew, wasReadableByOthers } = await loadOrCreateAuthority({
      dataDir,
      now: now(),
      hostname,
      publicHosts,
    });
    const { name, fingerprint } = authority;
    if (isNew) log.info({ name, fingerprint }, 'https.authority.created');
    if (wasReadableByOthers) log.warn({ file: getAuthorityPath(dataDir) }, 'https.authority.permissions_repaired');
    return authority;
  }

  function issueFirstLeaf(authority: CertificateAuthority): LeafCertificate {
    const { hosts, notPermitted } = partitionHosts(authority, getHostIdentity());
    if (hosts.length === 0)
      throw new Refusal(
        'https.name_not_allowed',
        `The certificate authority of HTTPS_PORT is not valid for ${notPermitted.join(', ')}, because it is older than that entry in PUBLIC_ORIGIN. Delete ${getAuthorityPath(dataDir)} to create a new one, which every phone must trust again`,
      );
    // Public addresses of this computer are never permitted. Only names of the operator deserve a warning.
    const missingHosts = getHostIdentity().publicHosts.length > 0 ? notPermitted : [];
    if (missingHosts.length > 0) log.warn({ missing: missingHosts }, 'https.authority.names_missing');
    return issueLeafCertificate(authority, hosts, now());
  }

  function renewIfNeeded(): void {
    if (!running) return;
    const { authority, leaf, server } = running;
    const { hosts } = partitionHosts(authority, getHostIdentity());
    if (hosts.length === 0 || !needsRenewal(leaf, authority, hosts, now())) return;
    const renewed = issueLeafCertificate(authority, hosts, now());
    server.setSecureContext({ key: renewed.key, cert: renewed.certificate, minVersion: 'TLSv1.2' });
    running.leaf = renewed;
    log.info({ hosts, ends: renewed.notAfter.toString() }, 'https.certificate.renewed');
  }

  return {
    listen: async (host) => {
      const authority = await loadAuthority();
      const leaf = issueFirstLeaf(authority);
      const server = createServer(leaf);
      await startListening(server, port, host);
      running = { authority, leaf, server };
      cancelRenewal = scheduleRepeating(timers, CHECK_INTERVAL_MS, renewIfNeeded);
    },
    getPort: () => running && getPort(running.server),
    getAuthority: () => running?.authority,
    describe: () => {
      if (!running) return undefined;
      const { authority, leaf, server } = running;
      return {
        port: getPort(server),
        hosts: leaf.hosts.map(formatUrlHost),
        name: authority.name,
        fingerprint: authority.fingerprint,
        beyond: [...listPublicConstraints(authority.nameConstraints)],
      };
    },
    getServer: () => running?.server,
    stopRenewal: () => cancelRenewal?.(),
  };
}
