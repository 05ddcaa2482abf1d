import { useCommands } from '#platform/web/app/commands.ts';
import { fullScreen } from './fullScreen.ts';
import { ringing } from './ringing.ts';
import { countdownActs, stopwatchActs } from './timerActions.ts';

export type View = 'timer' | 'stopwatch';

/** The space bar presses the control that has the focus. */
const isOnControl = (): boolean =>
  document.activeElement?.matches('button, a[href], summary, [role=menuitem], [role=option]') ?? false;

export const useTimerCommands = (view: View): void => {
  const acts = view === 'timer' ? countdownActs : stopwatchActs;
  useCommands([
    { id: 'timer-toggle', name: 'Start or pause', keys: ' ', when: () => !isOnControl(), run: acts.toggle },
    { id: 'timer-reset', name: 'Reset', keys: 'r', run: acts.reset },
    { id: 'timer-test', name: 'Test audio', keys: 't', run: () => void ringing.test() },
    ...(fullScreen.isThere()
      ? [{ id: 'timer-full', name: 'Full screen', keys: 'f', run: () => void fullScreen.toggle() }]
      : []),
    { id: 'timer-lap', name: 'Lap', keys: 'l', when: () => view === 'stopwatch', run: stopwatchActs.lap },
  ]);
};
