/** iPhones and iPads hush what is mixed once the screen is locked; there elements sound by themselves. */
const isApplePhone = (): boolean =>
  /iP(?:hone|ad|od)/.test(navigator.userAgent) || (/Mac/.test(navigator.platform) && navigator.maxTouchPoints > 1);

/** A browser that ends meanwhile, or has closed it, is not asked again. */
const ignore = (): void => undefined;

/**
 * Where the elements sound: mixed into one output that stays open. An element by itself opens the sound card as it begins, which is heard as a
 * gap between two songs.
 */
export function createOutput(elements: readonly HTMLAudioElement[]) {
  let context: AudioContext | undefined;
  return {
    /** In the press of a button: before one the browser lets nothing sound. */
    open: (): void => {
      if (context || isApplePhone() || !('AudioContext' in globalThis)) return;
      context = new AudioContext({ latencyHint: 'playback' });
      for (const element of elements) context.createMediaElementSource(element).connect(context.destination);
    },
    run: (): void => void context?.resume().catch(ignore),
    /** Nothing is to be heard: the sound card may sleep. */
    rest: (): void => void context?.suspend().catch(ignore),
  };
}

/** What a deck is given to play. */
export interface DeckSource {
  readonly address: string;
  /** Seconds, where it begins. */
  readonly from: number;
  /** 0 to 1. */
  readonly level: number;
}

export interface DeckHooks {
  /** Where it is, in seconds. Several times a second, and after every jump. */
  readonly onTime: (at: number, duration: number) => void;
  /** It plays, is held, or waits for what it is to play. */
  readonly onChange: () => void;
  /** The prepared cut plays, right behind the one that has ended. */
  readonly onHandOver: () => void;
  /** It has ended, and nothing was ready to follow. */
  readonly onEnd: () => void;
  /** It does not go on: the line, the file, an address that has run out. `code`: of the `MediaError`. */
  readonly onBroken: (code: number | undefined) => void;
  /** What was to follow can't be loaded. */
  readonly onUnready: (address: string, code: number | undefined) => void;
  /** The browser wants a touch before anything sounds. */
  readonly onRefused: () => void;
}

export interface Decks {
  /** Plays it now, in place of what plays. */
  readonly play: (cut: DeckSource) => void;
  /** The same, held at its beginning. */
  readonly load: (cut: DeckSource) => void;
  /** What plays right behind the end, loaded ahead. */
  readonly prepare: (cut: DeckSource | undefined) => void;
  readonly prepared: () => string | undefined;
  readonly resume: () => void;
  readonly pause: () => void;
  readonly seek: (seconds: number) => void;
  readonly setLevels: (now: number, next: number) => void;
  readonly at: () => number;
  /** Seconds; 0 until the file has said it, and of one that does not play. */
  readonly duration: () => number;
  readonly state: () => 'playing' | 'waiting' | 'held';
  /** To be called in the press of a button: phones let an element sound only after that. */
  readonly unlock: () => void;
  readonly stop: () => void;
}

/** The end is waited for by a timer from here on; the element itself tells of it up to a quarter of a second late. */
const WATCHED_SECONDS = 1.5;
/** What a loaded element takes from `play()` to its first sound. */
const LEAD_SECONDS = 0.03;
/** A timer that comes this much early waits once more. */
const EARLY_SECONDS = 0.06;

/** A hundredth of a second of nothing. */
const silence = (): string => {
  const samples = 80;
  const bytes = new Uint8Array(44 + samples).fill(128, 44);
  const view = new DataView(bytes.buffer);
  const write = (at: number, text: string): void => bytes.set(new TextEncoder().encode(text), at);
  write(0, 'RIFF');
  view.setUint32(4, 36 + samples, true);
  write(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, 8000, true);
  view.setUint32(28, 8000, true);
  view.setUint16(32, 1, true);
  view.setUint16(34, 8, true);
  write(36, 'data');
  view.setUint32(40, samples, true);
  return URL.createObjectURL(new Blob([bytes], { type: 'audio/wav' }));
};

interface Deck {
  readonly audio: HTMLAudioElement;
  cut: DeckSource | undefined;
}

const put = (deck: Deck, cut: DeckSource): void => {
  deck.cut = cut;
  deck.audio.preload = 'auto';
  deck.audio.src = cut.address;
  deck.audio.volume = cut.level;
  // Before anything is known of the file: it begins there.
  deck.audio.currentTime = cut.from;
};

const clear = (deck: Deck): void => {
  deck.cut = undefined;
  if (!deck.audio.hasAttribute('src')) return;
  deck.audio.pause();
  deck.audio.removeAttribute('src');
  deck.audio.load();
};

const isReady = ({ audio, cut }: Deck): boolean =>
  cut !== undefined && audio.paused && audio.error === null && audio.readyState >= HTMLMediaElement.HAVE_FUTURE_DATA;

const isSounding = ({ audio }: Deck): boolean => !audio.paused && !audio.ended;

/**
 * Two media elements that play turn about: while one plays, the other has loaded what follows, and begins as the first one ends. They stand
 * outside the page, so that pages may come and go.
 */
export function createDecks(hooks: DeckHooks): Decks {
  let front: Deck = { audio: new Audio(), cut: undefined };
  let back: Deck = { audio: new Audio(), cut: undefined };
  /** Wanted on the back deck while it still plays out. */
  let awaited: DeckSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isUnlocked = false;

  const output = createOutput([front.audio, back.audio]);

  const left = (): number => front.audio.duration - front.audio.currentTime;

  const start = (deck: Deck): void => {
    output.run();
    deck.audio.play().catch((error: unknown) => {
      // Another song, or holding it, came between; a file that does not play says so itself.
      if (deck !== front || !(error instanceof DOMException) || error.name !== 'NotAllowedError') return;
      hooks.onRefused();
    });
  };

  const handOver = (): void => {
    clearTimeout(timer);
    [front, back] = [back, front];
    const { cut } = front;
    // It plays out its last moment, and is then free.
    back.cut = undefined;
    front.audio.play().catch((error: unknown) => {
      if (!(error instanceof DOMException) || error.name !== 'NotAllowedError' || !cut) return;
      // A phone that lets only that element sound that was touched for: it plays on there.
      [front, back] = [back, front];
      put(front, cut);
      start(front);
    });
    hooks.onHandOver();
  };

  const watchEnd = (): void => {
    clearTimeout(timer);
    if (front.audio.paused || !isReady(back) || !(left() < WATCHED_SECONDS)) return;
    timer = setTimeout(
      () => {
        if (left() > LEAD_SECONDS + EARLY_SECONDS) watchEnd();
        else if (!front.audio.paused && isReady(back)) handOver();
      },
      Math.max(0, left() - LEAD_SECONDS) * 1000,
    );
  };

  const listen = (deck: Deck): void => {
    const { audio } = deck;
    const on = (names: readonly (keyof HTMLMediaElementEventMap)[], then: () => void): void => {
      for (const name of names) audio.addEventListener(name, then);
    };
    on(['timeupdate', 'seeked', 'durationchange'], () => {
      if (deck !== front || !deck.cut) return;
      hooks.onTime(audio.currentTime, Number.isFinite(audio.duration) ? audio.duration : 0);
      watchEnd();
    });
    on(['play', 'playing', 'pause', 'waiting', 'canplay'], () => {
      // At its end it is held too; what follows is about to be said.
      if (deck !== front || !deck.cut || audio.ended) return;
      hooks.onChange();
      watchEnd();
    });
    on(['ended'], () => {
      if (deck === back) {
        if (awaited) put(deck, awaited);
        awaited = undefined;
      } else if (deck.cut && isReady(back)) handOver();
      else if (deck.cut) hooks.onEnd();
    });
    on(['error'], () => {
      if (!deck.cut) return;
      const code = audio.error?.code;
      if (deck === front) return hooks.onBroken(code);
      // It is begun in the usual way when its turn comes, and then tells why it does not play.
      const { address } = deck.cut;
      deck.cut = undefined;
      hooks.onUnready(address, code);
    });
  };
  listen(front);
  listen(back);

  const replace = (cut: DeckSource): void => {
    clearTimeout(timer);
    awaited = undefined;
    // What was loaded ahead need not be loaded again.
    if (isReady(back) && back.cut?.address === cut.address && cut.from === back.cut.from) {
      [front, back] = [back, front];
      front.cut = cut;
      front.audio.volume = cut.level;
    } else put(front, cut);
    clear(back);
  };

  return {
    play: (cut) => {
      replace(cut);
      start(front);
    },
    load: (cut) => {
      front.audio.pause();
      output.rest();
      replace(cut);
    },
    prepare: (cut) => {
      awaited = undefined;
      if (cut === undefined) {
        if (back.cut) clear(back);
      } else if (isSounding(back)) awaited = cut;
      else put(back, cut);
      watchEnd();
    },
    prepared: () => (awaited ?? back.cut)?.address,
    resume: () => start(front),
    pause: () => {
      clearTimeout(timer);
      front.audio.pause();
      if (isSounding(back)) back.audio.pause();
      output.rest();
    },
    seek: (seconds) => {
      clearTimeout(timer);
      front.audio.currentTime = seconds;
    },
    setLevels: (now, next) => {
      front.audio.volume = now;
      back.audio.volume = next;
    },
    at: () => (front.cut ? front.audio.currentTime : 0),
    duration: () => {
      const { cut, audio } = front;
      return cut && audio.error === null && Number.isFinite(audio.duration) ? audio.duration : 0;
    },
    state: () => {
      if (!front.cut || front.audio.paused) return 'held';
      return front.audio.readyState >= HTMLMediaElement.HAVE_FUTURE_DATA ? 'playing' : 'waiting';
    },
    unlock: () => {
      if (isUnlocked) return;
      isUnlocked = true;
      output.open();
      const address = silence();
      for (const deck of [front, back]) {
        if (deck.cut) continue;
        deck.audio.src = address;
        // Refused or replaced: it has been asked, which is all.
        deck.audio.play().catch(() => undefined);
      }
    },
    stop: () => {
      clearTimeout(timer);
      awaited = undefined;
      clear(front);
      clear(back);
      output.rest();
    },
  };
}
