import { formatPressedKey, isModifierKey } from '../domain/keyNames.ts';

/** Resolves after a time, or rejects with the reason of the signal. */
function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}

interface WaitOptions {
  readonly signal: AbortSignal;
  /** How long to wait for a change, which starts the time again. */
  readonly quietMs: number;
}

const POLL_INTERVAL_MS = 20;

/** Waits until the value is as expected, or stays the same for some time. Returns the last value. */
export async function waitForValue(
  read: () => string,
  isExpected: (value: string) => boolean,
  { signal, quietMs }: WaitOptions,
): Promise<string> {
  let value = read();
  let changedAt = performance.now();
  while (!isExpected(value) && performance.now() - changedAt < quietMs) {
    await delay(POLL_INTERVAL_MS, signal);
    const next = read();
    if (next !== value) changedAt = performance.now();
    value = next;
  }
  return value;
}

/** Records what the page receives. Until `stop`, nothing on the page reacts to the mouse. */
export interface InputRecorder {
  /** The keys since `clear`, separated by blanks, and after them those that are still down. */
  readonly getKeys: () => string;
  /** Buttons that were pressed and released since `clear`. */
  readonly getButtons: () => string;
  /** Whether the pointer has moved since `clear`. */
  readonly hasMoved: () => boolean;
  /** Where the pointer is, in CSS pixels; undefined before its first event. */
  readonly getPointer: () => { readonly x: number; readonly y: number } | undefined;
  /** 'down' or 'up', if the wheel was turned since `clear`. */
  readonly getWheel: () => string;
  readonly clear: () => void;
  /** Whether keys are recorded instead of reaching the text field. */
  readonly setRecordingKeys: (isOn: boolean) => void;
  readonly stop: () => void;
}

const BUTTON_NAMES = ['left', 'middle', 'right'];

function suppress(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}

export function startInputRecorder(): InputRecorder {
  const listeners = new AbortController();
  let keys: string[] = [];
  let buttons: string[] = [];
  let wheel = 0;
  let hasMoved = false;
  let pointer: { readonly x: number; readonly y: number } | undefined;
  let isRecordingKeys = false;
  const codesDown = new Set<string>();

  function listen<K extends keyof WindowEventMap>(name: K, handle: (event: WindowEventMap[K]) => void): void {
    window.addEventListener(name, handle, { capture: true, passive: false, signal: listeners.signal });
  }
  function recordButton({ button }: MouseEvent, action: string): void {
    buttons.push(`${BUTTON_NAMES[button] ?? `button ${button}`} ${action}`);
  }
  listen('keydown', (event) => {
    if (!isRecordingKeys) return;
    suppress(event);
    codesDown.add(event.code);
    if (!isModifierKey(event)) keys.push(formatPressedKey(event));
  });
  listen('keyup', (event) => {
    codesDown.delete(event.code);
    if (isRecordingKeys) suppress(event);
  });
  listen('pointermove', ({ clientX: x, clientY: y }) => {
    hasMoved ||= pointer?.x !== x || pointer?.y !== y;
    pointer = { x, y };
  });
  listen('pointerdown', (event) => recordButton(event, 'pressed'));
  listen('pointerup', (event) => recordButton(event, 'released'));
  // Whatever is under the pointer must not react, and the text field keeps the focus.
  for (const name of ['mousedown', 'click', 'auxclick', 'contextmenu'] as const) listen(name, suppress);
  listen('wheel', (event) => {
    wheel += event.deltaY;
    suppress(event);
  });
  return {
    getKeys: () => {
      const suffix = codesDown.size === 0 ? '' : ` (still down: ${[...codesDown].join(', ')})`;
      return `${keys.join(' ')}${suffix}`;
    },
    getButtons: () => buttons.join(', '),
    hasMoved: () => hasMoved,
    getPointer: () => pointer,
    getWheel: () => (wheel === 0 ? '' : wheel > 0 ? 'down' : 'up'),
    clear: () => {
      keys = [];
      buttons = [];
      wheel = 0;
      hasMoved = false;
      codesDown.clear();
    },
    setRecordingKeys: (isOn) => {
      isRecordingKeys = isOn;
    },
    stop: () => listeners.abort(),
  };
}
