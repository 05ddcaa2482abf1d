import type { MouseButton, MouseDriver } from '#platform/agent/drivers/drivers.ts';
import type { AgentContext } from '#platform/agent/tool.ts';

/** Which hand holds which button. A button is down while any hand holds it. */
export interface Grip {
  readonly set: (hand: string, button: MouseButton, down: boolean) => void;
  /** The hand lets go of everything. */
  readonly letGo: (hand: string) => void;
}

export function createGrip(mouse: MouseDriver): Grip {
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
}

/** Silence for so long: the controller is gone and what it held is let go (reliability.md section 8). */
export const CONTROLLER_TIMEOUT_MS = 500;
/** More controllers at once are no hands of one person. */
const MAX_CONTROLLERS = 16;

/** One controller's hand on the mouse. */
export interface ControllerHand<Event> {
  readonly take: (event: Event) => void;
  readonly letGo: () => void;
}

export interface Hands<Event> {
  readonly take: (controller: number, event: Event) => void;
  /** This controller's hand lets go and is forgotten; all do where none is named. */
  readonly letGo: (controller?: number) => void;
}

/** Keeps one hand for each controller, and lets go for those that fall silent. Nothing where the mouse is not to be moved. */
export function createHands<Event>(
  { allowed, drivers, onDisconnect }: Pick<AgentContext, 'allowed' | 'drivers' | 'onDisconnect'>,
  make: (controller: number) => ControllerHand<Event>,
): Hands<Event> {
  const hands = new Map<number, ControllerHand<Event>>();
  const silences = new Map<number, NodeJS.Timeout>();

  const letGoOf = (controller: number): void => {
    clearTimeout(silences.get(controller));
    silences.delete(controller);
    hands.get(controller)?.letGo();
    hands.delete(controller);
  };
  const letGo: Hands<Event>['letGo'] = (controller) => {
    if (controller !== undefined) letGoOf(controller);
    else for (const each of hands.keys()) letGoOf(each);
  };
  onDisconnect(() => letGo());

  return {
    take: (controller, event) => {
      if (!allowed.mouse || !drivers.mouse.ability.able) return;
      let hand = hands.get(controller);
      if (!hand) {
        if (hands.size >= MAX_CONTROLLERS) return;
        hand = make(controller);
        hands.set(controller, hand);
      }
      clearTimeout(silences.get(controller));
      silences.set(
        controller,
        setTimeout(() => letGoOf(controller), CONTROLLER_TIMEOUT_MS),
      );
      hand.take(event);
    },
    letGo,
  };
}
