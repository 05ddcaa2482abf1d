import type { MouseButton, MouseDriver } from '../drivers.ts';
import type { HeldInput, HeldInputs } from '../heldInputs.ts';
import { MOUSE_FLAG, toAbsoluteMove, type ScreenArea, type SystemInput } from './inputs.ts';
import type { KeyInjector } from './keyInjector.ts';
import { openUser32 } from './libraries.ts';

const BUTTON_BY_NUMBER = ['left', 'middle', 'right'] as const;
/** Indexes of `GetSystemMetrics`. The first screen starts at 0,0; the virtual screen spans all. */
const METRIC = { width: 0, height: 1, virtualLeft: 76, virtualTop: 77, virtualWidth: 78, virtualHeight: 79 } as const;
/** Size of the structure that describes a screen. */
const MONITOR_INFO_BYTES = 40;
const NEAREST_MONITOR = 2;
/** What Windows calls one step of a wheel. */
const WHEEL_STEP = 120;
/** Moves that follow each other this fast start where the last one ended: Windows handles them later. */
const TRACKED_MS = 100;
/** More steps in one event are not caused by a person. */
const MAX_WHEEL_STEPS = 100;

interface Point {
  readonly x: number;
  readonly y: number;
}

const getNumber = (button: MouseButton): number => BUTTON_BY_NUMBER.indexOf(button) + 1;
const toHeldInput = (button: MouseButton): HeldInput => `b${getNumber(button)}`;
const clampSteps = (steps: number): number => Math.max(-MAX_WHEEL_STEPS, Math.min(MAX_WHEEL_STEPS, steps));

/** Creates the mouse of Windows. */
export function createWindowsPointer(injector: KeyInjector, heldInputs: HeldInputs): MouseDriver {
  const { GetCursorPos, GetMonitorInfoW, GetSystemMetrics, MonitorFromPoint } = openUser32().functions;
  let lastMove: (Point & { readonly at: number }) | undefined;

  /** Sends an event of the mouse. Returns false if it is lost because the computer is locked. */
  function trySend(input: SystemInput): boolean {
    try {
      injector.send([input]);
      return true;
    } catch {
      return false;
    }
  }
  const getScreen = (): ScreenArea => ({
    left: GetSystemMetrics(METRIC.virtualLeft),
    top: GetSystemMetrics(METRIC.virtualTop),
    width: GetSystemMetrics(METRIC.virtualWidth),
    height: GetSystemMetrics(METRIC.virtualHeight),
  });
  /** Returns the nearest point that a screen shows: screens of different sizes leave holes between them. */
  function clampToScreens(x: number, y: number): Point {
    const point = (BigInt(y) << 32n) | BigInt.asUintN(32, BigInt(x));
    const info = Buffer.alloc(MONITOR_INFO_BYTES);
    info.writeUInt32LE(info.length, 0);
    if (GetMonitorInfoW(MonitorFromPoint(point, NEAREST_MONITOR), info) === 0) return { x, y };
    const [left = 0, top = 0, right = 0, bottom = 0] = [4, 8, 12, 16].map((offset) => info.readInt32LE(offset));
    return { x: Math.max(left, Math.min(right - 1, x)), y: Math.max(top, Math.min(bottom - 1, y)) };
  }
  function moveTo(x: number, y: number): void {
    const target = clampToScreens(x, y);
    if (trySend(toAbsoluteMove(target.x, target.y, getScreen()))) lastMove = { ...target, at: performance.now() };
  }
  function getPosition(): Point | undefined {
    if (lastMove && performance.now() - lastMove.at < TRACKED_MS) return lastMove;
    const point = Buffer.alloc(8);
    return GetCursorPos(point) === 0 ? undefined : { x: point.readInt32LE(0), y: point.readInt32LE(4) };
  }
  function setButton(button: MouseButton, down: boolean): void {
    if (down) heldInputs.add([toHeldInput(button)]);
    const isSent = trySend(injector.toButtonInput(getNumber(button), down));
    if (isSent && !down) heldInputs.remove([toHeldInput(button)]);
  }
  return {
    ability: { able: true },
    // Windows accelerates relative movements, so the new position is computed here.
    move: (dx, dy) => {
      const position = getPosition();
      if (position) moveTo(position.x + dx, position.y + dy);
    },
    centre: () =>
      moveTo(Math.floor(GetSystemMetrics(METRIC.width) / 2), Math.floor(GetSystemMetrics(METRIC.height) / 2)),
    button: setButton,
    wheel: (dx, dy) => {
      if (dy !== 0) trySend({ dx: 0, dy: 0, data: -clampSteps(dy) * WHEEL_STEP, flags: MOUSE_FLAG.wheel });
      if (dx !== 0) trySend({ dx: 0, dy: 0, data: clampSteps(dx) * WHEEL_STEP, flags: MOUSE_FLAG.horizontalWheel });
    },
    releaseAll: async () => {
      for (const button of BUTTON_BY_NUMBER)
        if (heldInputs.list().includes(toHeldInput(button))) setButton(button, false);
    },
  };
}
