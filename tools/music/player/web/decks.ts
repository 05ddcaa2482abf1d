/** iOS mutes mixed audio when the screen is locked, so there the elements play directly. */
const isApplePhone = (): boolean =>
  /iP(?:hone|ad|od)/.test(navigator.userAgent) || (/Mac/.test(navigator.platform) && navigator.maxTouchPoints > 1);

/** The page is closing or has closed the context. */
const ignore = (): void => undefined;

/**
 * Mixes the elements into one output that stays open. Otherwise each element opens the audio device when it starts,
 * which causes an audible gap between songs.
 */
export function createOutput(elements: readonly HTMLAudioElement[]) {
  let context: AudioContext | undefined;
  return {
    /** Call it from a click: browsers don't allow sound before one. */
    open: (): void => {
      if (context || isApplePhone() || !('AudioContext' in globalThis)) return;
      context = new AudioContext({ latencyHint: 'playback' });
      for (const element of elements) context.createMediaElementSource(element).connect(context.destination);
    },
    run: (): void => void context?.resume().catch(ignore),
    /** Lets the audio device sleep while nothing plays. */
    rest: (): void => void context?.suspend().catch(ignore),
  };
}

/** What a deck plays. */
export interface DeckSource {
  readonly address: string;
  /** Start position in seconds. */
  readonly from: number;
  /** 0 to 1. */
  readonly level: number;
}

export interface DeckHooks {
  /** Position in seconds. Called several times a second and after every jump. */
  readonly onTime: (at: number, duration: number) => void;
  /** It plays, is paused, or waits for data. */
  readonly onChange: () => void;
  /** The prepared source has started, directly after the end of the last one. */
  readonly onHandOver: () => void;
  /** It has ended, and nothing was prepared. */
  readonly onEnd: () => void;
  /** Playback failed: connection, file, or an expired address. `code` is that of the `MediaError`. */
  readonly onBroken: (code: number | undefined) => void;
  /** The prepared source can't be loaded. */
  readonly onUnready: (address: string, code: number | undefined) => void;
  /** The browser requires a click before it allows sound. */
  readonly onRefused: () => void;
}

export interface Decks {
  /** Plays a source instead of the current one. */
  readonly play: (cut: DeckSource) => void;
  /** Loads a source and pauses at its start. */
  readonly load: (cut: DeckSource) => void;
  /** Loads the source that follows the current one. */
  readonly prepare: (cut: DeckSource | undefined) => void;
  readonly prepared: () => string | undefined;
  readonly resume: () => void;
  readonly pause: () => void;
  readonly seek: (seconds: number) => void;
  readonly setLevels: (now: number, next: number) => void;
  readonly at: () => number;
  /** Seconds; 0 if unknown or if the file can't be played. */
  readonly duration: () => number;
  readonly state: () => 'playing' | 'waiting' | 'held';
  /** Call it from a click: phones only allow elements to play after one. */
  readonly unlock: () => void;
  readonly stop: () => void;
}

/** From here on a timer waits for the end, because the element reports it up to 250 ms late. */
const END_WATCH_SECONDS = 1.5;
/** Time from `play()` to the first sound of a loaded element. */
const LEAD_SECONDS = 0.03;
/** A timer that fires this much early is set again. */
const EARLY_SECONDS = 0.06;

/** Creates 10 ms of silence as a WAV file. */
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
  // Set before the metadata is loaded, so that it starts there.
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
 * Two media elements in turns: while one plays, the other loads the next song and starts when the first one ends.
 * They are not part of the document, so pages can change.
 */
export function createDecks(hooks: DeckHooks): Decks {
  let front: Deck = { audio: new Audio(), cut: undefined };
  let back: Deck = { audio: new Audio(), cut: undefined };
  /** The source to load into the back deck once it has finished playing. */
  let pendingSource: DeckSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isUnlocked = false;

  const output = createOutput([front.audio, back.audio]);

  const left = (): number => front.audio.duration - front.audio.currentTime;

  const start = (deck: Deck): void => {
    output.run();
    deck.audio.play().catch((error: unknown) => {
      // Another song or a pause intervened. A broken file is reported by its own event.
      if (deck !== front || !(error instanceof DOMException) || error.name !== 'NotAllowedError') return;
      hooks.onRefused();
    });
  };

  const switchDecks = (): void => {
    clearTimeout(timer);
    [front, back] = [back, front];
    const { cut } = front;
    // It plays its last moment and is then free.
    back.cut = undefined;
    front.audio.play().catch((error: unknown) => {
      if (!(error instanceof DOMException) || error.name !== 'NotAllowedError' || !cut) return;
      // This phone only allows the element that was unlocked to play, so continue there.
      [front, back] = [back, front];
      put(front, cut);
      start(front);
    });
    hooks.onHandOver();
  };

  const watchEnd = (): void => {
    clearTimeout(timer);
    if (front.audio.paused || !isReady(back) || !(left() < END_WATCH_SECONDS)) return;
    timer = setTimeout(
      () => {
        if (left() > LEAD_SECONDS + EARLY_SECONDS) watchEnd();
        else if (!front.audio.paused && isReady(back)) switchDecks();
      },
      Math.max(0, left() - LEAD_SECONDS) * 1000,
    );
  };

  const listen = (deck: Deck): void => {
    const { audio } = deck;
    const on = (names: readonly (keyof HTMLMediaElementEventMap)[], listener: () => void): void => {
      for (const name of names) audio.addEventListener(name, listener);
    };
    on(['timeupdate', 'seeked', 'durationchange'], () => {
      if (deck !== front || !deck.cut) return;
      hooks.onTime(audio.currentTime, Number.isFinite(audio.duration) ? audio.duration : 0);
      watchEnd();
    });
    on(['play', 'playing', 'pause', 'waiting', 'canplay'], () => {
      // The element also pauses at its end, and the next event reports what follows.
      if (deck !== front || !deck.cut || audio.ended) return;
      hooks.onChange();
      watchEnd();
    });
    on(['ended'], () => {
      if (deck === back) {
        if (pendingSource) put(deck, pendingSource);
        pendingSource = undefined;
      } else if (deck.cut && isReady(back)) switchDecks();
      else if (deck.cut) hooks.onEnd();
    });
    on(['error'], () => {
      if (!deck.cut) return;
      const code = audio.error?.code;
      if (deck === front) return hooks.onBroken(code);
      // It is loaded again when its turn comes, and then reports why it fails.
      const { address } = deck.cut;
      deck.cut = undefined;
      hooks.onUnready(address, code);
    });
  };
  listen(front);
  listen(back);

  const replace = (cut: DeckSource): void => {
    clearTimeout(timer);
    pendingSource = undefined;
    // Reuse a source that was loaded ahead.
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
      pendingSource = undefined;
      if (cut === undefined) {
        if (back.cut) clear(back);
      } else if (isSounding(back)) pendingSource = cut;
      else put(back, cut);
      watchEnd();
    },
    prepared: () => (pendingSource ?? back.cut)?.address,
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
        // A refusal or replacement doesn't matter: the attempt itself unlocks the element.
        deck.audio.play().catch(() => undefined);
      }
    },
    stop: () => {
      clearTimeout(timer);
      pendingSource = undefined;
      clear(front);
      clear(back);
      output.rest();
    },
  };
}
