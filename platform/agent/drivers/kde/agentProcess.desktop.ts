// What happens if the agent's process ends, or isn't allowed to type.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeVersions } from '#testing/desktops/describeDesktop.ts';
import { startAgentProcess, testKeyRelease } from '#testing/kits/desktop/agentProcess.ts';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { getKwinSkipReason, KWIN_SYSTEMS, startKwin } from '#testing/kits/desktop/kwin.ts';
import {
  openFocusedWindow,
  registerHotkeys,
  startTestSession,
  tapAndRead,
} from '#testing/kits/desktop/sessionSuite.ts';

describeVersions('an agent on KDE', KWIN_SYSTEMS, getKwinSkipReason, (system) => {
  const subject = startTestSession(() => startKwin(system));

  testKeyRelease(subject, 'gtk');

  test('an agent that is killed while it types leaves nothing down', async () => {
    await using window = await openFocusedWindow(subject);
    const { child } = await startAgentProcess(subject, "void session.keyboard.type('A'.repeat(20_000));");
    await waitFor('the agent types', () => window.getText() !== '');
    child.kill('SIGKILL');
    await waitFor('nothing is down', async () => (await tapAndRead(subject.desktop, window)).endsWith('a'), 10_000);
  });

  test('an agent that starts after one that was killed with its guardian releases what that held', async () => {
    await using window = await openFocusedWindow(subject);
    const { child } = await startAgentProcess(subject, "await session.keyboard.holdModifiers(['Shift']);", {
      hasGuardian: false,
    });
    child.kill('SIGKILL');
    await startAgentProcess(subject, '');
    expect(await tapAndRead(subject.desktop, window)).toBe('a');
  });

  test('an agent that is killed leaves its hotkeys free', async () => {
    const { child } = await startAgentProcess(
      subject,
      `const chords = [{ modifiers: [], key: 'F8' }, { modifiers: ['Ctrl', 'Alt'], key: 'k' }];
      await new Promise((onStatus) => session.hotkeys.listen(chords, { onPress: () => undefined, onStatus }));`,
    );
    child.kill('SIGKILL');
    const refused = await registerHotkeys(subject.session, [{ modifiers: ['Ctrl', 'Alt'], key: 'k' }]);
    expect([...refused]).toEqual([]);
  });

  test('an agent that is not installed says what to run, and can do everything but type and click', async () => {
    const node = join(subject.folder, 'node');
    copyFileSync(process.execPath, node);
    const { result } = await startAgentProcess(
      subject,
      `
      const { keyboard, mouse, clipboard, windows } = session;
      const abilities = [keyboard, mouse, clipboard, windows].map((driver) => driver.ability);
      return [...abilities, await keyboard.type('a').catch((error) => error.message)];`,
      { node },
    );
    const reason = expect.stringContaining('KDE lets only an installed agent type');
    const unable = { able: false, reason };
    expect(result).toEqual([unable, unable, { able: true }, { able: true }, reason]);
  });
});
