import { handleEvent, type AgentContext } from '#platform/agent/tool.ts';
import type { EventDataOf } from '#platform/contract/event.ts';
import { pointerToDevice } from '../contract.ts';
import { isButtonDown, mouseButtons, getMovement, listButtonChanges, type PointerSums } from '../domain/pointerSums.ts';
import {
  createControllers,
  createModifierHolds,
  type ButtonHolds,
  type ControllerHandler,
  type ModifierHolds,
} from './controllers.ts';

type PointerState = EventDataOf<typeof pointerToDevice>;

/** Accumulates fractions: returns the whole part and adds the rest to the next call. */
function createAccumulator() {
  let rest = 0;
  return (amount: number): number => {
    rest += amount;
    const whole = Math.trunc(rest);
    rest -= whole;
    return whole;
  };
}

interface PadDeps extends Pick<AgentContext, 'drivers' | 'allowed' | 'print'> {
  readonly controller: number;
  readonly buttonHolds: ButtonHolds;
  readonly modifierHolds: ModifierHolds;
}

/**
 * Handles one touchpad. The first event after a silence only sets the sums, because earlier movement is too old to be
 * repeated, and presses the buttons that are down.
 */
function createPadHandler(deps: PadDeps): ControllerHandler<PointerState> {
  const { drivers, allowed, print, controller, buttonHolds, modifierHolds } = deps;
  const { mouse, keyboard } = drivers;
  const name = `pad ${controller}`;
  const accumulators = {
    dx: createAccumulator(),
    dy: createAccumulator(),
    wheelX: createAccumulator(),
    wheelY: createAccumulator(),
  };
  let lastState: (PointerSums & { readonly stream: number }) | undefined;
  let heldModifiers = '';
  let queue: Promise<void> | undefined;

  function move(from: PointerSums, to: PointerSums): void {
    const movement = getMovement(from, to);
    const [dx, dy] = [accumulators.dx(movement.dx), accumulators.dy(movement.dy)];
    const [wheelX, wheelY] = [accumulators.wheelX(movement.wheelX), accumulators.wheelY(movement.wheelY)];
    if (dx !== 0 || dy !== 0) mouse.move(dx, dy);
    if (wheelX !== 0 || wheelY !== 0) mouse.wheel(wheelX, wheelY);
  }
  function applyState(state: PointerState): void {
    const previous = lastState?.stream === state.stream ? lastState : undefined;
    lastState = state;
    if (!previous) {
      for (const button of mouseButtons) buttonHolds.set(name, button, isButtonDown(state.turns[button]));
      return;
    }
    move(previous, state);
    for (const button of mouseButtons)
      for (const isDown of listButtonChanges(previous.turns[button], state.turns[button]))
        buttonHolds.set(name, button, isDown);
  }

  /** Runs work in order, so that modifiers are held before the input that needs them. */
  function enqueue(work: () => Promise<void>): void {
    async function runAfter(pending: Promise<void> | undefined): Promise<void> {
      await pending;
      await work();
    }
    const entry = runAfter(queue).finally(() => {
      if (queue === entry) queue = undefined;
    });
    queue = entry;
  }
  async function hold(modifiers: readonly string[]): Promise<void> {
    heldModifiers = modifiers.join('-');
    await modifierHolds
      .set(name, modifiers)
      .catch((error: unknown) => print(`Could not hold the modifier keys: ${String(error)}`));
  }

  return {
    handle: (state) => {
      const modifiers = allowed.keyboard && keyboard.ability.able ? (state.modifiers ?? []) : [];
      const nextModifiers = modifiers.join('-');
      if (nextModifiers === heldModifiers && !queue) return applyState(state);
      enqueue(async () => {
        if (nextModifiers !== heldModifiers) await hold(modifiers);
        applyState(state);
      });
    },
    release: () => {
      buttonHolds.release(name);
      if (heldModifiers === '' && !queue) return;
      // Queued work may still press a button.
      enqueue(async () => {
        await hold([]);
        buttonHolds.release(name);
      });
    },
  };
}

/** Handles the touchpads of all phones. */
export function createPointerHandler(context: AgentContext, buttonHolds: ButtonHolds) {
  const modifierHolds = createModifierHolds(context.drivers.keyboard);
  const controllers = createControllers<PointerState>(context, (controller) =>
    createPadHandler({ ...context, controller, buttonHolds, modifierHolds }),
  );
  return {
    ...handleEvent(pointerToDevice, (state) => controllers.handle(state.controller, state)),
    release: controllers.release,
  };
}
