import { spawn } from 'node:child_process';
import { text as readText } from 'node:stream/consumers';
import { startDesktop } from './desktop.ts';
import { openTextWindow } from './textWindow.ts';
import type { VirtualDesktop } from './virtualDesktop.ts';

/** X11's keycodes are those of the kernel, plus this. */
const X_KEYCODE_OFFSET = 8;

/** Starts a desktop for X11 that is used like the others. */
export async function startXDesktop(): Promise<VirtualDesktop> {
  const desk = await startDesktop();
  desk.setLayout('us');
  return {
    env: { ...desk.env, XDG_SESSION_TYPE: 'x11' },
    name: 'X11',
    sendKey: async (code, isDown) => {
      desk.display.fakeKey(code + X_KEYCODE_OFFSET, isDown);
      await desk.display.sync();
    },
    setLayout: async (layout, option) => desk.setLayout(layout, option),
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
}
