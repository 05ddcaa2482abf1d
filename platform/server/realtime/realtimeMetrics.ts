/** What has happened on the sockets since the start. */
export interface RealtimeMetrics {
  readonly sockets: number;
  readonly received: number;
  /** Sent events, each counted once whatever the number of receivers. */
  readonly sent: number;
  /** No listener for the name. */
  readonly unknown: number;
  /** Not of the event's shape. */
  readonly malformed: number;
  /** No token for an event that needs one. */
  readonly refused: number;
  /** Over the rate. */
  readonly overRate: number;
  /** Never sent, because a newer one took their place. */
  readonly outdated: number;
  /** Sockets closed by the server, by reason. */
  readonly closed: Readonly<Record<string, number>>;
}

export type RealtimeMetric = Exclude<keyof RealtimeMetrics, 'sockets' | 'closed'>;

export interface MetricsRecorder {
  readonly count: (what: RealtimeMetric) => void;
  readonly countClosed: (reason: string) => void;
  readonly getMetrics: (sockets: number) => RealtimeMetrics;
}

export function createMetricsRecorder(): MetricsRecorder {
  const counts: Record<RealtimeMetric, number> = {
    received: 0,
    sent: 0,
    unknown: 0,
    malformed: 0,
    refused: 0,
    overRate: 0,
    outdated: 0,
  };
  const closed: Record<string, number> = {};
  return {
    count: (what) => {
      counts[what] += 1;
    },
    countClosed: (reason) => {
      closed[reason] = (closed[reason] ?? 0) + 1;
    },
    getMetrics: (sockets) => ({ sockets, ...counts, closed: { ...closed } }),
  };
}
