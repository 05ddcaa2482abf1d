import { existsSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Drivers, SoundUse } from '#platform/agent/drivers/drivers.ts';
import { AWAY_TIMEOUT_MS } from '../contract.ts';
import type { InUse } from '../usage/domain/activityWatch.ts';
import type { ReportedInterval } from '../usage/domain/interval.ts';
import {
  splitCertain,
  endMeasuring,
  listOpenIntervals,
  processSighting,
  cleanName,
  type MeasuringState,
  type Sighting,
  getSoundOwner,
} from '../usage/domain/measurement.ts';
import type { ActivityWatch } from './activitywatch/activityWatch.ts';
import type { Privacy } from './privacy.ts';
import type { SteadyClock } from './steadyClock.ts';
import type { Spool } from './usageSpool.ts';

/** Name of this source in the spool. */
const SOURCE = 'desktop';
/** A killed agent counts as alive until its last beat. */
const BEAT_INTERVAL_MS = 500;
/** While away, input is checked at every beat. Absence starts at the last input, however late it is noticed. */
const INPUT_CHECK_BEATS = 10;
const WRITE_BEATS = 30;
/** Several windows often open or close together. */
const WRITE_DELAY_MS = 250;
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
  readonly hints?: ActivityWatch['hints'];
  readonly folder: string;
  readonly awayAfterMs?: number;
}

/** Watches what is in use and audible, and records it as intervals. */
export interface Watcher {
  /** Samples immediately, because privacy settings have changed. */
  readonly refresh: () => void;
  /** Saves what is certain, so that it can be sent. Background intervals stay open unless they are included. */
  readonly saveCertain: (options: { readonly includesBackground: boolean }) => void;
  /** Lists open applications. */
  readonly listRunning: () => readonly string[];
  readonly onRunningChange: (listener: () => void) => void;
  readonly status: () => readonly string[];
  /** Ends and saves all intervals. */
  readonly stop: () => void;
}

const getAlivePath = (folder: string): string => join(folder, 'usage.alive');

/** Returns the last sign of life of the previous agent, by its own clock, if known. */
export function readLastSignOfLife(folder: string): { readonly source: string; readonly until: number } | undefined {
  const file = statSync(getAlivePath(folder), { throwIfNoEntry: false });
  return file && { source: SOURCE, until: Math.round(file.mtimeMs) };
}

const toValidNames = (names: readonly string[]): readonly string[] =>
  [...new Set(names.map(cleanName))].filter((name) => name !== '');
const formatList = (names: readonly string[]): string => (names.length === 0 ? 'nothing' : names.join(', '));

/** Writes a sign of life. If that fails, only the end of a killed run is less precise. */
function writeSignOfLife(folder: string, until: number): void {
  const path = getAlivePath(folder);
  try {
    if (!existsSync(path)) writeFileSync(path, '', { mode: 0o600 });
    utimesSync(path, until / 1000, until / 1000);
  } catch {
    // The next beat retries.
  }
}

export function startWatcher(options: WatcherOptions): Watcher {
  const { drivers, clock, spool, privacy, hints, folder, awayAfterMs = AWAY_TIMEOUT_MS } = options;
  const { windows, audio } = drivers;
  const runningListeners: (() => void)[] = [];
  let measuring: MeasuringState | undefined;
  let ended: readonly ReportedInterval[] = [];
  /** Undefined until the display reports it. */
  let lastInput: number | undefined;
  /** Last title that the display reported; another window may be in front by now. */
  let title = { window: 0, text: '' };
  let running: readonly string[] = [];
  let writeTimer: NodeJS.Timeout | undefined;
  let beats = 0;
  let isStopped = false;

  writeSignOfLife(folder, clock());

  const canMeasure = (): boolean => !isStopped && windows.ability.able && !options.isPaused() && !privacy.isPaused();
  function listSounds(kind: SoundUse['kind']): readonly string[] {
    const open = windows.listOpen();
    return removeExcluded(audio.listUses().flatMap((use) => (use.kind === kind ? [getSoundOwner(use, open)] : [])));
  }
  const removeExcluded = (names: readonly string[]): readonly string[] =>
    toValidNames(names).filter((name) => !privacy.isExcluded(name));
  /** Returns the application in use, or what its watcher reports. */
  function getInUse(): Pick<Sighting, 'focused' | 'title'> {
    const active = windows.getActive();
    if (!active || privacy.isExcluded(active.application)) return { focused: undefined };
    const inUse: InUse = { app: active.application, title: active.id === title.window ? title.text : '' };
    const { app, title: text = '' } = hints?.replace(inUse) ?? inUse;
    const [focused] = removeExcluded([app]);
    const shortTitle = Array.from(cleanName(text))
      .slice(0, MAX_TITLE_LENGTH / 2)
      .join('');
    return { focused, title: privacy.recordsTitles() && shortTitle !== '' ? shortTitle : undefined };
  }
  const createSighting = (input: number): Sighting => ({
    ...getInUse(),
    open: removeExcluded(windows.listOpen().map(({ application }) => application)),
    playing: listSounds('playing'),
    recording: listSounds('recording'),
    lastInput: input,
  });

  function write(): void {
    clearTimeout(writeTimer);
    writeTimer = undefined;
    const endedIntervals = ended;
    ended = [];
    spool.write(SOURCE, endedIntervals, measuring ? listOpenIntervals(measuring) : []);
  }
  function writeSoon(): void {
    writeTimer ??= setTimeout(() => {
      takeSample();
      write();
    }, WRITE_DELAY_MS);
  }
  /** Identifies the current state without its times. */
  const getSignature = (): string =>
    measuring
      ? listOpenIntervals(measuring)
          .map(({ app, status, from }) => `${status} ${app} ${from}`)
          .join('\n')
      : '';
  function updateRunning(names: readonly string[]): void {
    if (names.length === running.length && names.every((name, index) => name === running[index])) return;
    running = names;
    for (const listener of runningListeners) listener();
  }
  /** Samples once. `isFresh`: the last input was just read. Absence is never concluded from an older value. */
  function takeSample(isFresh = false): void {
    const previousSignature = getSignature();
    const now = clock();
    if (lastInput !== undefined && canMeasure()) {
      const sighting = createSighting(lastInput);
      const canBecomeAway = isFresh || measuring?.isAway === true;
      const result = processSighting(measuring, now, sighting, canBecomeAway ? awayAfterMs : Number.POSITIVE_INFINITY);
      measuring = result.measuring;
      ended = [...ended, ...result.ended];
      updateRunning(sighting.open);
    } else {
      if (measuring) ended = [...ended, ...endMeasuring(measuring, now)];
      measuring = undefined;
      updateRunning([]);
    }
    if (getSignature() !== previousSignature) writeSoon();
  }

  /** Reads idle time and title, which the display does not report. A window that closes meanwhile is reported. */
  async function queryDisplay(): Promise<void> {
    if (!canMeasure()) return;
    const active = windows.getActive();
    try {
      const [idle, text] = await Promise.all([
        windows.getIdleMs(),
        privacy.recordsTitles() && active ? windows.getTitle(active.id) : '',
      ]);
      lastInput = clock() - Math.round(idle);
      title = { window: active?.id ?? 0, text };
    } catch {
      return;
    }
    takeSample(true);
  }
  function queryOrSample(): void {
    // A window that gets the focus during absence means that the user is back; its title must be requested.
    if (lastInput === undefined || measuring?.isAway === true || privacy.recordsTitles()) void queryDisplay();
    else takeSample();
  }
  function handleBeat(): void {
    beats += 1;
    if (measuring?.isAway === true || beats % INPUT_CHECK_BEATS === 0) void queryDisplay();
    else takeSample();
    if (measuring) writeSignOfLife(folder, measuring.at);
    if (beats % WRITE_BEATS === 0) write();
  }

  windows.onChange(queryOrSample);
  audio.onUseChange(() => takeSample());
  hints?.onChange(() => takeSample());
  const beatTimer = setInterval(handleBeat, BEAT_INTERVAL_MS);
  void queryDisplay();

  return {
    refresh: () => takeSample(),
    saveCertain: (saveOptions) => {
      takeSample();
      if (measuring) {
        const certain = splitCertain(measuring, saveOptions);
        measuring = certain.measuring;
        ended = [...ended, ...certain.ended];
      }
      write();
    },
    listRunning: () => running,
    onRunningChange: (listener) => void runningListeners.push(listener),
    status: () => {
      if (!measuring) return [];
      const { focused, isAway, lastInput: idleSince } = measuring;
      const away = isAway ? `, idle for ${Math.round((clock() - idleSince) / 60_000)} min` : '';
      return [
        `in use: ${focused?.app ?? 'nothing'}${away}`,
        `open: ${formatList(running)}`,
        `playing: ${formatList(listSounds('playing'))}, recording: ${formatList(listSounds('recording'))}`,
      ];
    },
    stop: () => {
      clearInterval(beatTimer);
      takeSample();
      isStopped = true;
      takeSample();
      write();
    },
  };
}
