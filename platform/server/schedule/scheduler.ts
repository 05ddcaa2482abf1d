import type { FastifyBaseLogger } from 'fastify';
import { scheduleRepeating, realTimers, type Timers } from './timers.ts';

const MINUTE_MS = 60_000;
/** Between the backup at 3 and the day's first work, by the server's own clock. */
const START_TIME = Temporal.PlainTime.from('04:00');

export interface NightlyTasksOptions {
  readonly log: FastifyBaseLogger;
  readonly now: () => Temporal.Instant;
  readonly timers?: Timers;
  /** Under the names of their tools. */
  readonly tasks: readonly { readonly name: string; readonly run: () => Promise<void> }[];
}

/** The next night's moment in the zone of this machine. */
const nextAfter = (now: Temporal.Instant): Temporal.Instant => {
  const here = now.toZonedDateTimeISO(Temporal.Now.timeZoneId());
  const tonight = here.withPlainTime(START_TIME);
  const isPast = Temporal.ZonedDateTime.compare(tonight, here) <= 0;
  return (isPast ? here.add({ days: 1 }).withPlainTime(START_TIME) : tonight).toInstant();
};

/** Runs jobs a minute after the start (a server that is off at night has them done too) and every night, one after another. A failed one is logged and tried again the next night. */
export function startNightlyTasks({ log, now, timers = realTimers, tasks }: NightlyTasksOptions): AsyncDisposable {
  let due = now();
  let round = Promise.resolve();
  let isStopped = false;
  const runAll = async (): Promise<void> => {
    for (const { name, run } of tasks) {
      if (isStopped) return;
      try {
        await run();
      } catch (error) {
        log.error({ err: error, tool: name }, 'nightly job failed');
      }
    }
  };
  // Asked every minute: a computer that slept, or whose clock was set, is not late by that.
  const callOff = scheduleRepeating(timers, MINUTE_MS, () => {
    if (Temporal.Instant.compare(now(), due) < 0) return;
    due = nextAfter(now());
    round = round.then(runAll);
  });
  return {
    [Symbol.asyncDispose]: async () => {
      isStopped = true;
      callOff();
      await round;
    },
  };
}

/** Something that a tool does by itself, again and again. */
export interface ScheduledTask {
  /** For the log. */
  readonly name: string;
  readonly intervalSeconds: number;
  readonly run: () => Promise<void>;
}

/** Runs each job at its pace, never twice at once: one that takes longer leaves turns out. A failed turn is logged. */
export function startScheduler({
  log,
  timers = realTimers,
  jobs,
}: {
  readonly log: FastifyBaseLogger;
  readonly timers?: Timers;
  readonly jobs: readonly ScheduledTask[];
}): AsyncDisposable {
  const running = new Map<ScheduledTask, Promise<void>>();
  const turn = async (job: ScheduledTask): Promise<void> => {
    try {
      await job.run();
    } catch (error) {
      log.error({ err: error, job: job.name }, 'job failed');
    } finally {
      running.delete(job);
    }
  };
  const callOffs = jobs.map((job) =>
    scheduleRepeating(timers, job.intervalSeconds * 1000, () => {
      if (!running.has(job)) running.set(job, turn(job));
    }),
  );
  return {
    [Symbol.asyncDispose]: async () => {
      for (const callOff of callOffs) callOff();
      await Promise.all(running.values());
    },
  };
}
