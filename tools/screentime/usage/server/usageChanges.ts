import { loneCluster, type Cluster } from '#platform/server/cluster/cluster.ts';
import type { SecondRange } from '../domain/track.ts';

/** A committed change of usage. */
export interface UsageChange extends SecondRange {
  readonly account: number;
  readonly device: number;
}

/** Notifies other parts of the server after a commit of the range in which usage may have changed. */
export interface UsageChanges {
  /** Called for the changes of this instance. */
  readonly on: (listener: (change: UsageChange) => void) => void;
  /** Called for the changes of all instances, for caches. */
  readonly onAnywhere: (listener: (change: UsageChange) => void) => void;
  /** Called when changes of other instances may have been missed. */
  readonly onMissed: (listener: () => void) => void;
  readonly publish: (change: UsageChange) => void;
}

const TOPIC = 'screentime.usage';

export function createUsageChanges(cluster: Cluster = loneCluster): UsageChanges {
  const listeners: ((change: UsageChange) => void)[] = [];
  return {
    on: (listener) => void listeners.push(listener),
    onAnywhere: (listener) => {
      listeners.push(listener);
      cluster.subscribe(TOPIC, listener);
    },
    onMissed: cluster.onJoined,
    publish: (change) => {
      for (const listener of listeners) listener(change);
      cluster.publish(TOPIC, change);
    },
  };
}
