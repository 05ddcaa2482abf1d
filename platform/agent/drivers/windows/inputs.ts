// Encodes keyboard and mouse events for `SendInput`, as on 64-bit Windows.

/** Size of an INPUT structure. */
export const INPUT_BYTES = 40;
const MOUSE = 0;
const KEYBOARD = 1;

export const KEY_FLAG = { extended: 1, up: 2, unicode: 4 } as const;
export const MOUSE_FLAG = {
  move: 0x1,
  leftDown: 0x2,
  leftUp: 0x4,
  rightDown: 0x8,
  rightUp: 0x10,
  middleDown: 0x20,
  middleUp: 0x40,
  wheel: 0x800,
  horizontalWheel: 0x1000,
  virtualDesk: 0x4000,
  absolute: 0x8000,
} as const;

export interface KeyInput {
  readonly virtualKey: number;
  readonly scanCode: number;
  readonly flags: number;
}
export interface MouseInput {
  readonly dx: number;
  readonly dy: number;
  /** Distance of the wheel; down is negative. */
  readonly data: number;
  readonly flags: number;
}
export type SystemInput = KeyInput | MouseInput;

/** Encodes events as an array of INPUT structures. */
export function encodeInputs(inputs: readonly SystemInput[]): Buffer {
  const buffer = Buffer.alloc(INPUT_BYTES * inputs.length);
  for (const [index, input] of inputs.entries()) {
    const start = index * INPUT_BYTES;
    if ('virtualKey' in input) {
      buffer.writeUInt32LE(KEYBOARD, start);
      buffer.writeUInt16LE(input.virtualKey, start + 8);
      buffer.writeUInt16LE(input.scanCode, start + 10);
      buffer.writeUInt32LE(input.flags, start + 12);
    } else {
      buffer.writeUInt32LE(MOUSE, start);
      buffer.writeInt32LE(input.dx, start + 8);
      buffer.writeInt32LE(input.dy, start + 12);
      buffer.writeInt32LE(input.data, start + 16);
      buffer.writeUInt32LE(input.flags, start + 20);
    }
  }
  return buffer;
}

/** Virtual keys of the characters that are pressed as keys. */
const VIRTUAL_KEY_BY_CONTROL: Readonly<Record<string, number>> = { '\b': 0x08, '\t': 0x09, '\n': 0x0d };

/** The events that type a character: each UTF-16 unit goes down and up, otherwise repeated ones would stick. */
function toInputs(character: string, getScanCode: (virtualKey: number) => number): readonly KeyInput[] {
  const virtualKey = VIRTUAL_KEY_BY_CONTROL[character];
  if (virtualKey !== undefined) {
    const key = { virtualKey, scanCode: getScanCode(virtualKey) };
    return [
      { ...key, flags: 0 },
      { ...key, flags: KEY_FLAG.up },
    ];
  }
  return character.split('').flatMap((unit) => {
    const key = { virtualKey: 0, scanCode: unit.charCodeAt(0) };
    return [
      { ...key, flags: KEY_FLAG.unicode },
      { ...key, flags: KEY_FLAG.unicode | KEY_FLAG.up },
    ];
  });
}

/** Whether the character can be typed: no control character but newline, tab and backspace, and no half of a pair. */
const isTypable = (character: string): boolean =>
  character in VIRTUAL_KEY_BY_CONTROL || !/^[\p{Cc}\p{Cs}]$/u.test(character);

/** The typing of a text: one list of events per character, and the characters that can't be typed. */
export interface TypingPlan {
  readonly characters: readonly (readonly KeyInput[])[];
  readonly dropped: readonly string[];
}

/** Converts a text to key events. The line breaks of all systems become one press of Return. */
export function planTyping(text: string, getScanCode: (virtualKey: number) => number): TypingPlan {
  const characters = Array.from(text.replaceAll(/\r\n?/g, '\n'));
  return {
    characters: characters.filter(isTypable).map((character) => toInputs(character, getScanCode)),
    dropped: characters.filter((character) => !isTypable(character)),
  };
}

/** A rectangle of the screen in pixels. */
export interface ScreenArea {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Absolute positions are fractions of the screen with this denominator. */
const ABSOLUTE_RANGE = 65_536;

/** Returns the event that moves the pointer to a pixel. Windows rounds down, so the fraction is rounded up. */
export function toAbsoluteMove(x: number, y: number, { left, top, width, height }: ScreenArea): MouseInput {
  return {
    dx: Math.ceil(((x - left) * ABSOLUTE_RANGE) / width),
    dy: Math.ceil(((y - top) * ABSOLUTE_RANGE) / height),
    data: 0,
    flags: MOUSE_FLAG.move | MOUSE_FLAG.absolute | MOUSE_FLAG.virtualDesk,
  };
}
