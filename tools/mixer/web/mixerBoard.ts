import { isSame, movedTo, toggled, type StripSetting } from './faderSetting.ts';

/**
 * One strip's level, moved here and elsewhere: while it is held nothing from outside moves it, what is set here is shown at once, and
 * afterwards the level set last is shown, whoever set it (contract.md section 4). Turns count what happens on this page.
 */
export interface Strip {
  /** As it stands on the screen. */
  readonly shown: StripSetting;
  /** As the computer said last. */
  readonly truth: StripSetting;
  /** A finger or a key is on it. */
  readonly held: boolean;
  /** The computer has it no more, while it is held. */
  readonly gone: boolean;
  /** What was set here and may still come back: such a value is an echo, and moves nothing before the strip has settled. */
  readonly own: readonly StripSetting[];
  /** Turns at which it was set here last, and at which the computer spoke of it last. */
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

export function afterHearing(strip: Strip, setting: StripSetting, turn: number): Strip {
  const heard = { ...strip, truth: setting, heardAt: turn, gone: false };
  return strip.held || isOwn(strip, setting) ? heard : { ...heard, shown: setting, own: [] };
}

/** No echo comes any more: what the computer said since the last setting is what holds. */
export function afterSettling(strip: Strip): Strip {
  return {
    ...strip,
    own: [],
    shown: strip.heardAt > strip.setAt ? strip.truth : strip.shown,
  };
}

export function afterRelease(strip: Strip): Strip {
  const released = { ...strip, held: false };
  // What somebody else set while it was held, and not moved since, is later than what was set here.
  return strip.heardAt > strip.setAt && !isOwn(strip, strip.truth) ? afterSettling(released) : released;
}

/** Nothing of what was set here is on its way any more, and nothing will be sent. */
export function afterGivingUp(strip: Strip): Strip {
  return { ...strip, held: false, own: [], shown: strip.truth };
}

export function isSettled({ own }: Strip): boolean {
  return own.length === 0;
}

export type Group = 'outputs' | 'sessions';

/** What a strip is drawn from; how loud it stands is painted apart, without drawing it anew. */
export interface StripView {
  readonly key: string;
  readonly group: Group;
  readonly name: string;
  /** '' where the computer has not said it yet. */
  readonly colour: string;
  /** The output that the master volume controls. */
  readonly device?: string | undefined;
}

interface ReportedStrip extends StripSetting {
  readonly colour?: string | undefined;
  readonly device?: string | undefined;
}
/** What the computer says, by name in each group. */
export type ReportedStrips = Readonly<Record<Group, Readonly<Record<string, ReportedStrip>>>>;
/** What is to be set, by name in each group. */
export type RequestedStrips = Readonly<Record<Group, Readonly<Record<string, StripSetting>>>>;

export interface BoardDeps {
  /** `computer` is the one on the board. */
  readonly send: (computer: string, wish: RequestedStrips) => void;
  /** Whether something can be sent now; `wake` says when it can again. */
  readonly canSend: () => boolean;
  /** Runs at the next frame, with its time in milliseconds. */
  readonly frame: (then: (time: number) => void) => void;
  /** Runs later; gives back how to call it off. */
  readonly later: (then: () => void, ms: number) => () => void;
}

/** An echo that has not come by then does not come. */
const SETTLE_MS = 1000;
/** A socket may send 100 events a second; fast screens draw more frames. */
const SEND_INTERVAL_MS = 15;
const groups: readonly Group[] = ['outputs', 'sessions'];

const keyOf = (group: Group, name: string): string => `${group} ${name}`;
/** Outputs before sessions, Master before all; otherwise each keeps the place it has. */
const rank = ({ group, name }: StripView): number => {
  if (group === 'sessions') return 2;
  return name.toLowerCase() === 'master' ? 0 : 1;
};

/** What came since the last frame: paints it, and sends it at most once a frame, the newest of each strip. */
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

/** The strips of one computer: what it says, and what is moved here. */
export function createBoard(ground: BoardDeps) {
  const strips = new Map<string, Strip>();
  const drawn = new Map<string, StripView>();
  const settling = new Map<string, () => void>();
  const painters = new Map<string, (setting: StripSetting) => void>();
  const listeners = new Set<() => void>();
  /** Turns at which strips went. */
  const wentAt = new Map<string, number>();
  let computer: string | undefined;
  let views: readonly StripView[] = [];
  let isRedrawn = true;
  let turn = 0;

  const paint = (key: string): void => {
    const strip = strips.get(key);
    if (strip) painters.get(key)?.(strip.shown);
  };
  const frames = createFrames(ground, paint, (keys) => {
    const of = (group: Group) =>
      Object.fromEntries(
        keys.flatMap((key) => {
          const view = drawn.get(key);
          const strip = strips.get(key);
          return view?.group === group && strip ? [[view.name, strip.shown]] : [];
        }),
      );
    if (computer !== undefined) ground.send(computer, { outputs: of('outputs'), sessions: of('sessions') });
  });

  const stopSettling = (key: string): void => {
    settling.get(key)?.();
    settling.delete(key);
  };
  /** Puts a strip in its new state, and looks at it again once it has settled. */
  const put = (key: string, next: Strip): void => {
    const before = strips.get(key);
    strips.set(key, next);
    if (!before || !isSame(before.shown, next.shown)) frames.paintSoon(key);
    if (isSettled(next) || next.held) return stopSettling(key);
    if (settling.has(key) && before?.setAt === next.setAt) return;
    stopSettling(key);
    settling.set(
      key,
      ground.later(() => change(key, afterSettling), SETTLE_MS),
    );
  };
  const change = (key: string, how: (strip: Strip) => Strip): void => {
    const strip = strips.get(key);
    if (strip) put(key, how(strip));
  };

  const draw = (view: StripView): void => {
    drawn.set(view.key, view);
    isRedrawn = false;
  };
  const remove = (key: string): void => {
    stopSettling(key);
    frames.dropUnsent(key);
    strips.delete(key);
    drawn.delete(key);
    wentAt.set(key, ++turn);
    isRedrawn = false;
  };
  /** Tells of strips that came, went, or look different, all at once. */
  const redraw = (): void => {
    if (isRedrawn) return;
    isRedrawn = true;
    views = [...drawn.values()].toSorted((one, other) => rank(one) - rank(other));
    for (const each of listeners) each();
  };

  const set = (key: string, setting: StripSetting): void => {
    change(key, (strip) => afterSetting(strip, setting, ++turn));
    if (strips.get(key)?.gone === false) frames.sendSoon(key);
  };
  const hear = (group: Group, name: string, { level, muted, ...said }: ReportedStrip): void => {
    const key = keyOf(group, name);
    const view = drawn.get(key) ?? { key, group, name, colour: '' };
    const { colour = view.colour, device = view.device } = said;
    if (!drawn.has(key) || colour !== view.colour || device !== view.device) draw({ ...view, colour, device });
    const setting = { level, muted };
    turn += 1;
    if (strips.has(key)) change(key, (strip) => afterHearing(strip, setting, turn));
    else put(key, newStrip(setting, turn));
  };
  /** One that is held stays until it is let go. */
  const vanish = (key: string): void => {
    frames.dropUnsent(key);
    if (strips.get(key)?.held) change(key, (strip) => ({ ...strip, gone: true }));
    else if (strips.has(key)) remove(key);
  };
  const clear = (): void => {
    for (const key of strips.keys()) remove(key);
    wentAt.clear();
  };
  const isOlder = (key: string, mark: number): boolean => {
    const strip = strips.get(key);
    if (!strip) return (wentAt.get(key) ?? 0) <= mark;
    return isSettled(strip) && !frames.isUnsent(key) && Math.max(strip.setAt, strip.heardAt) <= mark;
  };

  const release = (key: string): void => {
    const strip = strips.get(key);
    if (!strip?.held) return;
    if (strip.gone) remove(key);
    else put(key, afterRelease(strip));
    redraw();
  };

  return {
    /** What an answer is measured against: taken when the question is asked. */
    mark: (): number => turn,
    /** All there is on a computer. What was set here, heard or gone after the mark is newer than this. */
    takeAll: (from: string, told: ReportedStrips, mark: number): void => {
      if (computer !== from) clear();
      computer = from;
      const known = [...drawn.values()].filter(({ key }) => isOlder(key, mark));
      for (const { key, group, name } of known) if (!Object.hasOwn(told[group], name)) vanish(key);
      for (const group of groups)
        for (const [name, spoken] of Object.entries(told[group]))
          if (isOlder(keyOf(group, name), mark)) hear(group, name, spoken);
      redraw();
    },
    /** What changed on a computer, and what went. False before it is known which one is on the board. */
    take: (from: string, told: ReportedStrips, gone: Readonly<Record<Group, readonly string[]>>): boolean => {
      if (computer !== from) return computer !== undefined;
      for (const group of groups) {
        for (const name of gone[group]) vanish(keyOf(group, name));
        for (const [name, spoken] of Object.entries(told[group])) hear(group, name, spoken);
      }
      redraw();
      return true;
    },
    move: (key: string, level: number): void => set(key, movedTo(level)),
    toggle: (key: string): void => {
      const strip = strips.get(key);
      const setting = strip && toggled(strip.shown);
      if (setting) set(key, setting);
    },
    hold: (key: string): void => change(key, (strip) => ({ ...strip, held: true })),
    release,
    /** Nothing can be moved for now: what is held is let go, and what was not sent waits. */
    pause: (): void => {
      for (const key of strips.keys()) release(key);
    },
    /** Something can be sent again. */
    wake: frames.wait,
    /** What was not sent never will be, and what the computer said is shown. */
    giveUp: (): void => {
      for (const [key, strip] of strips) {
        frames.dropUnsent(key);
        if (strip.gone) remove(key);
        else put(key, afterGivingUp(strip));
      }
      redraw();
    },
    read: (key: string): StripSetting => strips.get(key)?.shown ?? movedTo(0),
    /** Paints a strip now and whenever it stands otherwise; gives back how to stop. */
    paint: (key: string, painter: (setting: StripSetting) => void): (() => void) => {
      painters.set(key, painter);
      paint(key);
      return () => void (painters.get(key) === painter && painters.delete(key));
    },
    /** The same list until a strip comes, goes or looks different. */
    views: (): readonly StripView[] => views,
    subscribe: (then: () => void): (() => void) => {
      listeners.add(then);
      return () => void listeners.delete(then);
    },
  };
}

export type Board = ReturnType<typeof createBoard>;
