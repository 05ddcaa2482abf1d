import { createDeliveryLoop } from '#platform/agent/deliveryLoop.ts';
import type { AgentContext, StartedAgentTool } from '#platform/agent/tool.ts';
import { CallError } from '#platform/contract/client.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { runningReport, reportusage, MAX_SEGMENTS_PER_REPORT } from '../contract.ts';
import { openPrivacy, privacyCommands, type Privacy } from './privacy.ts';
import { createSteadyClock, type SteadyClock } from './steadyClock.ts';
import { openSpool, type Spool, type Batch } from './usageSpool.ts';
import { readLastSignOfLife, startWatcher, type WatcherOptions, type Watcher } from './watcher.ts';

/** Delay before a failed report is sent again. */
const RETRY_DELAY_MS = 10_000;
/** Limit of the contract. */
const MAX_APPLICATIONS = 500;

/** Reports the open applications on each connection and after each change. Sends one report at a time. */
export function startRunningReport(
  { report, onConnect, onDisconnect }: AgentContext,
  { listRunning, onRunningChange }: Pick<Watcher, 'listRunning' | 'onRunningChange'>,
): { readonly stop: () => void } {
  /** Last value the server has; undefined if it has none of this connection. */
  let lastSent: readonly string[] | undefined;
  let isConnected = false;
  let isBusy = false;
  let retryTimer: NodeJS.Timeout | undefined;

  async function notify(): Promise<void> {
    const applications = listRunning();
    if (isBusy || !isConnected || applications === lastSent) return;
    isBusy = true;
    try {
      await report(runningReport, { applications: applications.slice(0, MAX_APPLICATIONS) });
      lastSent = applications;
    } catch {
      // The server is unreachable, or too old for this report.
      clearTimeout(retryTimer);
      if (isConnected) retryTimer = setTimeout(() => void notify(), RETRY_DELAY_MS);
      return;
    } finally {
      isBusy = false;
    }
    await notify();
  }
  onRunningChange(() => void notify());
  onConnect(() => {
    isConnected = true;
    lastSent = undefined;
    void notify();
  });
  function handleDisconnect(): void {
    isConnected = false;
    clearTimeout(retryTimer);
  }
  onDisconnect(handleDisconnect);
  return { stop: handleDisconnect };
}

/** Measured clock offsets differ a little each time, but adjacent intervals must keep touching. */
const OFFSET_TOLERANCE_MS = 1000;
const MALFORMED_STATUSES: readonly number[] = [400, 413];

export interface Sender {
  /** Sends everything that is queued. Retries with backoff if the server does not accept it. */
  readonly send: () => Promise<void>;
  /** Describes why nothing is sent and how much the server refused. */
  readonly status: () => readonly string[];
  readonly stop: () => void;
}

export interface SenderOptions extends Pick<AgentContext, 'call' | 'serverNow' | 'print'> {
  readonly spool: Spool;
  readonly clock: SteadyClock;
}

/** Creates the sender, which uploads the spool in order until the server acknowledges it. */
export function createSender({ call, serverNow, print, spool, clock }: SenderOptions): Sender {
  /** Offset from this run's clock to the server's, in ms. */
  let offset: number | undefined;
  let maxCount = MAX_SEGMENTS_PER_REPORT;
  let refusedCount = 0;

  async function measureOffset(): Promise<number> {
    const server = await serverNow();
    const newOffset = Math.round(server - clock());
    if (offset === undefined || Math.abs(newOffset - offset) > OFFSET_TOLERANCE_MS) {
      offset = newOffset;
      spool.saveOffset(newOffset);
    }
    return offset;
  }
  const reportBatch = (batch: Batch, dropped: boolean, offsetMs: number) =>
    call(reportusage, {
      boot: batch.boot,
      seq: batch.seq,
      ...(dropped ? { dropped } : {}),
      segments: batch.intervals.map(({ from, until, title, ...rest }) => ({
        ...rest,
        from: from + offsetMs,
        until: until + offsetMs,
        ...(title === undefined ? {} : { title }),
      })),
    });
  function acknowledge(batch: Batch, answer: Awaited<ReturnType<typeof reportBatch>>): void {
    refusedCount += answer.refused ?? 0;
    spool.removeUpTo(batch.run, Math.min(answer.taken, batch.seq + batch.intervals.length - 1));
  }

  async function upload(batch: Batch, offsetMs: number): Promise<void> {
    const answer = await reportBatch(batch, batch.dropped, offsetMs);
    const { awaited } = answer;
    if (awaited === undefined) return acknowledge(batch, answer);
    // The server has more than this agent knew, which need not be sent again.
    if (awaited > batch.seq) return spool.removeUpTo(batch.run, awaited - 1);
    // The server lost acknowledged data, as after restoring a backup. It is gone here too.
    acknowledge(batch, await reportBatch(batch, true, offsetMs));
  }
  /** Skips a single interval that the server can't read, because it would fail forever. */
  async function uploadOrSkip(batch: Batch, offsetMs: number): Promise<void> {
    try {
      await upload(batch, offsetMs);
      maxCount = MAX_SEGMENTS_PER_REPORT;
    } catch (error) {
      if (!(error instanceof CallError && MALFORMED_STATUSES.includes(error.status))) throw error;
      if (batch.intervals.length > 1) {
        maxCount = Math.ceil(batch.intervals.length / 10);
        return;
      }
      print(`The server rejected a usage record, so it is skipped: ${error.message}`);
      refusedCount += 1;
      spool.removeUpTo(batch.run, batch.seq);
    }
  }
  const getNextBatch = (): Batch | undefined => (delivery.isStopped() ? undefined : spool.getNextBatch(maxCount));
  async function sendAll(): Promise<void> {
    const offsetMs = await measureOffset().catch((error: unknown) => {
      // The socket may be down while the server still answers, as when the agent stops.
      if (offset === undefined) throw new CallError(0, 'the server cannot be reached', error);
      return offset;
    });
    for (let batch = getNextBatch(); batch; batch = getNextBatch()) await uploadOrSkip(batch, batch.offset ?? offsetMs);
  }
  const delivery = createDeliveryLoop({ print, errorPrefix: 'Could not send the usage of this computer', sendAll });

  return {
    send: delivery.send,
    status: () => [
      ...(delivery.getError() === '' ? [] : [`not sent: ${delivery.getError()}`]),
      ...(refusedCount > 0 ? [`records rejected by the server: ${refusedCount}`] : []),
    ],
    stop: delivery.stop,
  };
}

const UPLOAD_INTERVAL_MS = 30_000;
/** When the agent stops it uploads the queue, unless that takes longer; the next start uploads the rest. */
const FINAL_UPLOAD_TIMEOUT_MS = 2000;

export interface MeasuringOptions extends Pick<WatcherOptions, 'hints' | 'awayAfterMs'> {
  readonly uploadIntervalMs?: number;
}

/** Opens what measuring needs, or explains why that failed. */
function openOrExplain(stateDir: string, print: (line: string) => void): { privacy: Privacy; spool: Spool } | string {
  try {
    const privacy = openPrivacy(stateDir);
    return { privacy, spool: openSpool({ folder: stateDir, print, lastSignOfLife: readLastSignOfLife(stateDir) }) };
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    return `cannot write to ${stateDir}: ${error instanceof Error ? error.message : 'unknown error'}`;
  }
}

/** Starts to measure usage and to upload it, unless the owner turned usage off. */
export function startMeasuring(context: AgentContext, options: MeasuringOptions = {}): StartedAgentTool {
  const { allowed, drivers, isPaused, onConnect, onDisconnect, print, stateDir } = context;
  if (!allowed.usage) return {};
  const resources = openOrExplain(stateDir, print);
  if (typeof resources === 'string') {
    print(`Usage of this computer is not tracked: ${resources}`);
    return { status: () => [`usage: not tracked: ${resources}`] };
  }
  const { privacy, spool } = resources;
  const clock = createSteadyClock();
  const watcher = startWatcher({ ...options, drivers, clock, spool, privacy, isPaused, folder: stateDir });
  const sender = createSender({ ...context, spool, clock });
  const runningReporter = startRunningReport(context, watcher);
  context.onChange(watcher.refresh);
  let isConnected = false;
  let includesBackground = false;

  function uploadNow(): void {
    // While offline, open intervals keep growing, which takes less space.
    if (!isConnected) return;
    includesBackground = !includesBackground;
    watcher.saveCertain({ includesBackground });
    void sender.send();
  }
  const uploadTimer = setInterval(uploadNow, options.uploadIntervalMs ?? UPLOAD_INTERVAL_MS);
  onConnect(() => {
    isConnected = true;
    includesBackground = false;
    uploadNow();
  });
  onDisconnect(() => {
    isConnected = false;
  });

  return {
    subcommands: privacyCommands.map((command) => ({
      name: command,
      run: (args) => {
        const lines = privacy.run(command, args);
        watcher.refresh();
        return lines;
      },
    })),
    status: () => {
      const { waiting, lost } = spool.countReports();
      return [
        ...privacy.status(),
        ...watcher.status(),
        `records to send: ${waiting}`,
        ...sender.status(),
        ...(lost > 0 ? [`records lost for lack of disk space: ${lost}`] : []),
      ].map((line) => `usage: ${line}`);
    },
    stop: async () => {
      clearInterval(uploadTimer);
      runningReporter.stop();
      watcher.stop();
      const deadline = Promise.withResolvers<void>();
      const timer = setTimeout(deadline.resolve, FINAL_UPLOAD_TIMEOUT_MS);
      await Promise.race([sender.send(), deadline.promise]);
      clearTimeout(timer);
      sender.stop();
      spool.close();
    },
  };
}
