/** Counters of socket events since the start. */
export interface RealtimeMetrics {
  readonly sockets: number;
  readonly received: number;
  /** Sent events, each counted once whatever the number of receivers. */
  readonly sent: number;
  /** Events without a listener. */
  readonly unknown: number;
  /** Events whose data does not match the contract. */
  readonly malformed: number;
  /** Events without the token that they need. */
  readonly refused: number;
  readonly overRate: number;
  /** Events that were never sent, because newer ones replaced them. */
  readonly outdated: number;
  /** Sockets closed by the server, by reason. */
  readonly closed: Readonly<Record<string, number>>;
}

export type RealtimeMetric = Exclude<keyof RealtimeMetrics, 'sockets' | 'closed'>;

/** Counts socket events. */
export interface MetricsRecorder {
  readonly count: (metric: RealtimeMetric) => void;
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
    count: (metric) => {
      counts[metric] += 1;
    },
    countClosed: (reason) => {
      closed[reason] = (closed[reason] ?? 0) + 1;
    },
    getMetrics: (sockets) => ({ sockets, ...counts, closed: { ...closed } }),
  };
}
