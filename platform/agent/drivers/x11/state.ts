import type { HeldInput } from '../heldInput.ts';
import type { Display } from './display.ts';
import type { KeyboardState } from './keyboardLayout.ts';

const GROUP_SHIFT = 13;

const keycodesIn = (bits: Buffer): readonly number[] =>
  Array.from(bits.entries()).flatMap(([index, byte]) =>
    Array.from({ length: 8 }, (_, bit) => bit).flatMap((bit) => ((byte >> bit) & 1 ? [index * 8 + bit] : [])),
  );

/** The keyboard as the X server has it now; one round trip. */
export const readKeyboard = async ({ x, root, request, minKeycode, maxKeycode }: Display): Promise<KeyboardState> => {
  const [rows, modifiers, pointer, keymap] = await Promise.all([
    request<KeyboardState['rows']>((done) => x.GetKeyboardMapping(minKeycode, maxKeycode - minKeycode + 1, done)),
    request<KeyboardState['modifiers']>((done) => x.GetModifierMapping(done)),
    request<{ readonly keyMask: number }>((done) => x.QueryPointer(root, done)),
    request<Buffer>((done) => x.QueryKeymap(done)),
  ]);
  return {
    minKeycode,
    rows,
    modifiers,
    group: (pointer.keyMask >> GROUP_SHIFT) & 3,
    down: keycodesIn(keymap),
  };
};

export const sendHeldInput = (display: Display, thing: HeldInput, down: boolean): void => {
  const code = Number(thing.slice(1));
  if (thing.startsWith('k')) display.fakeKey(code, down);
  else display.fakeButton(code, down);
};
