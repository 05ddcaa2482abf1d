import type { MouseButton, MouseDriver } from '#platform/agent/drivers/drivers.ts';

/** Which hand holds which button. A button is down while any hand holds it. */
export interface Grip {
  readonly set: (hand: string, button: MouseButton, down: boolean) => void;
  /** The hand lets go of everything. */
  readonly letGo: (hand: string) => void;
}

export const createGrip = (mouse: MouseDriver): Grip => {
  const hands = new Map<MouseButton, Set<string>>();

  const set = (hand: string, button: MouseButton, down: boolean): void => {
    const holding = hands.get(button) ?? new Set();
    if (holding.has(hand) === down) return;
    hands.set(button, holding);
    if (!down) holding.delete(hand);
    if (holding.size === 0) mouse.button(button, down);
    if (down) holding.add(hand);
  };
  return {
    set,
    letGo: (hand) => {
      for (const button of hands.keys()) set(hand, button, false);
    },
  };
};
