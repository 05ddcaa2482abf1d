import type { AudioLevel, AudioState } from '#platform/agent/drivers/drivers.ts';
import type { AgentContext } from '#platform/agent/tool.ts';
import { audioReport, MAX_LEVELS, MAX_REPORTED_LEVELS } from '../contract.ts';
import { after, differenceOf, firstOf, isNothing, NO_LEVELS, type ComputerLevels } from '../domain/levels.ts';

/** At most 50 reports a second: the server drops what is over 100 events a second, and the agent has other things to say. */
const REPORT_INTERVAL_MS = 20;
/** A report that was not taken is made again, whole, after this. */
const RETRY_DELAY_MS = 1000;

const byName = (levels: readonly AudioLevel[]) =>
  new Map(levels.slice(0, MAX_LEVELS).map(({ name, ...shown }) => [name, shown]));

const soundOf = ({ sessions, outputs }: AudioState): ComputerLevels => ({
  sessions: byName(sessions),
  outputs: byName(outputs),
});

/**
 * Keeps the server's knowledge of the sound up to date: all of it on each new connection, then differences. One report is under way at
 * a time; what changes meanwhile goes with the next one as it is then.
 */
export function createReporter({ drivers, report, onConnect, onDisconnect }: AgentContext): {
  readonly stop: () => void;
} {
  const { audio } = drivers;
  /** What the server knows; undefined where it knows nothing of this connection. */
  let told: ComputerLevels | undefined;
  /** Counts connections, so that an answer of an old one changes nothing. */
  let connection = 0;
  let isConnected = false;
  let isBusy = false;
  let waiting: NodeJS.Timeout | undefined;

  const later = (ms: number): void => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      isBusy = false;
      next();
    }, ms);
  };
  const send = async (known: ComputerLevels | undefined): Promise<void> => {
    const mine = connection;
    const difference = firstOf(differenceOf(known ?? NO_LEVELS, soundOf(audio.getState())), MAX_REPORTED_LEVELS);
    try {
      await report(audioReport, {
        isWhole: known === undefined,
        sessions: Object.fromEntries(difference.changed.sessions),
        outputs: Object.fromEntries(difference.changed.outputs),
        gone: { sessions: [...difference.gone.sessions], outputs: [...difference.gone.outputs] },
      });
      if (mine !== connection) return;
      told = after(known ?? NO_LEVELS, difference);
      later(REPORT_INTERVAL_MS);
    } catch {
      // Whether it arrived is not known. A new connection begins anew by itself.
      if (mine !== connection) return;
      told = undefined;
      later(RETRY_DELAY_MS);
    }
  };
  const next = (): void => {
    if (isBusy || !isConnected) return;
    if (told && isNothing(differenceOf(told, soundOf(audio.getState())))) return;
    isBusy = true;
    void send(told);
  };

  audio.onChange(next);
  onConnect(() => {
    connection += 1;
    clearTimeout(waiting);
    told = undefined;
    isBusy = false;
    isConnected = true;
    next();
  });
  const rest = (): void => {
    connection += 1;
    isConnected = false;
    clearTimeout(waiting);
  };
  onDisconnect(rest);
  return { stop: rest };
}
