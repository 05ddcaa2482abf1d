import type { AgentContext } from '#platform/agent/tool.ts';
import { handleEvent } from '#platform/agent/tool.ts';
import { pointerToDevice } from '../contract.ts';
import { isDown, mouseButtons, stepBetween, listButtonChanges, type PointerSums } from '../domain/pointerSums.ts';
import { createHands, type ControllerHand, type ControllerState } from './controllers.ts';

type Touch = Parameters<Parameters<typeof handleEvent<typeof pointerToDevice>>[1]>[0];

/** Accumulates fractions: returns the whole part and keeps the rest for the next call. */
const createAccumulator = () => {
  let rest = 0;
  return (more: number): number => {
    rest += more;
    const whole = Math.trunc(rest);
    rest -= whole;
    return whole;
  };
};

interface PadOptions extends Pick<AgentContext, 'drivers' | 'allowed' | 'print'> {
  readonly controller: number;
  readonly grip: ControllerState;
}

/**
 * Handles one touchpad. The first event, also after a silence, only sets the sums: earlier movement is too old to be
 * repeated. A button that is down then is pressed.
 */
const createPad = ({ drivers, allowed, print, controller, grip }: PadOptions): ControllerHand<Touch> => {
  const { mouse, keyboard } = drivers;
  const name = `pad ${controller}`;
  const accumulators = {
    dx: createAccumulator(),
    dy: createAccumulator(),
    wheelX: createAccumulator(),
    wheelY: createAccumulator(),
  };
  let lastTouch: (PointerSums & { readonly stream: number }) | undefined;
  let heldModifiers = '';
  let queue: Promise<void> | undefined;

  const move = (from: PointerSums, to: PointerSums): void => {
    const step = stepBetween(from, to);
    const [dx, dy] = [accumulators.dx(step.dx), accumulators.dy(step.dy)];
    const [wheelX, wheelY] = [accumulators.wheelX(step.wheelX), accumulators.wheelY(step.wheelY)];
    if (dx !== 0 || dy !== 0) mouse.move(dx, dy);
    if (wheelX !== 0 || wheelY !== 0) mouse.wheel(wheelX, wheelY);
  };
  const follow = (touch: Touch): void => {
    const before = lastTouch?.stream === touch.stream ? lastTouch : undefined;
    lastTouch = touch;
    if (!before) {
      for (const button of mouseButtons) grip.set(name, button, isDown(touch.turns[button]));
      return;
    }
    move(before, touch);
    for (const button of mouseButtons)
      for (const down of listButtonChanges(before.turns[button], touch.turns[button])) grip.set(name, button, down);
  };

  /** Runs work in order, so that modifiers are held before the input that needs them. */
  const enqueue = (work: () => Promise<void> | void): void => {
    const runAfter = async (before: Promise<void> | undefined): Promise<void> => {
      await before;
      await work();
    };
    const entry = runAfter(queue).finally(() => {
      if (queue === entry) queue = undefined;
    });
    queue = entry;
  };
  const hold = async (modifiers: readonly string[]): Promise<void> => {
    heldModifiers = modifiers.join('-');
    await keyboard
      .holdModifiers(modifiers)
      .catch((error: unknown) => print(`Could not hold the modifier keys: ${String(error)}`));
  };

  return {
    take: (touch) => {
      const modifiers = allowed.keyboard && keyboard.ability.able ? (touch.modifiers ?? []) : [];
      const wantedModifiers = modifiers.join('-');
      if (wantedModifiers === heldModifiers && !queue) return follow(touch);
      enqueue(async () => {
        if (wantedModifiers !== heldModifiers) await hold(modifiers);
        follow(touch);
      });
    },
    release: () => {
      grip.release(name);
      if (heldModifiers === '' && !queue) return;
      // Work that waits for its modifiers may press another button.
      enqueue(async () => {
        await hold([]);
        grip.release(name);
      });
    },
  };
};

/** Handles the touchpads of all phones. */
export function pointerHandler(context: AgentContext, grip: ControllerState) {
  const hands = createHands<Touch>(context, (controller) => createPad({ ...context, controller, grip }));
  return { ...handleEvent(pointerToDevice, (touch) => hands.take(touch.controller, touch)), release: hands.release };
}
