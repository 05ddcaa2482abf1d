import { startReporter, type ReportedSegment } from './reports.ts';
import type { TestAccount, TestServer } from './server.ts';

/** A computer that hands in what it is told to. */
export interface UsedComputer {
  readonly id: number;
  readonly token: string;
  /** Times as ISO texts: `['firefox', 'on', '2026-11-21T08:00Z', '2026-11-21T09:00Z']`, and a title where there is one. */
  readonly used: (...stretches: readonly Stretch[]) => Promise<void>;
}

export type Stretch = readonly [
  app: string,
  status: ReportedSegment['status'],
  from: string,
  until: string,
  title?: string,
];

const SEGMENTS_AT_ONCE = 1000;
const msOf = (text: string): number => Temporal.Instant.from(text).epochMilliseconds;

/** Pairs a computer with the account; no agent runs. All that it is told has to be good. */
export const pairUsed = async (
  server: Pick<TestServer, 'origin'>,
  account: TestAccount,
  name: string,
): Promise<UsedComputer> => {
  const { id, token, report } = await startReporter(server, account, name);
  let sent = 0;
  return {
    id,
    token,
    used: async (...stretches) => {
      const segments = stretches.map(([app, status, from, until, title]) => ({
        app,
        status,
        from: msOf(from),
        until: msOf(until),
        title,
      }));
      for (let at = 0; at < segments.length; at += SEGMENTS_AT_ONCE) {
        const some = segments.slice(at, at + SEGMENTS_AT_ONCE);
        const { taken, refused } = await report(sent + 1, some);
        sent += some.length;
        if (taken !== sent || refused !== undefined) throw new Error(`${taken} of ${sent} taken, ${refused} refused`);
      }
    },
  };
};
