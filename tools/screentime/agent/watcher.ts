import { existsSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Drivers, SoundUse } from '#platform/agent/drivers/drivers.ts';
import { AWAY_TIMEOUT_MS } from '../contract.ts';
import type { InUse } from '../usage/domain/activityWatch.ts';
import type { ReportedInterval } from '../usage/domain/interval.ts';
import {
  splitCertain,
  end,
  listOpenIntervals,
  look,
  cleanName,
  type MeasuringState,
  type Sighting,
  soundOwner,
} from '../usage/domain/measurement.ts';
import type { Privacy } from './privacy.ts';
import type { SteadyClock } from './steadyClock.ts';
import type { Spool } from './usageSpool.ts';

/** Name of this source in the spool. */
const SOURCE = 'desktop';
/** A killed agent counts as alive until its last beat. */
const BEAT_MS = 500;
/** In beats. Return is checked at every beat; absence starts at the last input, however late it is noticed. */
const INPUT_CHECK_BEATS = 10;
const WRITE_BEATS = 30;
/** Several windows often open or close together. */
const WRITE_SOON_MS = 250;
/** Limit of the contract. */
const MAX_TITLE_LENGTH = 1000;

export interface WatcherOptions {
  readonly drivers: Pick<Drivers, 'windows' | 'audio'>;
  readonly clock: SteadyClock;
  readonly spool: Spool;
  readonly privacy: Privacy;
  /** Whether measuring is paused. */
  readonly isPaused: () => boolean;
  /** Pages and files that watchers report. */
  readonly hints?: { readonly instead: (inUse: InUse) => InUse; readonly onChange: (then: () => void) => void };
  readonly folder: string;
  readonly awayAfterMs?: number;
}

/** Watches what is in use and audible, and records it as intervals. */
export interface Watcher {
  /** Samples immediately, because privacy settings have changed. */
  readonly refresh: () => void;
  /** Saves what is certain, so that it can be sent. Without `others`, background intervals stay open. */
  readonly settle: (what: { readonly others: boolean }) => void;
  /** Lists open applications. */
  readonly running: () => readonly string[];
  readonly onRunning: (then: () => void) => void;
  readonly status: () => readonly string[];
  /** Ends and saves all intervals. */
  readonly stop: () => void;
}

const alivePath = (folder: string): string => join(folder, 'usage.alive');

/** Returns the last sign of life of the previous agent, by its own clock, if known. */
export function readLastSignOfLife(folder: string): { readonly source: string; readonly until: number } | undefined {
  const file = statSync(alivePath(folder), { throwIfNoEntry: false });
  return file && { source: SOURCE, until: Math.round(file.mtimeMs) };
}

const toValidNames = (names: readonly string[]): readonly string[] =>
  [...new Set(names.map(cleanName))].filter((name) => name !== '');
const formatList = (names: readonly string[]): string => (names.length === 0 ? 'nothing' : names.join(', '));

/** Writes a sign of life. If that fails, only the end of a killed run is less precise. */
const writeSignOfLife = (folder: string, until: number): void => {
  const path = alivePath(folder);
  try {
    if (!existsSync(path)) writeFileSync(path, '', { mode: 0o600 });
    utimesSync(path, until / 1000, until / 1000);
  } catch {
    // The next beat retries.
  }
};

export function startWatcher(options: WatcherOptions): Watcher {
  const { drivers, clock, spool, privacy, hints, folder, awayAfterMs = AWAY_TIMEOUT_MS } = options;
  const { windows, audio } = drivers;
  const runningListeners: (() => void)[] = [];
  let measuring: MeasuringState | undefined;
  let ended: readonly ReportedInterval[] = [];
  /** Undefined until the display reports it. */
  let lastInput: number | undefined;
  /** Last title that the display reported; another window may be in front by now. */
  let title = { window: 0, written: '' };
  let running: readonly string[] = [];
  let soon: NodeJS.Timeout | undefined;
  let beats = 0;
  let isStopped = false;

  writeSignOfLife(folder, clock());

  const canMeasure = (): boolean => !isStopped && windows.ability.able && !options.isPaused() && !privacy.isPaused();
  const listSounds = (kind: SoundUse['kind']): readonly string[] => {
    const open = windows.listOpen();
    return withoutExcluded(audio.listUses().flatMap((use) => (use.kind === kind ? [soundOwner(use, open)] : [])));
  };
  const withoutExcluded = (names: readonly string[]): readonly string[] =>
    toValidNames(names).filter((name) => !privacy.isExcluded(name));
  /** Returns what is in use, or what a watcher in it reports. */
  const getInUse = (): Pick<Sighting, 'focused' | 'title'> => {
    const active = windows.getActive();
    if (!active || privacy.isExcluded(active.application)) return { focused: undefined };
    const seen: InUse = { app: active.application, title: active.id === title.window ? title.written : '' };
    const { app, title: written = '' } = hints?.instead(seen) ?? seen;
    const [focused] = withoutExcluded([app]);
    const cut = Array.from(cleanName(written))
      .slice(0, MAX_TITLE_LENGTH / 2)
      .join('');
    return { focused, title: privacy.keepsTitles() && cut !== '' ? cut : undefined };
  };
  const takeSample = (input: number): Sighting => ({
    ...getInUse(),
    open: withoutExcluded(windows.listOpen().map(({ application }) => application)),
    playing: listSounds('playing'),
    recording: listSounds('recording'),
    lastInput: input,
  });

  const write = (): void => {
    clearTimeout(soon);
    soon = undefined;
    const endedIntervals = ended;
    ended = [];
    spool.write(SOURCE, endedIntervals, measuring ? listOpenIntervals(measuring) : []);
  };
  const writeSoon = (): void => {
    soon ??= setTimeout(() => {
      step();
      write();
    }, WRITE_SOON_MS);
  };
  /** Identifies the current state without its times. */
  const signature = (): string =>
    measuring
      ? listOpenIntervals(measuring)
          .map(({ app, status, from }) => `${status} ${app} ${from}`)
          .join('\n')
      : '';
  const updateRunning = (now: readonly string[]): void => {
    if (now.length === running.length && now.every((name, place) => name === running[place])) return;
    running = now;
    for (const then of runningListeners) then();
  };
  /** Samples once. `isFresh`: the last input was just read. Absence is never concluded from an older value. */
  const step = (isFresh = false): void => {
    const before = signature();
    const at = clock();
    if (lastInput !== undefined && canMeasure()) {
      const seen = takeSample(lastInput);
      const mayLeave = isFresh || measuring?.isAway === true;
      const result = look(measuring, at, seen, mayLeave ? awayAfterMs : Number.POSITIVE_INFINITY);
      measuring = result.measuring;
      ended = [...ended, ...result.ended];
      updateRunning(seen.open);
    } else {
      if (measuring) ended = [...ended, ...end(measuring, at)];
      measuring = undefined;
      updateRunning([]);
    }
    if (signature() !== before) writeSoon();
  };

  /** Asks the display for what it does not report. Windows and displays that disappear meanwhile are reported. */
  const ask = async (): Promise<void> => {
    if (!canMeasure()) return;
    const active = windows.getActive();
    try {
      const [idle, written] = await Promise.all([
        windows.getIdleMs(),
        privacy.keepsTitles() && active ? windows.getTitle(active.id) : '',
      ]);
      lastInput = clock() - Math.round(idle);
      title = { window: active?.id ?? 0, written };
    } catch {
      return;
    }
    step(true);
  };
  const askOrStep = (): void => {
    // A window that comes to the front during absence means that somebody is back; its title must be requested.
    if (lastInput === undefined || measuring?.isAway === true || privacy.keepsTitles()) void ask();
    else step();
  };
  const beat = (): void => {
    beats += 1;
    if (measuring?.isAway === true || beats % INPUT_CHECK_BEATS === 0) void ask();
    else step();
    if (measuring) writeSignOfLife(folder, measuring.at);
    if (beats % WRITE_BEATS === 0) write();
  };

  windows.onChange(askOrStep);
  audio.onUseChange(() => step());
  hints?.onChange(() => step());
  const beating = setInterval(beat, BEAT_MS);
  void ask();

  return {
    refresh: () => step(),
    settle: (what) => {
      step();
      if (measuring) {
        const sure = splitCertain(measuring, what);
        measuring = sure.measuring;
        ended = [...ended, ...sure.ended];
      }
      write();
    },
    running: () => running,
    onRunning: (then) => void runningListeners.push(then),
    status: () => {
      if (!measuring) return [];
      const { focused, isAway, lastInput: since } = measuring;
      const away = isAway ? `, idle for ${Math.round((clock() - since) / 60_000)} min` : '';
      return [
        `in use: ${focused?.app ?? 'nothing'}${away}`,
        `open: ${formatList(running)}`,
        `playing: ${formatList(listSounds('playing'))}, recording: ${formatList(listSounds('recording'))}`,
      ];
    },
    stop: () => {
      clearInterval(beating);
      step();
      isStopped = true;
      step();
      write();
    },
  };
}
