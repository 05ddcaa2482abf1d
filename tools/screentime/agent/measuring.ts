import type { AgentContext, StartedAgentTool } from '#platform/agent/tool.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { openPrivacy, privacyWords, type Privacy } from './privacy.ts';
import { reportRunning } from './runningReport.ts';
import { createSender } from './sender.ts';
import { steadyClock } from './steadyClock.ts';
import { openSpool, type Spool } from './usageSpool.ts';
import { livedIn, startWatcher, type WatcherOptions } from './watcher.ts';

const UPLOAD_INTERVAL_MS = 30_000;
/** What waits is handed in once more when the agent ends, if that is quickly done; otherwise at its next start. */
const PARTING_MS = 2000;

export interface MeasuringOptions extends Pick<WatcherOptions, 'hints' | 'awayAfterMs'> {
  readonly handInEveryMs?: number;
}

/** Opens what measuring needs; a sentence where it cannot be had. */
const openOrSay = (stateDir: string, say: (line: string) => void): { privacy: Privacy; spool: Spool } | string => {
  try {
    const privacy = openPrivacy(stateDir);
    return { privacy, spool: openSpool({ folder: stateDir, say, lived: livedIn(stateDir) }) };
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    return `nothing can be written into ${stateDir}: ${error instanceof Error ? error.message : 'no reason'}`;
  }
};

/** Measures what is in use on this computer, and hands it in. Not where its owner has switched usage off. */
export const startMeasuring = (ground: AgentContext, options: MeasuringOptions = {}): StartedAgentTool => {
  const { allowed, drivers, isPaused, onConnect, onDisconnect, print, stateDir } = ground;
  if (!allowed.usage) return {};
  const opened = openOrSay(stateDir, print);
  if (typeof opened === 'string') {
    print(`Use of this computer is not measured: ${opened}`);
    return { status: () => [`usage: not measured: ${opened}`] };
  }
  const { privacy, spool } = opened;
  const clock = steadyClock();
  const watcher = startWatcher({ ...options, drivers, clock, spool, privacy, isPaused, folder: stateDir });
  const sender = createSender({ ...ground, spool, clock });
  const running = reportRunning(ground, watcher);
  ground.onChange(watcher.refresh);
  let isConnected = false;
  let isOdd = false;

  const handIn = (): void => {
    // While nobody takes it what goes on is left to grow: it needs less room so.
    if (!isConnected) return;
    isOdd = !isOdd;
    watcher.settle({ others: isOdd });
    void sender.send();
  };
  const handingIn = setInterval(handIn, options.handInEveryMs ?? UPLOAD_INTERVAL_MS);
  onConnect(() => {
    isConnected = true;
    isOdd = false;
    handIn();
  });
  onDisconnect(() => {
    isConnected = false;
  });

  return {
    words: privacyWords.map((word) => ({
      name: word,
      run: (rest) => {
        const lines = privacy.obey(word, rest);
        watcher.refresh();
        return lines;
      },
    })),
    status: () => {
      const { waiting, lost } = spool.counts();
      return [
        ...privacy.status(),
        ...watcher.status(),
        `waiting to be sent: ${waiting}`,
        ...sender.status(),
        ...(lost > 0 ? [`lost for want of room: ${lost}`] : []),
      ].map((line) => `usage: ${line}`);
    },
    stop: async () => {
      clearInterval(handingIn);
      running.stop();
      watcher.stop();
      const parting = Promise.withResolvers<void>();
      const patience = setTimeout(parting.resolve, PARTING_MS);
      await Promise.race([sender.send(), parting.promise]);
      clearTimeout(patience);
      sender.stop();
      spool.close();
    },
  };
};
