import type { AudioLevel, AudioState } from '#platform/agent/drivers/drivers.ts';
import type { AgentContext } from '#platform/agent/tool.ts';
import { audioReport, MAX_LEVELS, MAX_REPORTED_LEVELS } from '../contract.ts';
import {
  applyDifference,
  diffLevels,
  limitDifference,
  isEmptyDifference,
  NO_LEVELS,
  type ComputerLevels,
} from '../domain/levels.ts';

/** At most 50 reports per second: the server accepts 100 events per second, and the agent sends others as well. */
const REPORT_INTERVAL_MS = 20;
/** A rejected report is repeated completely after this time. */
const RETRY_DELAY_MS = 1000;

const toMap = (levels: readonly AudioLevel[]) =>
  new Map(levels.slice(0, MAX_LEVELS).map(({ name, ...shown }) => [name, shown]));

const toLevels = ({ sessions, outputs }: AudioState): ComputerLevels => ({
  sessions: toMap(sessions),
  outputs: toMap(outputs),
});

/**
 * Keeps the server up to date: sends everything on each new connection, then differences. One report is sent at a time;
 * changes in the meantime are part of the next one.
 */
export function createReporter({ drivers, report, onConnect, onDisconnect }: AgentContext): {
  readonly stop: () => void;
} {
  const { audio } = drivers;
  /** What the server knows; undefined if it knows nothing on this connection. */
  let reported: ComputerLevels | undefined;
  /** Counts connections, so that the answer of an old one is ignored. */
  let connection = 0;
  let isConnected = false;
  let isBusy = false;
  let timer: NodeJS.Timeout | undefined;

  const scheduleNext = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      isBusy = false;
      next();
    }, ms);
  };
  const send = async (base: ComputerLevels | undefined): Promise<void> => {
    const reportConnection = connection;
    const difference = limitDifference(diffLevels(base ?? NO_LEVELS, toLevels(audio.getState())), MAX_REPORTED_LEVELS);
    try {
      await report(audioReport, {
        isWhole: base === undefined,
        sessions: Object.fromEntries(difference.changed.sessions),
        outputs: Object.fromEntries(difference.changed.outputs),
        gone: { sessions: [...difference.gone.sessions], outputs: [...difference.gone.outputs] },
      });
      if (reportConnection !== connection) return;
      reported = applyDifference(base ?? NO_LEVELS, difference);
      scheduleNext(REPORT_INTERVAL_MS);
    } catch {
      // It is unknown whether the report arrived. A new connection starts over anyway.
      if (reportConnection !== connection) return;
      reported = undefined;
      scheduleNext(RETRY_DELAY_MS);
    }
  };
  const next = (): void => {
    if (isBusy || !isConnected) return;
    if (reported && isEmptyDifference(diffLevels(reported, toLevels(audio.getState())))) return;
    isBusy = true;
    void send(reported);
  };

  audio.onChange(next);
  onConnect(() => {
    connection += 1;
    clearTimeout(timer);
    reported = undefined;
    isBusy = false;
    isConnected = true;
    next();
  });
  const pause = (): void => {
    connection += 1;
    isConnected = false;
    clearTimeout(timer);
  };
  onDisconnect(pause);
  return { stop: pause };
}
