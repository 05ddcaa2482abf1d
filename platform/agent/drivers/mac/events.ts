import type { MacFrameworks } from './frameworks.ts';
import { getKeyFlags } from './keyCodes.ts';

/** Where events enter: as if a device had sent them. */
const HID_TAP = 0;
const HID_SYSTEM_STATE = 1;
const NO_SOURCE = 0n;

/** Fields of mouse events. */
const CLICK_COUNT_FIELD = 1;
const DELTA_X_FIELD = 4;
const DELTA_Y_FIELD = 5;

const LINE_UNIT = 1;
const WHEEL_COUNT = 2;

/** NSEventTypeSystemDefined, and its subtype for media keys. */
const SYSTEM_DEFINED_EVENT = 14n;
const MEDIA_KEY_SUBTYPE = 8;
const MEDIA_KEY_DOWN = 0xa;
const MEDIA_KEY_UP = 0xb;
const CREATE_EVENT_SELECTOR =
  'otherEventWithType:location:modifierFlags:timestamp:windowNumber:context:subtype:data1:data2:';

export interface MousePost {
  readonly type: number;
  readonly x: number;
  readonly y: number;
  /** 0 is left, 1 right, 2 middle. */
  readonly button: number;
  readonly flags: bigint;
  readonly dx?: number;
  readonly dy?: number;
  /** 2 for the second click of a double click. */
  readonly clickCount?: number;
}

/** Sends events to the focused program and the desktop. Without permission macOS drops them silently. */
export interface EventPoster {
  /** Inserts at most 20 UTF-16 units, whatever the layout and the modifiers that somebody holds. */
  readonly postString: (text: string) => void;
  /** @param flags the modifiers that are down, or go down with this key. */
  readonly postKey: (code: number, down: boolean, flags: bigint) => void;
  readonly postMediaKey: (mediaKey: number) => void;
  readonly postMouse: (event: MousePost) => void;
  /** Positive lines go down and to the right. */
  readonly postWheel: (dx: number, dy: number, flags: bigint) => void;
}

export function createEventPoster(frameworks: MacFrameworks): EventPoster {
  const { graphics, foundation, getObjectiveC } = frameworks;
  const source = graphics.CGEventSourceCreate(HID_SYSTEM_STATE);
  /** Completes an event, sends it, and releases it. It is null if macOS is out of memory. */
  function post(event: bigint, complete: () => void): void {
    if (event === 0n) return;
    complete();
    graphics.CGEventPost(HID_TAP, event);
    foundation.CFRelease(event);
  }
  function postMediaEvent(mediaKey: number, state: number): void {
    const objectiveC = getObjectiveC();
    const pool = objectiveC.objc_autoreleasePoolPush();
    const event = objectiveC.sendCreateEvent(
      objectiveC.objc_getClass('NSEvent'),
      objectiveC.sel_registerName(CREATE_EVENT_SELECTOR),
      SYSTEM_DEFINED_EVENT,
      0,
      0,
      BigInt(state << 8),
      0,
      0n,
      0n,
      MEDIA_KEY_SUBTYPE,
      BigInt((mediaKey << 16) | (state << 8)),
      -1n,
    );
    // Both events belong to the pool. A message to null returns null.
    const graphicsEvent = objectiveC.objc_msgSend(event, objectiveC.sel_registerName('CGEvent'));
    if (graphicsEvent !== 0n) graphics.CGEventPost(HID_TAP, graphicsEvent);
    objectiveC.objc_autoreleasePoolPop(pool);
  }
  return {
    postString: (text) => {
      const units = Buffer.from(text, 'utf16le');
      for (const down of [1, 0]) {
        const event = graphics.CGEventCreateKeyboardEvent(NO_SOURCE, 0, down);
        post(event, () => {
          graphics.CGEventKeyboardSetUnicodeString(event, BigInt(text.length), units);
          // Modifiers that somebody holds would turn letters into shortcuts.
          graphics.CGEventSetFlags(event, 0n);
        });
      }
    },
    postKey: (code, down, flags) => {
      const event = graphics.CGEventCreateKeyboardEvent(source, code, down ? 1 : 0);
      post(event, () => graphics.CGEventSetFlags(event, flags | getKeyFlags(code)));
    },
    postMediaKey: (mediaKey) => {
      postMediaEvent(mediaKey, MEDIA_KEY_DOWN);
      postMediaEvent(mediaKey, MEDIA_KEY_UP);
    },
    postMouse: ({ type, x, y, button, flags, dx = 0, dy = 0, clickCount }) => {
      const event = graphics.CGEventCreateMouseEvent(source, type, x, y, button);
      post(event, () => {
        graphics.CGEventSetFlags(event, flags);
        if (dx !== 0) graphics.CGEventSetIntegerValueField(event, DELTA_X_FIELD, BigInt(dx));
        if (dy !== 0) graphics.CGEventSetIntegerValueField(event, DELTA_Y_FIELD, BigInt(dy));
        if (clickCount !== undefined)
          graphics.CGEventSetIntegerValueField(event, CLICK_COUNT_FIELD, BigInt(clickCount));
      });
    },
    postWheel: (dx, dy, flags) => {
      // Core Graphics counts up and left. -0 is no integer for node:ffi.
      const event = graphics.CGEventCreateScrollWheelEvent2(source, LINE_UNIT, WHEEL_COUNT, 0 - dy, 0 - dx, 0);
      post(event, () => graphics.CGEventSetFlags(event, flags));
    },
  };
}
