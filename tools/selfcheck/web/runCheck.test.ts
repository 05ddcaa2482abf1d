import { expect, onTestFinished, test, vi } from 'vitest';
import { formatChord } from '../domain/keyNames.ts';
import type { InputRecorder } from './inputRecorder.ts';
import { type CheckDeps, runCheck } from './runCheck.ts';

test('the first key passes although the browser is still busy with the texts before it', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let keys = '';
  let delayMs = 8000;
  const perform: CheckDeps['perform'] = async (step) => {
    if (step.kind === 'press') setTimeout(() => (keys = formatChord(step.keys)), delayMs);
    delayMs = 100;
    return { dropped: [] };
  };
  const recorder = {
    getKeys: () => keys,
    clear: () => void (keys = ''),
    setRecordingKeys: () => undefined,
  } as unknown as InputRecorder;
  const field = {} as HTMLTextAreaElement;
  const { signal } = new AbortController();
  const running = runCheck(
    { perform, recorder, field, isMac: false, signal },
    { kind: 'keys', label: 'Keys', chords: [['Tab'], ['Enter']] },
  );
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await running).toMatchObject({ outcome: 'passed', received: 'Tab, Enter' });
});
