import type { KeyboardDriver, MouseButton, MouseDriver } from '#platform/agent/drivers/drivers.ts';
import type { AgentContext } from '#platform/agent/tool.ts';

/** Tracks who holds which button. A button is down while anyone holds it. */
export interface ButtonHolds {
  readonly set: (holder: string, button: MouseButton, isDown: boolean) => void;
  /** Releases everything that this holder holds. */
  readonly release: (holder: string) => void;
}

export function createButtonHolds(mouse: MouseDriver): ButtonHolds {
  const holdersByButton = new Map<MouseButton, Set<string>>();

  function set(holder: string, button: MouseButton, isDown: boolean): void {
    const holders = holdersByButton.get(button) ?? new Set();
    if (holders.has(holder) === isDown) return;
    holdersByButton.set(button, holders);
    if (!isDown) holders.delete(holder);
    if (holders.size === 0) mouse.button(button, isDown);
    if (isDown) holders.add(holder);
  }
  return {
    set,
    release: (holder) => {
      for (const button of holdersByButton.keys()) set(holder, button, false);
    },
  };
}

/** Tracks who holds which modifiers. One is down while anyone holds it. */
export interface ModifierHolds {
  /** Replaces the modifiers of a holder. */
  readonly set: (holder: string, modifiers: readonly string[]) => Promise<void>;
}

export function createModifierHolds(keyboard: Pick<KeyboardDriver, 'holdModifiers'>): ModifierHolds {
  const modifiersByHolder = new Map<string, readonly string[]>();
  return {
    set: (holder, modifiers) => {
      if (modifiers.length > 0) modifiersByHolder.set(holder, modifiers);
      else modifiersByHolder.delete(holder);
      return keyboard.holdModifiers([...new Set([...modifiersByHolder.values()].flat())]);
    },
  };
}

/** After this long without an event, all that a controller holds is released: docs/design/reliability.md 11.2. */
export const CONTROLLER_TIMEOUT_MS = 500;
/** A person does not use more controllers at the same time. */
const MAX_CONTROLLERS = 16;

/** Handles the events of one controller. */
export interface ControllerHandler<Event> {
  readonly handle: (event: Event) => void;
  readonly release: () => void;
}

export interface Controllers<Event> {
  readonly handle: (controller: number, event: Event) => void;
  /** Removes a controller and releases what it holds; without a number, all controllers. */
  readonly release: (controller?: number) => void;
}

/** Creates a handler for each controller, and releases silent ones. Ignores events if the mouse may not be moved. */
export function createControllers<Event>(
  { allowed, drivers, onDisconnect }: Pick<AgentContext, 'allowed' | 'drivers' | 'onDisconnect'>,
  createHandler: (controller: number) => ControllerHandler<Event>,
): Controllers<Event> {
  const handlers = new Map<number, ControllerHandler<Event>>();
  const timeouts = new Map<number, NodeJS.Timeout>();

  function releaseController(controller: number): void {
    clearTimeout(timeouts.get(controller));
    timeouts.delete(controller);
    handlers.get(controller)?.release();
    handlers.delete(controller);
  }
  const release: Controllers<Event>['release'] = (controller) => {
    if (controller !== undefined) releaseController(controller);
    else for (const each of handlers.keys()) releaseController(each);
  };
  onDisconnect(() => release());

  return {
    handle: (controller, event) => {
      if (!allowed.mouse || !drivers.mouse.ability.able) return;
      let handler = handlers.get(controller);
      if (!handler) {
        if (handlers.size >= MAX_CONTROLLERS) return;
        handler = createHandler(controller);
        handlers.set(controller, handler);
      }
      clearTimeout(timeouts.get(controller));
      timeouts.set(
        controller,
        setTimeout(() => releaseController(controller), CONTROLLER_TIMEOUT_MS),
      );
      handler.handle(event);
    },
    release,
  };
}
