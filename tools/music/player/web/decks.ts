/** iOS mutes mixed audio when the screen is locked, so there the elements play directly. */
const isApplePhone = (): boolean =>
  /iP(?:hone|ad|od)/.test(navigator.userAgent) || (/Mac/.test(navigator.platform) && navigator.maxTouchPoints > 1);

/** Ignores errors of a page that is closing. */
const ignore = (): void => undefined;

/**
 * Mixes the elements into one output that stays open. Otherwise each element opens the audio device when it starts,
 * which causes an audible gap between songs.
 */
export function createOutput(elements: readonly HTMLAudioElement[]) {
  let context: AudioContext | undefined;
  return {
    /** Must be called during a click: browsers don't allow sound before one. */
    open: (): void => {
      if (context || isApplePhone() || !('AudioContext' in globalThis)) return;
      context = new AudioContext({ latencyHint: 'playback' });
      for (const element of elements) context.createMediaElementSource(element).connect(context.destination);
    },
    resume: (): void => void context?.resume().catch(ignore),
    /** Lets the audio device sleep while nothing plays. */
    suspend: (): void => void context?.suspend().catch(ignore),
  };
}

/** The audio that a deck plays. */
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
  /** The source plays, is paused, or waits for data. */
  readonly onChange: () => void;
  /** The prepared source has started, directly after the end of the last one. */
  readonly onHandOver: () => void;
  /** The source has ended, and no other one was prepared. */
  readonly onEnd: () => void;
  /** Playback failed: connection, file, or an expired address. `code` is that of the `MediaError`. */
  readonly onError: (code: number | undefined) => void;
  /** The prepared source can't be loaded. */
  readonly onPreloadFailed: (address: string, code: number | undefined) => void;
  /** The browser requires a click before it allows sound. */
  readonly onBlocked: () => void;
}

export interface Decks {
  /** Plays a source instead of the current one. */
  readonly play: (source: DeckSource) => void;
  /** Loads a source and pauses at its start. */
  readonly load: (source: DeckSource) => void;
  /** Loads the source that follows the current one. */
  readonly prepare: (source: DeckSource | undefined) => void;
  readonly getPreparedAddress: () => string | undefined;
  readonly resume: () => void;
  readonly pause: () => void;
  readonly seek: (seconds: number) => void;
  readonly setLevels: (now: number, next: number) => void;
  readonly getPosition: () => number;
  /** Seconds; 0 if unknown or if the file can't be played. */
  readonly getDuration: () => number;
  readonly getState: () => 'playing' | 'waiting' | 'paused';
  /** Must be called during a click: phones only allow elements to play after one. */
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
function createSilence(): string {
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
}

interface Deck {
  readonly audio: HTMLAudioElement;
  source: DeckSource | undefined;
}

function loadSource(deck: Deck, source: DeckSource): void {
  deck.source = source;
  deck.audio.preload = 'auto';
  deck.audio.src = source.address;
  deck.audio.volume = source.level;
  // Set before the metadata is loaded, so that it starts there.
  deck.audio.currentTime = source.from;
}

function unload(deck: Deck): void {
  deck.source = undefined;
  if (!deck.audio.hasAttribute('src')) return;
  deck.audio.pause();
  deck.audio.removeAttribute('src');
  deck.audio.load();
}

const isReady = ({ audio, source }: Deck): boolean =>
  source !== undefined && audio.paused && audio.error === null && audio.readyState >= HTMLMediaElement.HAVE_FUTURE_DATA;

const isSounding = ({ audio }: Deck): boolean => !audio.paused && !audio.ended;

/**
 * Creates two media elements that alternate: while one plays, the other loads the next song and starts at the end.
 * They are not part of the document, so pages can change.
 */
export function createDecks(hooks: DeckHooks): Decks {
  let front: Deck = { audio: new Audio(), source: undefined };
  let back: Deck = { audio: new Audio(), source: undefined };
  /** The source to load into the back deck once it has finished playing. */
  let pendingSource: DeckSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isUnlocked = false;

  const output = createOutput([front.audio, back.audio]);

  const getRemainingSeconds = (): number => front.audio.duration - front.audio.currentTime;

  function start(deck: Deck): void {
    output.resume();
    deck.audio.play().catch((error: unknown) => {
      // Another song or a pause intervened. A broken file is reported by its own event.
      if (deck !== front || !(error instanceof DOMException) || error.name !== 'NotAllowedError') return;
      hooks.onBlocked();
    });
  }

  function switchDecks(): void {
    clearTimeout(timer);
    [front, back] = [back, front];
    const { source } = front;
    // It plays its last moment, and can be reused then.
    back.source = undefined;
    front.audio.play().catch((error: unknown) => {
      if (!(error instanceof DOMException) || error.name !== 'NotAllowedError' || !source) return;
      // This phone only allows the element that was unlocked to play, so continue there.
      [front, back] = [back, front];
      loadSource(front, source);
      start(front);
    });
    hooks.onHandOver();
  }

  function watchEnd(): void {
    clearTimeout(timer);
    if (front.audio.paused || !isReady(back) || !(getRemainingSeconds() < END_WATCH_SECONDS)) return;
    timer = setTimeout(
      () => {
        if (getRemainingSeconds() > LEAD_SECONDS + EARLY_SECONDS) watchEnd();
        else if (!front.audio.paused && isReady(back)) switchDecks();
      },
      Math.max(0, getRemainingSeconds() - LEAD_SECONDS) * 1000,
    );
  }

  function addListeners(deck: Deck): void {
    const { audio } = deck;
    function on(names: readonly (keyof HTMLMediaElementEventMap)[], listener: () => void): void {
      for (const name of names) audio.addEventListener(name, listener);
    }
    on(['timeupdate', 'seeked', 'durationchange'], () => {
      if (deck !== front || !deck.source) return;
      hooks.onTime(audio.currentTime, Number.isFinite(audio.duration) ? audio.duration : 0);
      watchEnd();
    });
    on(['play', 'playing', 'pause', 'waiting', 'canplay'], () => {
      // The element also pauses at its end, and the next event reports what follows.
      if (deck !== front || !deck.source || audio.ended) return;
      hooks.onChange();
      watchEnd();
    });
    on(['ended'], () => {
      if (deck === back) {
        if (pendingSource) loadSource(deck, pendingSource);
        pendingSource = undefined;
      } else if (deck.source && isReady(back)) switchDecks();
      else if (deck.source) hooks.onEnd();
    });
    on(['error'], () => {
      if (!deck.source) return;
      const code = audio.error?.code;
      if (deck === front) return hooks.onError(code);
      // It is loaded again as the next song, and then reports why it fails.
      const { address } = deck.source;
      deck.source = undefined;
      hooks.onPreloadFailed(address, code);
    });
  }
  addListeners(front);
  addListeners(back);

  function replace(source: DeckSource): void {
    clearTimeout(timer);
    pendingSource = undefined;
    // Reuse a source that was loaded ahead.
    if (isReady(back) && back.source?.address === source.address && source.from === back.source.from) {
      [front, back] = [back, front];
      front.source = source;
      front.audio.volume = source.level;
    } else loadSource(front, source);
    unload(back);
  }

  return {
    play: (source) => {
      replace(source);
      start(front);
    },
    load: (source) => {
      front.audio.pause();
      output.suspend();
      replace(source);
    },
    prepare: (source) => {
      pendingSource = undefined;
      if (source === undefined) {
        if (back.source) unload(back);
      } else if (isSounding(back)) pendingSource = source;
      else loadSource(back, source);
      watchEnd();
    },
    getPreparedAddress: () => (pendingSource ?? back.source)?.address,
    resume: () => start(front),
    pause: () => {
      clearTimeout(timer);
      front.audio.pause();
      if (isSounding(back)) back.audio.pause();
      output.suspend();
    },
    seek: (seconds) => {
      clearTimeout(timer);
      front.audio.currentTime = seconds;
    },
    setLevels: (now, next) => {
      front.audio.volume = now;
      back.audio.volume = next;
    },
    getPosition: () => (front.source ? front.audio.currentTime : 0),
    getDuration: () => {
      const { source, audio } = front;
      return source && audio.error === null && Number.isFinite(audio.duration) ? audio.duration : 0;
    },
    getState: () => {
      if (!front.source || front.audio.paused) return 'paused';
      return front.audio.readyState >= HTMLMediaElement.HAVE_FUTURE_DATA ? 'playing' : 'waiting';
    },
    unlock: () => {
      if (isUnlocked) return;
      isUnlocked = true;
      output.open();
      const address = createSilence();
      for (const deck of [front, back]) {
        if (deck.source) continue;
        deck.audio.src = address;
        // A refusal or replacement doesn't matter: the attempt itself unlocks the element.
        deck.audio.play().catch(() => undefined);
      }
    },
    stop: () => {
      clearTimeout(timer);
      pendingSource = undefined;
      unload(front);
      unload(back);
      output.suspend();
    },
  };
}
