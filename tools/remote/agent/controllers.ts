import type { MouseButton, MouseDriver } from '#platform/agent/drivers/drivers.ts';
import type { AgentContext } from '#platform/agent/tool.ts';

/** Tracks which controller holds which button. A button is down while any controller holds it. */
export interface ControllerState {
  readonly set: (hand: string, button: MouseButton, down: boolean) => void;
  /** Releases everything that the controller holds. */
  readonly release: (hand: string) => void;
}

export function createGrip(mouse: MouseDriver): ControllerState {
  const holdersByButton = new Map<MouseButton, Set<string>>();

  const set = (hand: string, button: MouseButton, down: boolean): void => {
    const holders = holdersByButton.get(button) ?? new Set();
    if (holders.has(hand) === down) return;
    holdersByButton.set(button, holders);
    if (!down) holders.delete(hand);
    if (holders.size === 0) mouse.button(button, down);
    if (down) holders.add(hand);
  };
  return {
    set,
    release: (hand) => {
      for (const button of holdersByButton.keys()) set(hand, button, false);
    },
  };
}

/**
 * A controller that sends nothing for this long is gone, and what it held is released: docs/design/reliability.md
 * section 11.2.
 */
export const CONTROLLER_TIMEOUT_MS = 500;
/** One person does not use more controllers. */
const MAX_CONTROLLERS = 16;

/** Handles the events of one controller. */
export interface ControllerHand<Event> {
  readonly take: (event: Event) => void;
  readonly release: () => void;
}

export interface Controllers<Event> {
  readonly take: (controller: number, event: Event) => void;
  /** Releases what this controller holds and removes it; without a number, all controllers. */
  readonly release: (controller?: number) => void;
}

/**
 * Creates a handler for each controller, and releases what silent ones hold. Ignores events if moving the mouse is not
 * allowed.
 */
export function createHands<Event>(
  { allowed, drivers, onDisconnect }: Pick<AgentContext, 'allowed' | 'drivers' | 'onDisconnect'>,
  createHand: (controller: number) => ControllerHand<Event>,
): Controllers<Event> {
  const hands = new Map<number, ControllerHand<Event>>();
  const timeouts = new Map<number, NodeJS.Timeout>();

  const releaseController = (controller: number): void => {
    clearTimeout(timeouts.get(controller));
    timeouts.delete(controller);
    hands.get(controller)?.release();
    hands.delete(controller);
  };
  const release: Controllers<Event>['release'] = (controller) => {
    if (controller !== undefined) releaseController(controller);
    else for (const each of hands.keys()) releaseController(each);
  };
  onDisconnect(() => release());

  return {
    take: (controller, event) => {
      if (!allowed.mouse || !drivers.mouse.ability.able) return;
      let hand = hands.get(controller);
      if (!hand) {
        if (hands.size >= MAX_CONTROLLERS) return;
        hand = createHand(controller);
        hands.set(controller, hand);
      }
      clearTimeout(timeouts.get(controller));
      timeouts.set(
        controller,
        setTimeout(() => releaseController(controller), CONTROLLER_TIMEOUT_MS),
      );
      hand.take(event);
    },
    release,
  };
}
