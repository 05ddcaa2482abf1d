import { Refusal } from '#platform/contract/refusal.ts';
import type { CheckStep, CheckStepAnswer } from '../contract.ts';
import type { Check, Chord, KeyCheck, TextCheck } from '../domain/checks.ts';
import { formatChord } from '../domain/keyNames.ts';
import { compareTexts, describeDifference, removeNamed, type CheckResult } from '../domain/report.ts';
import { type InputRecorder, waitForValue } from './inputRecorder.ts';

/** A text that has not changed for this time counts as complete. */
const TEXT_QUIET_MS = 2500;
/** How long to wait for a key, a button or the pointer. */
const INPUT_QUIET_MS = 1500;
/** The same for the first key: a browser may still handle the keyboard maps of the texts before it. */
const FIRST_KEY_QUIET_MS = 10_000;
/** How long the pointer must rest before its position is read. */
const REST_MS = 250;
const DISTANCE = { dx: 60, dy: 40 } as const;
/** Code of the refusal after which no further step would succeed. */
const ENDED_CODE = 'selfcheck.not_started';
/** Rounding of positions to CSS pixels. */
const POINTER_TOLERANCE = 1;
const PASTE_TEXT = 'Written by the agent: Grüße, мир, 你好 👋';
const COPY_TEXT = 'Copied on this page: Ελληνικά, 안녕 🎉';

export interface CheckDeps {
  /** Makes the computer do a step. @throws {SkippedError} if it can't or may not. */
  readonly perform: (step: CheckStep) => Promise<CheckStepAnswer>;
  readonly recorder: InputRecorder;
  readonly field: HTMLTextAreaElement;
  /** Whether the agent runs on macOS, which has another key for shortcuts. */
  readonly isMac: boolean;
  readonly signal: AbortSignal;
}

/** The computer can't or may not do a step; the message is its reason. */
export class SkippedError extends Error {
  override readonly name = 'SkippedError';
}

const compare = (label: string, expected: string, received: string): CheckResult => ({
  label,
  outcome: expected === received ? 'passed' : 'failed',
  expected,
  received,
});

/** Empties the text field, and gives it the focus. */
function clearField({ field }: CheckDeps): void {
  field.value = '';
  field.focus();
}

async function checkText(deps: CheckDeps, { label, parts }: TextCheck): Promise<CheckResult> {
  const { field, perform, signal } = deps;
  clearField(deps);
  const expected = parts.join('');
  const dropped: string[] = [];
  const startedAt = performance.now();
  let arrivedAt: number | undefined;
  const handleInput = (): void => {
    if (field.value === expected) arrivedAt ??= performance.now();
  };
  field.addEventListener('input', handleInput);
  try {
    for (const text of parts) dropped.push(...(await perform({ kind: 'type', text })).dropped);
    const received = await waitForValue(
      () => field.value,
      (value) => value === expected || (dropped.length > 0 && value === removeNamed(expected, dropped)),
      { signal, quietMs: TEXT_QUIET_MS },
    );
    const ms = arrivedAt === undefined ? undefined : arrivedAt - startedAt;
    return compareTexts(label, { expected, received, dropped, ms });
  } finally {
    field.removeEventListener('input', handleInput);
  }
}

async function pressAndRead({ perform, recorder, signal }: CheckDeps, chord: Chord, quietMs: number): Promise<string> {
  recorder.clear();
  await perform({ kind: 'press', keys: [...chord] });
  const options = { signal, quietMs };
  const received = await waitForValue(recorder.getKeys, (keys) => keys === formatChord(chord), options);
  return received === '' ? 'nothing' : received;
}

async function checkKeys(deps: CheckDeps, { label, chords }: KeyCheck): Promise<CheckResult> {
  const received: string[] = [];
  deps.recorder.setRecordingKeys(true);
  try {
    for (const chord of chords) {
      const quietMs = received.length === 0 ? FIRST_KEY_QUIET_MS : INPUT_QUIET_MS;
      received.push(await pressAndRead(deps, chord, quietMs));
    }
  } finally {
    deps.recorder.setRecordingKeys(false);
  }
  return compare(label, chords.map(formatChord).join(', '), received.join(', '));
}

async function waitForRest({ recorder, signal }: CheckDeps): Promise<{ readonly x: number; readonly y: number }> {
  const readPosition = (): string => JSON.stringify(recorder.getPointer());
  await waitForValue(readPosition, () => false, { signal, quietMs: REST_MS });
  return recorder.getPointer() ?? { x: 0, y: 0 };
}

/** Moves the pointer to the middle of the screen. Returns whether the page noticed. */
async function centrePointer({ perform, recorder, signal }: CheckDeps): Promise<boolean> {
  recorder.clear();
  // It may already be there, so it is moved a little too.
  await perform({ kind: 'centre' });
  await perform({ kind: 'move', dx: -3, dy: -3 });
  const moved = await waitForValue(
    () => String(recorder.hasMoved()),
    (value) => value === 'true',
    { signal, quietMs: INPUT_QUIET_MS },
  );
  return moved === 'true';
}

const OUTSIDE_NOTE = 'The browser window must cover the middle of the screen';

async function checkMove(deps: CheckDeps, label: string): Promise<CheckResult> {
  const expected = `${DISTANCE.dx} right, ${DISTANCE.dy} down`;
  if (!(await centrePointer(deps)))
    return { label, outcome: 'failed', expected, received: 'no movement', note: OUTSIDE_NOTE };
  const from = await waitForRest(deps);
  await deps.perform({ kind: 'move', ...DISTANCE });
  const to = await waitForRest(deps);
  const distances = [window.devicePixelRatio, 1].map((scale) => ({
    dx: Math.round((to.x - from.x) * scale),
    dy: Math.round((to.y - from.y) * scale),
  }));
  const isNear = ({ dx, dy }: { readonly dx: number; readonly dy: number }): boolean =>
    Math.abs(dx - DISTANCE.dx) <= POINTER_TOLERANCE && Math.abs(dy - DISTANCE.dy) <= POINTER_TOLERANCE;
  // Desktops count screen pixels or scaled ones.
  if (distances.some(isNear)) return compare(label, expected, expected);
  const [actual] = distances;
  return compare(label, expected, `${actual?.dx} right, ${actual?.dy} down`);
}

async function checkButtons(deps: CheckDeps, label: string): Promise<CheckResult> {
  const expected = 'left pressed, left released, right pressed, right released';
  const isInside = await centrePointer(deps);
  deps.recorder.clear();
  await deps.perform({ kind: 'click', button: 'left' });
  await deps.perform({ kind: 'click', button: 'right' });
  const options = { signal: deps.signal, quietMs: INPUT_QUIET_MS };
  const received = await waitForValue(deps.recorder.getButtons, (buttons) => buttons === expected, options);
  return { ...compare(label, expected, received || 'nothing'), ...(isInside ? {} : { note: OUTSIDE_NOTE }) };
}

async function checkWheel(deps: CheckDeps, label: string): Promise<CheckResult> {
  const received: string[] = [];
  const options = { signal: deps.signal, quietMs: INPUT_QUIET_MS };
  for (const steps of [1, -1]) {
    deps.recorder.clear();
    await deps.perform({ kind: 'wheel', steps });
    received.push((await waitForValue(deps.recorder.getWheel, (wheel) => wheel !== '', options)) || 'nothing');
  }
  // The setting 'natural scrolling' of a desktop turns the direction around.
  if (received.join(', ') === 'up, down') return compare(label, 'up, down', 'up, down');
  return compare(label, 'down, up', received.join(', '));
}

const getShortcut = ({ isMac }: CheckDeps, key: string): string[] => [isMac ? 'Gui' : 'Ctrl', key];

async function checkPaste(deps: CheckDeps, label: string): Promise<CheckResult> {
  const { field, perform, signal } = deps;
  await perform({ kind: 'copy', text: PASTE_TEXT });
  clearField(deps);
  await perform({ kind: 'press', keys: getShortcut(deps, 'v') });
  const received = await waitForValue(
    () => field.value,
    (value) => value === PASTE_TEXT,
    { signal, quietMs: TEXT_QUIET_MS },
  );
  const note = describeDifference(PASTE_TEXT, received);
  return { ...compare(label, PASTE_TEXT, received), ...(note === undefined ? {} : { note }) };
}

async function checkCopy(deps: CheckDeps, label: string): Promise<CheckResult> {
  const { field, perform } = deps;
  field.value = COPY_TEXT;
  field.focus();
  field.select();
  await perform({ kind: 'press', keys: getShortcut(deps, 'c') });
  return compareByComputer(deps, label, { kind: 'compare', text: COPY_TEXT });
}

/** Runs a step whose result only the computer knows. */
async function compareByComputer({ perform }: CheckDeps, label: string, step: CheckStep): Promise<CheckResult> {
  const { compared = { expected: 'an answer', received: 'nothing' } } = await perform(step);
  return compare(label, compared.expected, compared.received);
}

async function checkWindow(deps: CheckDeps, label: string): Promise<CheckResult> {
  const previousTitle = document.title;
  const title = `Pegboard self-check ${Math.floor(Math.random() * 1e6)}`;
  document.title = title;
  try {
    return await compareByComputer(deps, label, { kind: 'window', title });
  } finally {
    document.title = previousTitle;
  }
}

function selectCheck(deps: CheckDeps, check: Check): Promise<CheckResult> {
  switch (check.kind) {
    case 'text':
      return checkText(deps, check);
    case 'keys':
      return checkKeys(deps, check);
    case 'move':
      return checkMove(deps, check.label);
    case 'click':
      return checkButtons(deps, check.label);
    case 'wheel':
      return checkWheel(deps, check.label);
    case 'paste':
      return checkPaste(deps, check.label);
    case 'copy':
      return checkCopy(deps, check.label);
    case 'window':
      return checkWindow(deps, check.label);
    case 'sound':
      return compareByComputer(deps, check.label, { kind: 'sound' });
  }
}

/**
 * Runs one check. A refusal of the computer is its result.
 * @throws if the server can't be reached, the check was ended on the computer, or the page was left.
 */
export async function runCheck(deps: CheckDeps, check: Check): Promise<CheckResult> {
  const { label } = check;
  try {
    return await selectCheck(deps, check);
  } catch (error) {
    if (error instanceof SkippedError)
      return { label, outcome: 'skipped', expected: '', received: '', note: error.message };
    if (error instanceof Refusal && error.code !== ENDED_CODE)
      return { label, outcome: 'failed', expected: 'no error', received: 'an error', note: error.message };
    throw error;
  }
}
