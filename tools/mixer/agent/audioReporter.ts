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

/** At most 50 reports per second, because the server accepts 100 events per second in total. */
const REPORT_INTERVAL_MS = 20;
/** A rejected report is repeated completely after this time. */
const RETRY_DELAY_MS = 1000;

const toMap = (levels: readonly AudioLevel[]) =>
  new Map(levels.slice(0, MAX_LEVELS).map(({ name, ...level }) => [name, level]));

const toLevels = ({ sessions, outputs }: AudioState): ComputerLevels => ({
  sessions: toMap(sessions),
  outputs: toMap(outputs),
});

/**
 * Reports the levels to the server: all of them on each new connection, then differences. Sends one report at a time;
 * changes in the meantime are part of the next one.
 */
export function createAudioReporter({ drivers, report, onConnect, onDisconnect }: AgentContext): {
  readonly stop: () => void;
} {
  const { audio } = drivers;
  /** The levels that the server has; undefined if nothing was reported on this connection. */
  let reportedLevels: ComputerLevels | undefined;
  /** Rises with each connection, so that answers of earlier ones are ignored. */
  let connectionCount = 0;
  let isConnected = false;
  let isReporting = false;
  let timer: NodeJS.Timeout | undefined;

  function scheduleNext(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      isReporting = false;
      reportChanges();
    }, ms);
  }
  async function sendReport(base: ComputerLevels | undefined): Promise<void> {
    const connectionAtStart = connectionCount;
    const difference = limitDifference(diffLevels(base ?? NO_LEVELS, toLevels(audio.getState())), MAX_REPORTED_LEVELS);
    try {
      await report(audioReport, {
        isWhole: base === undefined,
        sessions: Object.fromEntries(difference.changed.sessions),
        outputs: Object.fromEntries(difference.changed.outputs),
        gone: { sessions: [...difference.gone.sessions], outputs: [...difference.gone.outputs] },
      });
      if (connectionAtStart !== connectionCount) return;
      reportedLevels = applyDifference(base ?? NO_LEVELS, difference);
      scheduleNext(REPORT_INTERVAL_MS);
    } catch {
      // It is unknown whether the report arrived, so everything is reported again.
      if (connectionAtStart !== connectionCount) return;
      reportedLevels = undefined;
      scheduleNext(RETRY_DELAY_MS);
    }
  }
  function reportChanges(): void {
    if (isReporting || !isConnected) return;
    if (reportedLevels && isEmptyDifference(diffLevels(reportedLevels, toLevels(audio.getState())))) return;
    isReporting = true;
    void sendReport(reportedLevels);
  }

  audio.onChange(reportChanges);
  onConnect(() => {
    connectionCount += 1;
    clearTimeout(timer);
    reportedLevels = undefined;
    isReporting = false;
    isConnected = true;
    reportChanges();
  });
  function disconnect(): void {
    connectionCount += 1;
    isConnected = false;
    clearTimeout(timer);
  }
  onDisconnect(disconnect);
  return { stop: disconnect };
}
