import type { AudioState } from '#platform/agent/drivers/drivers.ts';
import type { FakeAction } from '#platform/agent/drivers/fakeDrivers.ts';

/** What the screen of the simulated computer shows. */
export interface ScreenState {
  /** Text in the editor, which has the keyboard focus. */
  readonly text: string;
  /** Position of the pointer in pixels. */
  readonly pointer: { readonly x: number; readonly y: number };
  /** Last things that arrived, newest first; `count` makes equal ones distinguishable. */
  readonly log: readonly { readonly count: number; readonly text: string }[];
  readonly notification: { readonly count: number; readonly title: string; readonly text: string } | undefined;
  readonly sound: AudioState;
  readonly isRecording: boolean;
}

export const SCREEN_WIDTH = 1280;
export const SCREEN_HEIGHT = 800;
const CENTRE = { x: SCREEN_WIDTH / 2, y: SCREEN_HEIGHT / 2 };
const MAX_TEXT_LENGTH = 4000;
const MAX_LOG_LENGTH = 6;
const MODIFIERS = ['Ctrl', 'Gui', 'Alt', 'Shift'];

export function createScreenState(sound: AudioState): ScreenState {
  return { text: '', pointer: CENTRE, log: [], notification: undefined, sound, isRecording: false };
}

/** Returns the text after the keys were pressed in the editor. */
function pressInEditor(text: string, keys: readonly string[]): string {
  const [key = '', ...others] = keys.filter((name) => name !== 'Shift');
  if (others.length > 0 || MODIFIERS.includes(key)) return text;
  if (key === 'Enter') return `${text}\n`;
  if (key === 'Tab') return `${text}\t`;
  if (key === 'Space') return `${text} `;
  if (key === 'Backspace') return Array.from(text).slice(0, -1).join('');
  if (key.length !== 1) return text;
  return text + (keys.includes('Shift') ? key.toUpperCase() : key);
}

const clamp = (value: number, max: number): number => Math.max(0, Math.min(max, value));

/** Functions for some kinds of actions. */
type FunctionByKind<Result> = {
  readonly [Kind in FakeAction['kind']]?: (action: Extract<FakeAction, { kind: Kind }>, state: ScreenState) => Result;
};

const runForKind = <Result>(
  functions: FunctionByKind<Result>,
  action: FakeAction,
  state: ScreenState,
): Result | undefined =>
  (functions[action.kind] as ((action: FakeAction, state: ScreenState) => Result) | undefined)?.(action, state);

/** Returns the line of the log for an action. Other actions have none. */
const LOG_LINES: FunctionByKind<string | undefined> = {
  type: ({ text }) => `Typed ${Array.from(text).length} characters`,
  press: ({ keys }) => `Pressed ${keys.join(' + ')}`,
  button: ({ which, down }) => (down ? `Clicked the ${which} button` : undefined),
  wheel: () => 'Scrolled',
  level: ({ name, level, muted }) => `${name}: ${muted ? 'muted' : `${level} %`}`,
  copy: () => 'Received text for the clipboard',
  show: ({ title }) => `Notified: ${title}`,
  ask: ({ title }) => `Notified: ${title}`,
  record: () => 'Started a recording',
  recorded: () => 'Stopped the recording',
};

/** Returns what else an action changes on the screen. */
const CHANGES: FunctionByKind<Partial<ScreenState>> = {
  type: (action, { text }) => ({ text: (text + action.text).slice(-MAX_TEXT_LENGTH) }),
  press: ({ keys }, { text }) => ({ text: pressInEditor(text, keys) }),
  move: ({ dx, dy }, { pointer: { x, y } }) => ({
    pointer: { x: clamp(x + dx, SCREEN_WIDTH), y: clamp(y + dy, SCREEN_HEIGHT) },
  }),
  centre: () => ({ pointer: CENTRE }),
  record: () => ({ isRecording: true }),
  recorded: () => ({ isRecording: false }),
};

/** Returns what lines of a drag or a scroll have in common; undefined for others. */
const getSeries = (line: string): string | undefined => /^(?:Scrolled|.+(?=: \d+ %$))/.exec(line)?.[0];

/** Adds a line to the log, in place of the one before if both belong to one drag or scroll. */
function addToLog(log: ScreenState['log'], text: string, count: number): ScreenState['log'] {
  const series = getSeries(text);
  const isContinued = series !== undefined && series === getSeries(log[0]?.text ?? '');
  return [{ count, text }, ...log.slice(isContinued ? 1 : 0)].slice(0, MAX_LOG_LENGTH);
}

/** Returns the screen after an action. `count` is the number of the action; `sound` the levels after it. */
export function applyAction(
  state: ScreenState,
  action: FakeAction,
  { count, sound }: { readonly count: number; readonly sound: AudioState },
): ScreenState {
  const line = runForKind(LOG_LINES, action, state);
  const isNotification = action.kind === 'show' || action.kind === 'ask';
  return {
    ...state,
    sound,
    ...runForKind(CHANGES, action, state),
    ...(line === undefined ? {} : { log: addToLog(state.log, line, count) }),
    ...(isNotification ? { notification: { count, title: action.title, text: action.text } } : {}),
  };
}
