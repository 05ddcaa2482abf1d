import type { FastifyBaseLogger } from 'fastify';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { scheduleRepeating, realTimers, type Timers } from './timers.ts';

/** Local time of the nightly tasks, when the server is rarely used. */
const START_TIME = '04:00';

export interface NightlyTasksOptions {
  readonly log: FastifyBaseLogger;
  readonly now: () => Temporal.Instant;
  readonly timers?: Timers;
  /** Whether this instance runs tasks that are due; by default it does. */
  readonly isLeader?: () => boolean;
  /** Named after their tools. */
  readonly tasks: readonly { readonly name: string; readonly run: () => Promise<void> }[];
}

/** Returns the next time at which this machine's clock shows `HH:MM`. */
export function getNextTime(now: Temporal.Instant, time: string): Temporal.Instant {
  const localTime = now.toZonedDateTimeISO(Temporal.Now.timeZoneId());
  const today = localTime.withPlainTime(time);
  const isPast = Temporal.ZonedDateTime.compare(today, localTime) <= 0;
  return (isPast ? localTime.add({ days: 1 }).withPlainTime(time) : today).toInstant();
}

/**
 * Runs tasks one by one, a minute after the start (for servers that are off at night) and every night.
 * A failed task is logged and runs again the next night.
 */
export function startNightlyTasks(options: NightlyTasksOptions): AsyncDisposable {
  const { log, now, timers = realTimers, isLeader = () => true, tasks } = options;
  let dueAt = now();
  let currentRun = Promise.resolve();
  let isStopped = false;
  async function runAll(): Promise<void> {
    for (const { name, run } of tasks) {
      if (isStopped) return;
      try {
        await run();
      } catch (error) {
        log.error({ err: error, tool: name }, 'schedule.nightly.failed');
      }
    }
  }
  // Checked every minute, so that sleep or a changed clock does not delay it.
  const cancel = scheduleRepeating(timers, MINUTE_MS, () => {
    if (Temporal.Instant.compare(now(), dueAt) < 0) return;
    dueAt = getNextTime(now(), START_TIME);
    if (!isLeader()) return;
    currentRun = currentRun.then(runAll);
  });
  return {
    [Symbol.asyncDispose]: async () => {
      isStopped = true;
      cancel();
      await currentRun;
    },
  };
}

/** Periodic work of a tool. */
export interface ScheduledTask {
  /** For the log. */
  readonly name: string;
  readonly intervalSeconds: number;
  readonly run: () => Promise<void>;
}

/**
 * Runs each task at its interval, never twice concurrently: runs that are due meanwhile are skipped. Errors are logged.
 */
export function startScheduler({
  log,
  timers = realTimers,
  isLeader = () => true,
  tasks,
}: {
  readonly log: FastifyBaseLogger;
  readonly timers?: Timers;
  /** Whether this instance runs tasks that are due; by default it does. */
  readonly isLeader?: () => boolean;
  readonly tasks: readonly ScheduledTask[];
}): AsyncDisposable {
  const running = new Map<ScheduledTask, Promise<void>>();
  async function runTask(task: ScheduledTask): Promise<void> {
    try {
      await task.run();
    } catch (error) {
      log.error({ err: error, task: task.name }, 'schedule.task.failed');
    } finally {
      running.delete(task);
    }
  }
  const cancelTasks = tasks.map((task) =>
    scheduleRepeating(timers, task.intervalSeconds * 1000, () => {
      if (isLeader() && !running.has(task)) running.set(task, runTask(task));
    }),
  );
  return {
    [Symbol.asyncDispose]: async () => {
      for (const cancel of cancelTasks) cancel();
      await Promise.all(running.values());
    },
  };
}
