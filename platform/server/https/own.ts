import type { Server } from 'node:https';
import type { FastifyBaseLogger } from 'fastify';
import { Refusal } from '#platform/contract/refusal.ts';
import type { OwnHttps } from '#platform/contract/session.ts';
import { every, realTimers, type Timers } from '../realtime/timers.ts';
import { type Authority, authorityPath, openAuthority } from './authority.ts';
import { isDue, issueLeaf, type Leaf } from './leaf.ts';
import type { KeyAndCertificate } from './listener.ts';
import { asWritten, beyondHome, hostsOf, isPermitted, type Machine } from './names.ts';

const LOOK_ROUND_MS = 60_000;

export interface HttpsOptions {
  /** 0 takes a free one. */
  readonly port: number;
  /** Asked again every minute. */
  readonly machine: () => Machine;
  /** Another clock than the real one, for tests. */
  readonly timers?: Timers;
}

interface Parts {
  readonly dataDir: string;
  readonly now: () => Temporal.Instant;
  readonly log: FastifyBaseLogger;
  readonly serve: (pair: KeyAndCertificate) => Server;
}

/** https by this server itself, with an authority of its own. */
export interface OwnHttpsServer {
  /** Reads or makes the authority and listens. @throws Refusal where the authority is no good. */
  readonly listen: (host: string) => Promise<void>;
  /** Undefined until it listens. */
  readonly port: () => number | undefined;
  readonly authority: () => Authority | undefined;
  /** What pages may know of it; undefined until it listens. */
  readonly about: () => OwnHttps | undefined;
  readonly server: () => Server | undefined;
  /** Looks after the certificate no more; the listener is closed with the other one. */
  readonly stop: () => void;
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

interface Running {
  readonly authority: Authority;
  readonly server: Server;
  leaf: Leaf;
}

/** What the authority may stand for of the hosts that this computer has. */
const choose = (authority: Authority, machine: Machine) => {
  const all = hostsOf(machine);
  return {
    hosts: all.filter((host) => isPermitted(authority.permitted, host)),
    strange: all.filter((host) => !isPermitted(authority.permitted, host)),
  };
};

const OFF: OwnHttpsServer = {
  listen: async () => undefined,
  port: () => undefined,
  authority: () => undefined,
  about: () => undefined,
  server: () => undefined,
  stop: () => undefined,
};

/** Without options it is off: it listens to nothing and says so. */
export const makeOwnHttps = (options: HttpsOptions | undefined, parts: Parts): OwnHttpsServer =>
  options === undefined ? OFF : makeOn(options, parts);

const makeOn = (
  { port, machine, timers = realTimers }: HttpsOptions,
  { dataDir, now, log, serve }: Parts,
): OwnHttpsServer => {
  let running: Running | undefined;
  let callOff: (() => void) | undefined;

  const open = async (): Promise<Authority> => {
    const { hostname, publicHosts } = machine();
    const { authority, isNew, wasOpen } = await openAuthority({ dataDir, now: now(), hostname, publicHosts });
    const { name, fingerprint } = authority;
    if (isNew) log.info({ name, fingerprint }, 'https: made an authority');
    if (wasOpen)
      log.warn(
        { file: authorityPath(dataDir) },
        'https: others could read the key of the authority; closed to them now',
      );
    return authority;
  };

  const issue = (authority: Authority): Leaf => {
    const { hosts, strange } = choose(authority, machine());
    if (hosts.length === 0)
      throw new Refusal(
        `The authority of HTTPS_PORT may not stand for ${strange.join(', ')}: it was made before PUBLIC_ORIGIN named it. Delete ${authorityPath(dataDir)} for a new one, which every phone has to trust anew.`,
      );
    // Public addresses of this computer are nothing to wonder at, names that were asked for are.
    const missing = machine().publicHosts.length > 0 ? strange : [];
    if (missing.length > 0)
      log.warn({ missing }, 'https: the authority was made before these names were set, and may not stand for them');
    return issueLeaf(authority, hosts, now());
  };

  const look = (): void => {
    if (!running) return;
    const { authority, leaf, server } = running;
    const { hosts } = choose(authority, machine());
    if (hosts.length === 0 || !isDue(leaf, authority, hosts, now())) return;
    const next = issueLeaf(authority, hosts, now());
    server.setSecureContext({ key: next.key, cert: next.certificate, minVersion: 'TLSv1.2' });
    running.leaf = next;
    log.info({ hosts, ends: next.ends.toString() }, 'https: renewed the certificate');
  };

  return {
    listen: async (host) => {
      const authority = await open();
      const leaf = issue(authority);
      const server = serve(leaf);
      await bind(server, port, host);
      running = { authority, leaf, server };
      callOff = every(timers, LOOK_ROUND_MS, look);
    },
    port: () => running && portOf(running.server),
    authority: () => running?.authority,
    about: () => {
      if (!running) return undefined;
      const { authority, leaf, server } = running;
      return {
        port: portOf(server),
        hosts: leaf.hosts.map(asWritten),
        name: authority.name,
        fingerprint: authority.fingerprint,
        beyond: [...beyondHome(authority.permitted)],
      };
    },
    server: () => running?.server,
    stop: () => callOff?.(),
  };
};
