import type { FastifyBaseLogger } from 'fastify';
import { scheduleRepeating, realTimers, type Timers } from '../schedule/timers.ts';

/** Which work an instance does: all, only requests, or also background work but no requests from the proxy. */
export type Role = 'all' | 'web' | 'worker';

/** One of the processes that run this server. */
export interface Instance {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly role: Role;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Whether it does the work that only one instance does. */
  readonly isLeader: boolean;
  /** Whether it can answer requests, as `/readyz` says. */
  readonly isReady: boolean;
  /** Open sockets of pages and devices. */
  readonly sockets: number;
}

/** The other instances of this server, and messages to them. */
export interface Cluster {
  /** Id of this instance. */
  readonly id: string;
  /** Whether there can be other instances. */
  readonly isShared: boolean;
  /** Sends JSON to all other instances, in order. It is lost if Redis is not available. */
  readonly publish: (topic: string, data: unknown) => void;
  readonly subscribe: (topic: string, listener: (data: never, from: string) => void) => void;
  /** Called when another instance has joined, or may have missed messages: publish your state again. */
  readonly onJoined: (listener: () => void) => void;
  /** Called when another instance has stopped, or has not been heard of for 15 s. */
  readonly onLeft: (listener: (id: string) => void) => void;
  /** Lists this instance and the others, in the order of their start. */
  readonly listInstances: () => readonly Instance[];
  /** Converts a time by the clock of another instance to this one's. Both in milliseconds since the epoch. */
  readonly toLocalTime: (time: number, instance: string) => number;
}

/** The cluster with its lifecycle, for the server. */
export interface ClusterService extends Cluster {
  /** Joins the cluster, and waits for the state of the other instances. Call it before the server listens. */
  readonly start: () => Promise<void>;
  /** Leaves the cluster. */
  readonly stop: () => Promise<void>;
}

/** Carries texts between instances. */
export interface MessageChannel {
  /** Sends to all instances, in order. Texts are lost while there is no connection. */
  readonly send: (text: string) => void;
  /** Called for the texts of all instances, also of this one. */
  readonly onText: (listener: (text: string) => void) => void;
  /** Called when texts may have been lost, once there is a connection again. */
  readonly onInterruption: (listener: () => void) => void;
  /** Returns the number of instances that receive texts. */
  readonly countReceivers: () => Promise<number>;
}

const HEARTBEAT_INTERVAL_MS = 3000;
/** Time without heartbeat after which an instance counts as stopped. */
export const INSTANCE_TTL_MS = 15_000;
/** How long a start waits for the state of the others. */
const JOIN_TIMEOUT_MS = 1000;

/** Number of heartbeats that show the clock of another instance. A single one may be delayed. */
const CLOCK_SAMPLE_COUNT = 5;

/** What is known about another instance. */
interface OtherInstance {
  readonly instance: Instance;
  readonly heardAt: number;
  /** How far this clock was ahead when its last announcements arrived, in milliseconds. */
  readonly clockOffsets: readonly number[];
}

/** A message between instances. `join` asks the others to publish their state. */
type Envelope = { readonly from: string } & (
  | { readonly kind: 'join' | 'heartbeat'; readonly instance: Instance; readonly sentAt: number }
  | { readonly kind: 'leave' }
  | { readonly kind: 'message'; readonly topic: string; readonly data: unknown }
);

export interface ClusterOptions {
  readonly channel: MessageChannel;
  readonly getInstance: () => Instance;
  readonly log: FastifyBaseLogger;
  readonly timers?: Timers;
  /** Returns milliseconds since the epoch. */
  readonly now?: () => number;
}

/** Creates the cluster on a channel. Every instance announces itself every 3 s. */
export function createCluster(options: ClusterOptions): ClusterService {
  const { channel, getInstance, log, timers = realTimers, now = Date.now } = options;
  const { id } = getInstance();
  const others = new Map<string, OtherInstance>();
  const listeners = new Map<string, ((data: never, from: string) => void)[]>();
  const joinedListeners: (() => void)[] = [];
  const leftListeners: ((id: string) => void)[] = [];
  /** When this instance last requested the state of the others. */
  let joinedAt = -Infinity;
  let onJoinAnswered: (() => void) | undefined;

  const send = (envelope: Envelope): void => channel.send(JSON.stringify(envelope));
  function announce(kind: 'join' | 'heartbeat'): void {
    if (kind === 'join') joinedAt = timers.now();
    send({ from: id, kind, instance: getInstance(), sentAt: now() });
  }

  /** Runs listeners; an error of one must not stop the others. */
  function run(call: () => void): void {
    try {
      call();
    } catch (error) {
      log.error({ err: error }, 'cluster.message.failed');
    }
  }
  function handleAnnouncement(instance: Instance, sentAt: number, isJoining: boolean): void {
    const known = others.get(instance.id);
    const isNew = known === undefined;
    const clockOffsets = [now() - sentAt, ...(known?.clockOffsets ?? [])].slice(0, CLOCK_SAMPLE_COUNT);
    others.set(instance.id, { instance, heardAt: timers.now(), clockOffsets });
    if (isNew) log.info({ instance: instance.id, name: instance.name }, 'cluster.instance.joined');
    if (isJoining) {
      announce('heartbeat');
      for (const listener of joinedListeners) run(listener);
    } else if (isNew) {
      // It may not have heard of this instance either, unless it answers.
      if (timers.now() - joinedAt > JOIN_TIMEOUT_MS) announce('join');
      for (const listener of joinedListeners) run(listener);
    }
    onJoinAnswered?.();
  }
  function remove(instance: string): void {
    if (!others.delete(instance)) return;
    log.info({ instance }, 'cluster.instance.left');
    for (const listener of leftListeners) run(() => listener(instance));
  }
  function receive(envelope: Envelope): void {
    if (envelope.from === id) return;
    switch (envelope.kind) {
      case 'leave':
        return remove(envelope.from);
      case 'message':
        for (const listener of listeners.get(envelope.topic) ?? [])
          run(() => listener(envelope.data as never, envelope.from));
        return;
      case 'join':
      case 'heartbeat':
        handleAnnouncement(envelope.instance, envelope.sentAt, envelope.kind === 'join');
    }
  }
  // An instance of another version may send what this one can't read.
  channel.onText((text) => run(() => receive(JSON.parse(text) as Envelope)));
  channel.onInterruption(() => {
    announce('join');
    for (const listener of joinedListeners) run(listener);
  });
  const cancelHeartbeat = scheduleRepeating(timers, HEARTBEAT_INTERVAL_MS, () => {
    announce('heartbeat');
    for (const [other, { heardAt }] of others) if (timers.now() - heardAt > INSTANCE_TTL_MS) remove(other);
  });

  return {
    id,
    isShared: true,
    publish: (topic, data) => send({ from: id, kind: 'message', topic, data }),
    subscribe: (topic, listener) => {
      listeners.set(topic, [...(listeners.get(topic) ?? []), listener]);
    },
    onJoined: (listener) => void joinedListeners.push(listener),
    onLeft: (listener) => void leftListeners.push(listener),
    listInstances: () =>
      [getInstance(), ...[...others.values()].map(({ instance }) => instance)].toSorted(
        (first, second) => first.startedAt - second.startedAt || first.id.localeCompare(second.id),
      ),
    // The fastest announcement shows the difference of the clocks.
    toLocalTime: (time, instance) => time + Math.min(...(others.get(instance)?.clockOffsets ?? [0])),
    start: async () => {
      const expectedCount = (await channel.countReceivers().catch(() => 1)) - 1;
      const { promise, resolve } = Promise.withResolvers<void>();
      onJoinAnswered = () => {
        if (others.size >= expectedCount) resolve();
      };
      const cancelTimeout = timers.schedule(JOIN_TIMEOUT_MS, resolve);
      announce('join');
      onJoinAnswered();
      await promise;
      cancelTimeout();
    },
    stop: async () => {
      cancelHeartbeat();
      send({ from: id, kind: 'leave' });
    },
  };
}

/** Creates the cluster of a server that is alone. */
export function createLoneCluster(getInstance: () => Instance): ClusterService {
  const { id } = getInstance();
  return {
    id,
    isShared: false,
    publish: () => undefined,
    subscribe: () => undefined,
    onJoined: () => undefined,
    onLeft: () => undefined,
    listInstances: () => [getInstance()],
    toLocalTime: (time) => time,
    start: async () => undefined,
    stop: async () => undefined,
  };
}

/** The cluster of parts that are tested alone. */
export const loneCluster: Cluster = createLoneCluster(() => ({
  id: 'alone',
  name: '',
  version: '',
  role: 'all',
  startedAt: 0,
  isLeader: true,
  isReady: true,
  sockets: 0,
}));
