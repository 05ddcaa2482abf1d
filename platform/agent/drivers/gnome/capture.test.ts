import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createFakeBus, type AnswerCall } from '#testing/kits/desktop/fakeBus.ts';
import { openGnomeCapture } from './capture.ts';

const TRUE_VARIANT = ['b', [true]];

test('a recording that starts too late is refused, and ended', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const members: string[] = [];
  let answerStart: AnswerCall | undefined;
  const bus = createFakeBus(({ member }, answer) => {
    members.push(member);
    if (member === 'Screencast') answerStart = answer;
    else answer(null, member === 'Get' ? TRUE_VARIANT : true);
  });
  const capture = openGnomeCapture(bus);
  await capture.whenKnown;
  const path = join(tmpdir(), 'pegboard-never-recorded.mkv');
  const starting = expect(capture.start(path, undefined)).rejects.toThrow('GNOME did not start the recording');
  await vi.waitFor(() => expect(members).toContain('Screencast'));
  await vi.advanceTimersByTimeAsync(5000);
  await starting;
  expect(members).toEqual(['Get', 'Screencast']);
  answerStart?.(null, true, path);
  await vi.advanceTimersByTimeAsync(0);
  expect(members).toEqual(['Get', 'Screencast', 'StopScreencast']);
});
