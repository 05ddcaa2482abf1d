import type { AudioLevel, MouseButton } from '#platform/agent/drivers/drivers.ts';
import type { AgentContext } from '#platform/agent/tool.ts';
import type { AbilityName } from '#platform/contract/device.ts';
import type { CheckStep, CheckStepAnswer } from '../contract.ts';

/** How long a volume, a clipboard or a window title may take to change. */
const CHANGE_TIMEOUT_MS = 2000;
const POLL_INTERVAL_MS = 50;
const CLICK_MS = 30;
const VOLUME_CHANGE = 10;

const NOTHING: CheckStepAnswer = { dropped: [] };
const createUnavailable = (reason: string): CheckStepAnswer => ({ dropped: [], unavailable: reason });
const createComparison = (expected: string, received: string): CheckStepAnswer => ({
  dropped: [],
  compared: { expected, received },
});
const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Reads a value until it is as expected, or the time is up. Returns the last value. */
async function readUntil<T>(read: () => Promise<T> | T, isExpected: (value: T) => boolean): Promise<T> {
  const deadline = performance.now() + CHANGE_TIMEOUT_MS;
  for (;;) {
    const value = await read();
    if (isExpected(value) || performance.now() > deadline) return value;
    await delay(POLL_INTERVAL_MS);
  }
}

type StepRunnerDeps = Pick<AgentContext, 'drivers' | 'allowed'>;

/** The steps of a self-check, on the drivers of this computer. */
export interface StepRunner {
  readonly run: (step: CheckStep, onProgress?: () => void) => Promise<CheckStepAnswer>;
}

export function createStepRunner({ drivers, allowed }: StepRunnerDeps): StepRunner {
  const { audio, clipboard, keyboard, mouse, windows } = drivers;
  /** The text that was on the clipboard before the check. */
  let savedText: string | undefined;

  /**
   * Returns why a step is impossible. The clipboard is used even if pages may not have it, because the check was
   * started here, and no text but the page's own leaves the computer.
   */
  function explainUnavailable(name: AbilityName & ('keyboard' | 'mouse' | 'sound' | 'usage' | 'clipboard')) {
    if (name !== 'clipboard' && !allowed[name]) return `Turned off: the agent was started with --no-${name}`;
    const driver = { keyboard, mouse, clipboard, sound: audio, usage: windows }[name];
    return driver.ability.able ? undefined : driver.ability.reason;
  }

  async function saveClipboard(): Promise<void> {
    // Without the old text, nothing is restored.
    savedText ??= await clipboard.read().catch(() => '');
  }
  async function restoreClipboard(): Promise<void> {
    const text = savedText;
    savedText = undefined;
    if (text !== undefined && text !== '') await clipboard.write(text);
  }

  async function click(button: MouseButton): Promise<void> {
    mouse.button(button, true);
    await delay(CLICK_MS);
    mouse.button(button, false);
  }

  const getMaster = (): AudioLevel | undefined => audio.getState().outputs[0];
  /** Sets the master volume, and returns the level that the computer then reports. */
  async function setMaster(name: string, to: { readonly level: number; readonly muted: boolean }) {
    if (!(await audio.set('outputs', name, to))) return 'refused';
    const reached = await readUntil(getMaster, (master) => master?.level === to.level);
    return `${reached?.level ?? 'unknown'} %`;
  }
  async function checkSound(): Promise<CheckStepAnswer> {
    const before = getMaster();
    if (!before) return createUnavailable('This computer has no sound output');
    const { name, level, muted } = before;
    const changed = level >= 50 ? level - VOLUME_CHANGE : level + VOLUME_CHANGE;
    const reached = await setMaster(name, { level: changed, muted });
    const restored = await setMaster(name, { level, muted });
    return createComparison(`${name} at ${changed} %, then ${level} %`, `${name} at ${reached}, then ${restored}`);
  }

  async function compareClipboard(text: string): Promise<CheckStepAnswer> {
    const received = await readUntil(
      () => clipboard.read().catch(() => ''),
      (copied) => copied === text,
    );
    return createComparison(text, received === text ? text : received === '' ? 'no text' : 'another text');
  }

  async function compareTitle(title: string): Promise<CheckStepAnswer> {
    const { application, actual } = await readUntil(
      async () => {
        const active = windows.getActive();
        return { application: active?.application, actual: active ? await windows.getTitle(active.id) : '' };
      },
      ({ actual: found }) => found.includes(title),
    );
    if (application === undefined) return createComparison(title, 'no window in front');
    if (actual === '')
      return createUnavailable(`The window in front is known (${application}), but this computer reports no titles`);
    return createComparison(title, actual.includes(title) ? title : `another window, of ${application}`);
  }

  async function runKeyboardStep(step: CheckStep, onProgress?: () => void): Promise<CheckStepAnswer> {
    if (step.kind === 'type') return { dropped: [...(await keyboard.type(step.text, onProgress)).dropped] };
    if (step.kind === 'press') await keyboard.press(step.keys);
    return NOTHING;
  }
  async function runMouseStep(step: CheckStep): Promise<CheckStepAnswer> {
    if (step.kind === 'centre') mouse.centre();
    if (step.kind === 'move') mouse.move(step.dx, step.dy);
    if (step.kind === 'click') await click(step.button);
    if (step.kind === 'wheel') mouse.wheel(0, step.steps);
    return NOTHING;
  }
  async function runClipboardStep(step: CheckStep): Promise<CheckStepAnswer> {
    if (step.kind === 'compare') return compareClipboard(step.text);
    if (step.kind === 'copy') {
      await saveClipboard();
      await clipboard.write(step.text);
    }
    return NOTHING;
  }
  /** Runs a step if this computer can and may do it. */
  async function runIfAvailable(
    name: Parameters<typeof explainUnavailable>[0],
    task: () => Promise<CheckStepAnswer>,
  ): Promise<CheckStepAnswer> {
    const reason = explainUnavailable(name);
    return reason === undefined ? task() : createUnavailable(reason);
  }

  return {
    run: async (step, onProgress) => {
      switch (step.kind) {
        case 'type':
        case 'press':
          return runIfAvailable('keyboard', () => runKeyboardStep(step, onProgress));
        case 'centre':
        case 'move':
        case 'click':
        case 'wheel':
          return runIfAvailable('mouse', () => runMouseStep(step));
        case 'copy':
        case 'compare':
          return runIfAvailable('clipboard', () => runClipboardStep(step));
        case 'window':
          return runIfAvailable('usage', () => compareTitle(step.title));
        case 'sound':
          return runIfAvailable('sound', checkSound);
        case 'finish':
          await restoreClipboard();
          return NOTHING;
      }
    },
  };
}
