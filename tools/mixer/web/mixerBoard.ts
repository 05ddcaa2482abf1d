import { createListeners } from '#platform/web/store.ts';

/** The setting of a strip: `level` is a whole number from 0 to 100, which muting does not change. */
export interface StripSetting {
  readonly level: number;
  readonly muted: boolean;
}

const PAGE = 10;

/** Moving a slider to 0 mutes, any other move unmutes (docs/specification/mixer.md section 4). */
export function createSetting(level: number): StripSetting {
  return { level, muted: level === 0 };
}

/**
 * The mute button toggles only if the level is not 0 (docs/specification/mixer.md section 4); otherwise returns
 * undefined.
 */
export function toggled({ level, muted }: StripSetting): StripSetting | undefined {
  return level === 0 ? undefined : { level, muted: !muted };
}

export function isSame(one: StripSetting, other: StripSetting): boolean {
  return one.level === other.level && one.muted === other.muted;
}

/**
 * Returns the level after a key press on a slider, equal in all browsers and orientations; undefined for other keys
 * (docs/design/appearance.md section 7.3).
 */
export function stepLevel(key: string, level: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowUp: level + 1,
    ArrowRight: level + 1,
    ArrowDown: level - 1,
    ArrowLeft: level - 1,
    PageUp: level + PAGE,
    PageDown: level - PAGE,
    Home: 0,
    End: 100,
  };
  const to = steps[key];
  return to === undefined ? undefined : Math.min(100, Math.max(0, to));
}

/** Formats a setting for screen readers. */
export function describeSetting({ level, muted }: StripSetting): string {
  return `${level} percent${muted ? ', muted' : ''}`;
}

/**
 * State of one strip. While it is held, changes from outside do not move it; afterwards the last change counts,
 * wherever it was made (docs/specification/mixer.md section 2.2). Turns number the events on this page.
 */
export interface Strip {
  /** The setting on the screen. */
  readonly shown: StripSetting;
  /** The setting that the computer reported last. */
  readonly truth: StripSetting;
  /** Whether a finger or a key holds it. */
  readonly held: boolean;
  /** The computer has removed it while it was held. */
  readonly gone: boolean;
  /** Settings made here that may be echoed; an echo does not move the strip before it has settled. */
  readonly own: readonly StripSetting[];
  /** Turns of the last change made here and of the last report of the computer. */
  readonly setAt: number;
  readonly heardAt: number;
}

const isOwn = ({ own }: Strip, setting: StripSetting): boolean => own.some((each) => isSame(each, setting));

export function newStrip(setting: StripSetting, turn: number): Strip {
  return {
    shown: setting,
    truth: setting,
    held: false,
    gone: false,
    own: [],
    setAt: 0,
    heardAt: turn,
  };
}

export function afterSetting(strip: Strip, setting: StripSetting, turn: number): Strip {
  return {
    ...strip,
    shown: setting,
    own: isOwn(strip, setting) ? strip.own : [...strip.own, setting],
    setAt: turn,
  };
}

export function applyHeardSetting(strip: Strip, setting: StripSetting, turn: number): Strip {
  const reported = { ...strip, truth: setting, heardAt: turn, gone: false };
  return strip.held || isOwn(strip, setting) ? reported : { ...reported, shown: setting, own: [] };
}

/** No echo can arrive any more, so the last report since the last change counts. */
export function afterSettling(strip: Strip): Strip {
  return {
    ...strip,
    own: [],
    shown: strip.heardAt > strip.setAt ? strip.truth : strip.shown,
  };
}

export function releaseStrip(strip: Strip): Strip {
  const released = { ...strip, held: false };
  // A change by somebody else during the hold, without a later move here, is newer than what was set here.
  return strip.heardAt > strip.setAt && !isOwn(strip, strip.truth) ? afterSettling(released) : released;
}

/** No change made here is pending, and none will be sent. */
export function discardPendingChange(strip: Strip): Strip {
  return { ...strip, held: false, own: [], shown: strip.truth };
}

export function isSettled({ own }: Strip): boolean {
  return own.length === 0;
}

export type Group = 'outputs' | 'sessions';

/** What a strip is rendered from. Its level is painted separately, without rendering. */
export interface StripView {
  readonly key: string;
  readonly group: Group;
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
export type ReportedStrips = Readonly<Record<Group, Readonly<Record<string, ReportedStrip>>>>;
/** Settings to apply, by name in each group. */
export type RequestedStrips = Readonly<Record<Group, Readonly<Record<string, StripSetting>>>>;

export interface BoardDeps {
  /** Sends settings; `computer` is the one on the board. */
  readonly send: (computer: string, requested: RequestedStrips) => void;
  /** Whether settings can be sent now; `wake` reports when they can again. */
  readonly canSend: () => boolean;
  /** Calls back at the next frame, with its time in milliseconds. */
  readonly frame: (callback: (time: number) => void) => void;
  /** Calls back later; returns a function that cancels it. */
  readonly later: (callback: () => void, ms: number) => () => void;
}

/** An echo that has not arrived within this time will not arrive. */
const SETTLE_MS = 1000;
/** A socket may send 100 events per second, and fast screens have more frames. */
const SEND_INTERVAL_MS = 15;
const groups: readonly Group[] = ['outputs', 'sessions'];

const getStripKey = (group: Group, name: string): string => `${group} ${name}`;
/** Outputs come before sessions, Master comes first; otherwise the order is unchanged. */
const rank = ({ group, name }: StripView): number => {
  if (group === 'sessions') return 2;
  return name.toLowerCase() === 'master' ? 0 : 1;
};

/** Collects changes, and paints and sends them at most once per frame, with the newest setting of each strip. */
const createFrames = ({ canSend, frame }: BoardDeps, paint: (key: string) => void, send: SendKeys) => {
  const unpainted = new Set<string>();
  const unsent = new Set<string>();
  let sentAt = -Infinity;
  let isWaiting = false;
  const wait = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    frame(flush);
  };
  const flush = (time: number): void => {
    isWaiting = false;
    for (const key of unpainted) paint(key);
    unpainted.clear();
    if (unsent.size === 0 || !canSend()) return;
    if (time - sentAt < SEND_INTERVAL_MS) return wait();
    sentAt = time;
    const keys = [...unsent];
    unsent.clear();
    send(keys);
  };
  return {
    wait,
    paintSoon: (key: string): void => {
      unpainted.add(key);
      wait();
    },
    sendSoon: (key: string): void => {
      unsent.add(key);
      wait();
    },
    dropUnsent: (key: string): void => void unsent.delete(key),
    isUnsent: (key: string): boolean => unsent.has(key),
  };
};
type SendKeys = (keys: readonly string[]) => void;

/** Creates the strips of one computer from its reports and the changes made here. */
export function createBoard(deps: BoardDeps) {
  const strips = new Map<string, Strip>();
  const viewByKey = new Map<string, StripView>();
  const settling = new Map<string, () => void>();
  const painters = new Map<string, (setting: StripSetting) => void>();
  const listeners = createListeners();
  /** Turns at which strips were removed. */
  const removedAt = new Map<string, number>();
  let computer: string | undefined;
  let views: readonly StripView[] = [];
  let areViewsCurrent = true;
  let turn = 0;

  const paint = (key: string): void => {
    const strip = strips.get(key);
    if (strip) painters.get(key)?.(strip.shown);
  };
  const frames = createFrames(deps, paint, (keys) => {
    const of = (group: Group) =>
      Object.fromEntries(
        keys.flatMap((key) => {
          const view = viewByKey.get(key);
          const strip = strips.get(key);
          return view?.group === group && strip ? [[view.name, strip.shown]] : [];
        }),
      );
    if (computer !== undefined) deps.send(computer, { outputs: of('outputs'), sessions: of('sessions') });
  });

  const stopSettling = (key: string): void => {
    settling.get(key)?.();
    settling.delete(key);
  };
  /** Updates a strip, and checks it again once it has settled. */
  const setStrip = (key: string, next: Strip): void => {
    const before = strips.get(key);
    strips.set(key, next);
    if (!before || !isSame(before.shown, next.shown)) frames.paintSoon(key);
    if (isSettled(next) || next.held) return stopSettling(key);
    if (settling.has(key) && before?.setAt === next.setAt) return;
    stopSettling(key);
    settling.set(
      key,
      deps.later(() => change(key, afterSettling), SETTLE_MS),
    );
  };
  const change = (key: string, how: (strip: Strip) => Strip): void => {
    const strip = strips.get(key);
    if (strip) setStrip(key, how(strip));
  };

  const setView = (view: StripView): void => {
    viewByKey.set(view.key, view);
    areViewsCurrent = false;
  };
  const remove = (key: string): void => {
    stopSettling(key);
    frames.dropUnsent(key);
    strips.delete(key);
    viewByKey.delete(key);
    removedAt.set(key, ++turn);
    areViewsCurrent = false;
  };
  /** Notifies about strips that were added, removed or changed their look, all together. */
  const publishViews = (): void => {
    if (areViewsCurrent) return;
    areViewsCurrent = true;
    views = [...viewByKey.values()].toSorted((one, other) => rank(one) - rank(other));
    listeners.notify();
  };

  const set = (key: string, setting: StripSetting): void => {
    change(key, (strip) => afterSetting(strip, setting, ++turn));
    if (strips.get(key)?.gone === false) frames.sendSoon(key);
  };
  const handleReport = (group: Group, name: string, { level, muted, ...rest }: ReportedStrip): void => {
    const key = getStripKey(group, name);
    const view = viewByKey.get(key) ?? { key, group, name, colour: '' };
    const { colour = view.colour, device = view.device } = rest;
    if (!viewByKey.has(key) || colour !== view.colour || device !== view.device) setView({ ...view, colour, device });
    const setting = { level, muted };
    turn += 1;
    if (strips.has(key)) change(key, (strip) => applyHeardSetting(strip, setting, turn));
    else setStrip(key, newStrip(setting, turn));
  };
  /** A held strip stays until it is released. */
  const handleRemoval = (key: string): void => {
    frames.dropUnsent(key);
    if (strips.get(key)?.held) change(key, (strip) => ({ ...strip, gone: true }));
    else if (strips.has(key)) remove(key);
  };
  const clear = (): void => {
    for (const key of strips.keys()) remove(key);
    removedAt.clear();
  };
  const isOlder = (key: string, mark: number): boolean => {
    const strip = strips.get(key);
    if (!strip) return (removedAt.get(key) ?? 0) <= mark;
    return isSettled(strip) && !frames.isUnsent(key) && Math.max(strip.setAt, strip.heardAt) <= mark;
  };

  const release = (key: string): void => {
    const strip = strips.get(key);
    if (!strip?.held) return;
    if (strip.gone) remove(key);
    else setStrip(key, releaseStrip(strip));
    publishViews();
  };

  return {
    /** Returns the current turn, to compare a later answer with; call it when the request is sent. */
    mark: (): number => turn,
    /**
     * Replaces all strips of a computer. What was set, reported or removed here after the mark is newer than the
     * answer.
     */
    takeAll: (from: string, reported: ReportedStrips, mark: number): void => {
      if (computer !== from) clear();
      computer = from;
      const outdated = [...viewByKey.values()].filter(({ key }) => isOlder(key, mark));
      for (const { key, group, name } of outdated) if (!Object.hasOwn(reported[group], name)) handleRemoval(key);
      for (const group of groups)
        for (const [name, spoken] of Object.entries(reported[group]))
          if (isOlder(getStripKey(group, name), mark)) handleReport(group, name, spoken);
      publishViews();
    },
    /** Applies changes and removals. Returns false while it is unknown which computer is on the board. */
    take: (from: string, reported: ReportedStrips, gone: Readonly<Record<Group, readonly string[]>>): boolean => {
      if (computer !== from) return computer !== undefined;
      for (const group of groups) {
        for (const name of gone[group]) handleRemoval(getStripKey(group, name));
        for (const [name, spoken] of Object.entries(reported[group])) handleReport(group, name, spoken);
      }
      publishViews();
      return true;
    },
    move: (key: string, level: number): void => set(key, createSetting(level)),
    toggle: (key: string): void => {
      const strip = strips.get(key);
      const setting = strip && toggled(strip.shown);
      if (setting) set(key, setting);
    },
    hold: (key: string): void => change(key, (strip) => ({ ...strip, held: true })),
    release,
    /** Releases held strips because nothing can be changed for now; unsent changes wait. */
    pause: (): void => {
      for (const key of strips.keys()) release(key);
    },
    /** Call this when something can be sent again. */
    wake: frames.wait,
    /** Discards unsent changes and shows what the computer reported. */
    giveUp: (): void => {
      for (const [key, strip] of strips) {
        frames.dropUnsent(key);
        if (strip.gone) remove(key);
        else setStrip(key, discardPendingChange(strip));
      }
      publishViews();
    },
    read: (key: string): StripSetting => strips.get(key)?.shown ?? createSetting(0),
    /** Paints a strip now and at each change; returns a function that stops it. */
    paint: (key: string, painter: (setting: StripSetting) => void): (() => void) => {
      painters.set(key, painter);
      paint(key);
      return () => void (painters.get(key) === painter && painters.delete(key));
    },
    /** Returns the views; the same list until a strip is added, removed or looks different. */
    views: (): readonly StripView[] => views,
    subscribe: listeners.subscribe,
  };
}

export type Board = ReturnType<typeof createBoard>;
