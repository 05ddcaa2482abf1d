import type { AgentContext } from '#platform/agent/tool.ts';
import { handleEvent } from '#platform/agent/tool.ts';
import { pointerToDevice } from '../contract.ts';
import { isDown, mouseButtons, stepBetween, turnsBetween, type Sums } from '../domain/pointerSums.ts';
import { createHands, type ControllerHand, type Grip } from './controllers.ts';

type Touch = Parameters<Parameters<typeof handleEvent<typeof pointerToDevice>>[1]>[0];

/** A number of which the whole part is taken and the rest stays for the next time. */
const createRest = () => {
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
  readonly grip: Grip;
}

/**
 * One touchpad. What it says first, also after a silence, is where its sums stand: what was missed before that is too old to be
 * done, only a button that is down now is pressed.
 */
const createPad = ({ drivers, allowed, print, controller, grip }: PadOptions): ControllerHand<Touch> => {
  const { mouse, keyboard } = drivers;
  const name = `pad ${controller}`;
  const rests = { dx: createRest(), dy: createRest(), wheelX: createRest(), wheelY: createRest() };
  let known: (Sums & { readonly stream: number }) | undefined;
  let held = '';
  let pressing: Promise<void> | undefined;

  const move = (from: Sums, to: Sums): void => {
    const step = stepBetween(from, to);
    const [dx, dy] = [rests.dx(step.dx), rests.dy(step.dy)];
    const [wheelX, wheelY] = [rests.wheelX(step.wheelX), rests.wheelY(step.wheelY)];
    if (dx !== 0 || dy !== 0) mouse.move(dx, dy);
    if (wheelX !== 0 || wheelY !== 0) mouse.wheel(wheelX, wheelY);
  };
  const follow = (touch: Touch): void => {
    const before = known?.stream === touch.stream ? known : undefined;
    known = touch;
    if (!before) {
      for (const button of mouseButtons) grip.set(name, button, isDown(touch.turns[button]));
      return;
    }
    move(before, touch);
    for (const button of mouseButtons)
      for (const down of turnsBetween(before.turns[button], touch.turns[button])) grip.set(name, button, down);
  };

  /** Does one thing after another, so that modifiers are held before what follows them. */
  const inOrder = (next: () => Promise<void> | void): void => {
    const follows = async (before: Promise<void> | undefined): Promise<void> => {
      await before;
      await next();
    };
    const mine = follows(pressing).finally(() => {
      if (pressing === mine) pressing = undefined;
    });
    pressing = mine;
  };
  const hold = async (modifiers: readonly string[]): Promise<void> => {
    held = modifiers.join('-');
    await keyboard
      .holdModifiers(modifiers)
      .catch((error: unknown) => print(`Modifiers could not be held: ${String(error)}`));
  };

  return {
    take: (touch) => {
      const modifiers = allowed.keyboard && keyboard.ability.able ? (touch.modifiers ?? []) : [];
      const wanted = modifiers.join('-');
      if (wanted === held && !pressing) return follow(touch);
      inOrder(async () => {
        if (wanted !== held) await hold(modifiers);
        follow(touch);
      });
    },
    letGo: () => {
      grip.letGo(name);
      if (held === '' && !pressing) return;
      // What waits for its modifiers may press once more.
      inOrder(async () => {
        await hold([]);
        grip.letGo(name);
      });
    },
  };
};

/** The touchpad of every phone that there is. */
export function pointerHandler(ground: AgentContext, grip: Grip) {
  const hands = createHands<Touch>(ground, (controller) => createPad({ ...ground, controller, grip }));
  return { ...handleEvent(pointerToDevice, (touch) => hands.take(touch.controller, touch)), letGo: hands.letGo };
}
