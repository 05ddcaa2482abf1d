import { createListeners } from '#platform/web/store.ts';
import type { LevelGroup } from '../domain/levels.ts';

export interface StripSetting {
  /** A whole number from 0 to 100, which muting does not change. */
  readonly level: number;
  readonly muted: boolean;
}

const PAGE_STEP = 10;

/** Moving a slider to 0 mutes, any other move unmutes (docs/specification/mixer.md section 4). */
export function createSetting(level: number): StripSetting {
  return { level, muted: level === 0 };
}

/** Returns undefined at level 0, where the mute button does nothing (docs/specification/mixer.md section 4). */
export function toggleMute({ level, muted }: StripSetting): StripSetting | undefined {
  return level === 0 ? undefined : { level, muted: !muted };
}

export function isSame(one: StripSetting, other: StripSetting): boolean {
  return one.level === other.level && one.muted === other.muted;
}

/**
 * Returns the level after a key press on a slider, the same in all browsers and orientations; undefined for other keys
 * (docs/design/appearance.md section 7.3).
 */
export function stepLevel(key: string, level: number): number | undefined {
  const levelByKey: Readonly<Record<string, number>> = {
    ArrowUp: level + 1,
    ArrowRight: level + 1,
    ArrowDown: level - 1,
    ArrowLeft: level - 1,
    PageUp: level + PAGE_STEP,
    PageDown: level - PAGE_STEP,
    Home: 0,
    End: 100,
  };
  const nextLevel = levelByKey[key];
  return nextLevel === undefined ? undefined : Math.min(100, Math.max(0, nextLevel));
}

/** Formats a setting for screen readers. */
export function describeSetting({ level, muted }: StripSetting): string {
  return `${level} percent${muted ? ', muted' : ''}`;
}

/**
 * State of one strip. While it is held, changes from elsewhere do not move it; afterwards the last change counts,
 * wherever it was made (docs/specification/mixer.md section 2.2). The events on this page are numbered.
 */
export interface Strip {
  /** The setting on the screen. */
  readonly shown: StripSetting;
  /** The setting that the computer reported last. */
  readonly reportedSetting: StripSetting;
  /** A finger or a key holds it. */
  readonly isHeld: boolean;
  /** The computer has removed it while it was held. */
  readonly isGone: boolean;
  /** Settings made here that the computer may echo. An echo does not move the strip before it has settled. */
  readonly ownSettings: readonly StripSetting[];
  /** Numbers of the last change made here and of the last report of the computer. */
  readonly setEvent: number;
  readonly reportEvent: number;
}

const isOwnSetting = ({ ownSettings }: Strip, setting: StripSetting): boolean =>
  ownSettings.some((each) => isSame(each, setting));

export function createStrip(setting: StripSetting, eventNumber: number): Strip {
  return {
    shown: setting,
    reportedSetting: setting,
    isHeld: false,
    isGone: false,
    ownSettings: [],
    setEvent: 0,
    reportEvent: eventNumber,
  };
}

export function applyOwnSetting(strip: Strip, setting: StripSetting, eventNumber: number): Strip {
  return {
    ...strip,
    shown: setting,
    ownSettings: isOwnSetting(strip, setting) ? strip.ownSettings : [...strip.ownSettings, setting],
    setEvent: eventNumber,
  };
}

export function applyReportedSetting(strip: Strip, setting: StripSetting, eventNumber: number): Strip {
  const reported = { ...strip, reportedSetting: setting, reportEvent: eventNumber, isGone: false };
  return strip.isHeld || isOwnSetting(strip, setting) ? reported : { ...reported, shown: setting, ownSettings: [] };
}

/** Called when no echo can arrive any more, so that the last report since the last change counts. */
export function settleStrip(strip: Strip): Strip {
  return {
    ...strip,
    ownSettings: [],
    shown: strip.reportEvent > strip.setEvent ? strip.reportedSetting : strip.shown,
  };
}

export function releaseStrip(strip: Strip): Strip {
  const released = { ...strip, isHeld: false };
  // A change from elsewhere during the hold, without a later move here, is newer than the setting made here.
  return strip.reportEvent > strip.setEvent && !isOwnSetting(strip, strip.reportedSetting)
    ? settleStrip(released)
    : released;
}

export function discardPendingChange(strip: Strip): Strip {
  return { ...strip, isHeld: false, ownSettings: [], shown: strip.reportedSetting };
}

export function isSettled({ ownSettings }: Strip): boolean {
  return ownSettings.length === 0;
}

/** The fields that a strip is rendered from. Its level is painted separately, without rendering. */
export interface StripView {
  readonly key: string;
  readonly group: LevelGroup;
  readonly name: string;
  /** '' if the computer has not reported it yet. */
  readonly colour: string;
  /** The output that the master volume controls. */
  readonly device?: string | undefined;
}

interface ReportedStrip extends StripSetting {
  readonly colour?: string | undefined;
  readonly device?: string | undefined;
}
/** Settings that the computer reports, by name in each group. */
export type ReportedStrips = Readonly<Record<LevelGroup, Readonly<Record<string, ReportedStrip>>>>;
/** Settings to apply, by name in each group. */
export type RequestedStrips = Readonly<Record<LevelGroup, Readonly<Record<string, StripSetting>>>>;

export interface BoardDeps {
  /** Sends settings; `computer` is the one on the board. */
  readonly send: (computer: string, requested: RequestedStrips) => void;
  /** Returns whether settings can be sent now. Call `resume` when they can be sent again. */
  readonly canSend: () => boolean;
  /** Calls back in the next frame, with its time in milliseconds. */
  readonly requestFrame: (callback: (time: number) => void) => void;
  /** Calls back later; returns a function that cancels it. */
  readonly schedule: (callback: () => void, ms: number) => () => void;
}

/** An echo that has not arrived within this time will not arrive. */
const SETTLE_DELAY_MS = 1000;
/** A socket may send 100 events per second, and fast screens have more frames. */
const SEND_INTERVAL_MS = 15;
const groups: readonly LevelGroup[] = ['outputs', 'sessions'];

const getStripKey = (group: LevelGroup, name: string): string => `${group} ${name}`;
/** Outputs come before sessions, Master comes first; otherwise the order is unchanged. */
function getRank({ group, name }: StripView): number {
  if (group === 'sessions') return 2;
  return name.toLowerCase() === 'master' ? 0 : 1;
}

/** Collects changes, and paints and sends them at most once per frame, with the newest setting of each strip. */
function createFrameScheduler({ canSend, requestFrame }: BoardDeps, paint: (key: string) => void, send: SendKeys) {
  const unpainted = new Set<string>();
  const unsent = new Set<string>();
  let sentAt = -Infinity;
  let isWaiting = false;
  function scheduleFrame(): void {
    if (isWaiting) return;
    isWaiting = true;
    requestFrame(flush);
  }
  function flush(time: number): void {
    isWaiting = false;
    for (const key of unpainted) paint(key);
    unpainted.clear();
    if (unsent.size === 0 || !canSend()) return;
    if (time - sentAt < SEND_INTERVAL_MS) return scheduleFrame();
    sentAt = time;
    const keys = [...unsent];
    unsent.clear();
    send(keys);
  }
  return {
    scheduleFrame,
    schedulePaint: (key: string): void => {
      unpainted.add(key);
      scheduleFrame();
    },
    scheduleSend: (key: string): void => {
      unsent.add(key);
      scheduleFrame();
    },
    removeUnsent: (key: string): void => void unsent.delete(key),
    isUnsent: (key: string): boolean => unsent.has(key),
  };
}
type SendKeys = (keys: readonly string[]) => void;

/** Creates the strips of one computer from its reports and the changes made here. */
export function createBoard(deps: BoardDeps) {
  const stripByKey = new Map<string, Strip>();
  const viewByKey = new Map<string, StripView>();
  const cancelSettleByKey = new Map<string, () => void>();
  const painterByKey = new Map<string, (setting: StripSetting) => void>();
  const listeners = createListeners();
  /** Numbers of the events that removed strips. */
  const removalEventByKey = new Map<string, number>();
  let computer: string | undefined;
  let views: readonly StripView[] = [];
  let areViewsCurrent = true;
  let eventNumber = 0;

  function paint(key: string): void {
    const strip = stripByKey.get(key);
    if (strip) painterByKey.get(key)?.(strip.shown);
  }
  const scheduler = createFrameScheduler(deps, paint, (keys) => {
    const listSettings = (group: LevelGroup) =>
      Object.fromEntries(
        keys.flatMap((key) => {
          const view = viewByKey.get(key);
          const strip = stripByKey.get(key);
          return view?.group === group && strip ? [[view.name, strip.shown]] : [];
        }),
      );
    if (computer !== undefined)
      deps.send(computer, { outputs: listSettings('outputs'), sessions: listSettings('sessions') });
  });

  function stopSettling(key: string): void {
    cancelSettleByKey.get(key)?.();
    cancelSettleByKey.delete(key);
  }
  /** Updates a strip, and checks it again once it has settled. */
  function setStrip(key: string, next: Strip): void {
    const previous = stripByKey.get(key);
    stripByKey.set(key, next);
    if (!previous || !isSame(previous.shown, next.shown)) scheduler.schedulePaint(key);
    if (isSettled(next) || next.isHeld) return stopSettling(key);
    if (cancelSettleByKey.has(key) && previous?.setEvent === next.setEvent) return;
    stopSettling(key);
    cancelSettleByKey.set(
      key,
      deps.schedule(() => updateStrip(key, settleStrip), SETTLE_DELAY_MS),
    );
  }
  function updateStrip(key: string, update: (strip: Strip) => Strip): void {
    const strip = stripByKey.get(key);
    if (strip) setStrip(key, update(strip));
  }

  function setView(view: StripView): void {
    viewByKey.set(view.key, view);
    areViewsCurrent = false;
  }
  function removeStrip(key: string): void {
    stopSettling(key);
    scheduler.removeUnsent(key);
    stripByKey.delete(key);
    viewByKey.delete(key);
    removalEventByKey.set(key, ++eventNumber);
    areViewsCurrent = false;
  }
  /** Notifies the listeners if strips were added, removed or look different. */
  function publishViews(): void {
    if (areViewsCurrent) return;
    areViewsCurrent = true;
    views = [...viewByKey.values()].toSorted((one, other) => getRank(one) - getRank(other));
    listeners.notify();
  }

  function setSetting(key: string, setting: StripSetting): void {
    updateStrip(key, (strip) => applyOwnSetting(strip, setting, ++eventNumber));
    if (stripByKey.get(key)?.isGone === false) scheduler.scheduleSend(key);
  }
  function handleReport(group: LevelGroup, name: string, { level, muted, ...details }: ReportedStrip): void {
    const key = getStripKey(group, name);
    const view = viewByKey.get(key) ?? { key, group, name, colour: '' };
    const { colour = view.colour, device = view.device } = details;
    if (!viewByKey.has(key) || colour !== view.colour || device !== view.device) setView({ ...view, colour, device });
    const setting = { level, muted };
    eventNumber += 1;
    if (stripByKey.has(key)) updateStrip(key, (strip) => applyReportedSetting(strip, setting, eventNumber));
    else setStrip(key, createStrip(setting, eventNumber));
  }
  /** A held strip stays until it is released. */
  function handleRemoval(key: string): void {
    scheduler.removeUnsent(key);
    if (stripByKey.get(key)?.isHeld) updateStrip(key, (strip) => ({ ...strip, isGone: true }));
    else if (stripByKey.has(key)) removeStrip(key);
  }
  function clear(): void {
    for (const key of stripByKey.keys()) removeStrip(key);
    removalEventByKey.clear();
  }
  function isOlderThan(key: string, mark: number): boolean {
    const strip = stripByKey.get(key);
    if (!strip) return (removalEventByKey.get(key) ?? 0) <= mark;
    return isSettled(strip) && !scheduler.isUnsent(key) && Math.max(strip.setEvent, strip.reportEvent) <= mark;
  }

  function release(key: string): void {
    const strip = stripByKey.get(key);
    if (!strip?.isHeld) return;
    if (strip.isGone) removeStrip(key);
    else setStrip(key, releaseStrip(strip));
    publishViews();
  }

  return {
    /** Returns the number of the last event. Call it when a request is sent, to detect if its answer is outdated. */
    getMark: (): number => eventNumber,
    /** Replaces all strips of a computer, except those that were set, reported or removed after the mark. */
    replaceStrips: (reportedComputer: string, reported: ReportedStrips, mark: number): void => {
      if (computer !== reportedComputer) clear();
      computer = reportedComputer;
      const outdatedViews = [...viewByKey.values()].filter(({ key }) => isOlderThan(key, mark));
      for (const { key, group, name } of outdatedViews) if (!Object.hasOwn(reported[group], name)) handleRemoval(key);
      for (const group of groups)
        for (const [name, report] of Object.entries(reported[group]))
          if (isOlderThan(getStripKey(group, name), mark)) handleReport(group, name, report);
      publishViews();
    },
    /** Applies changes and removals. Returns false while it is unknown which computer is on the board. */
    applyReport: (
      reportedComputer: string,
      reported: ReportedStrips,
      gone: Readonly<Record<LevelGroup, readonly string[]>>,
    ): boolean => {
      if (computer !== reportedComputer) return computer !== undefined;
      for (const group of groups) {
        for (const name of gone[group]) handleRemoval(getStripKey(group, name));
        for (const [name, report] of Object.entries(reported[group])) handleReport(group, name, report);
      }
      publishViews();
      return true;
    },
    move: (key: string, level: number): void => setSetting(key, createSetting(level)),
    toggle: (key: string): void => {
      const strip = stripByKey.get(key);
      const setting = strip && toggleMute(strip.shown);
      if (setting) setSetting(key, setting);
    },
    hold: (key: string): void => updateStrip(key, (strip) => ({ ...strip, isHeld: true })),
    release,
    /** Releases held strips, because no level can be changed for now. Unsent changes wait. */
    pause: (): void => {
      for (const key of stripByKey.keys()) release(key);
    },
    /** Sends unsent changes. */
    resume: scheduler.scheduleFrame,
    /** Discards unsent changes and shows what the computer reported. */
    discardUnsent: (): void => {
      for (const [key, strip] of stripByKey) {
        scheduler.removeUnsent(key);
        if (strip.isGone) removeStrip(key);
        else setStrip(key, discardPendingChange(strip));
      }
      publishViews();
    },
    getSetting: (key: string): StripSetting => stripByKey.get(key)?.shown ?? createSetting(0),
    /** Calls the painter now and at each change. Returns a function that stops it. */
    paint: (key: string, painter: (setting: StripSetting) => void): (() => void) => {
      painterByKey.set(key, painter);
      paint(key);
      return () => void (painterByKey.get(key) === painter && painterByKey.delete(key));
    },
    /** Returns the views; the same list until a strip is added, removed or looks different. */
    getViews: (): readonly StripView[] => views,
    subscribe: listeners.subscribe,
  };
}

export type Board = ReturnType<typeof createBoard>;
