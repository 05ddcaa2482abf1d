import { spawn } from 'node:child_process';
import { text as readText } from 'node:stream/consumers';
import { describe } from 'vitest';
import { startDesktop } from '../kits/desktop/desktop.ts';
import { startSway } from '../kits/desktop/sway.ts';
import { openTextWindow } from '../kits/desktop/textWindow.ts';
import { getSkipReason } from '../machine.ts';
import { testRemoteJourney } from './remoteJourney.ts';

const xSkipReason = getSkipReason('Xvfb', 'openbox', 'xclip', 'gi', 'Gtk-4.0.typelib', 'pulseaudio', 'pacat');
describe.skipIf(xSkipReason)(`the remote journey on X11${xSkipReason === undefined ? '' : `: ${xSkipReason}`}`, () => {
  testRemoteJourney(async () => {
    const desk = await startDesktop();
    desk.setLayout('us');
    return {
      env: { DISPLAY: desk.name },
      name: 'X11',
      openTextWindow: async (name) => {
        const window = await openTextWindow(
          (program, args, env) =>
            spawn(program, [...args], { env: { ...desk.env, ...env, GDK_BACKEND: 'x11' }, stdio: 'ignore' }),
          name,
        );
        await desk.waitForFocus();
        return window;
      },
      copyText: async (text) => {
        const child = spawn('xclip', ['-selection', 'clipboard', '-i'], {
          env: desk.env,
          stdio: ['pipe', 'ignore', 'ignore'],
        });
        child.stdin.end(text);
        await new Promise((resolve) => child.once('exit', resolve));
      },
      pasteText: () => readText(spawn('xclip', ['-selection', 'clipboard', '-o'], { env: desk.env }).stdout),
      [Symbol.asyncDispose]: () => desk[Symbol.asyncDispose](),
    };
  });
});

const swaySkipReason = getSkipReason('sway', 'wl-copy', 'gi', 'Gtk-4.0.typelib', 'xkbcli', 'pulseaudio', 'pacat');
describe.skipIf(swaySkipReason)(
  `the remote journey on sway${swaySkipReason === undefined ? '' : `: ${swaySkipReason}`}`,
  () => testRemoteJourney(startSway),
);
