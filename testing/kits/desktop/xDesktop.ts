import { spawn } from 'node:child_process';
import { startDesktop } from './desktop.ts';
import { openTextWindow } from './textWindow.ts';
import { createXClipboard, type VirtualDesktop } from './virtualDesktop.ts';

/** Difference between X11's keycodes and those of the kernel. */
const X_KEYCODE_OFFSET = 8;

/** Starts an X11 desktop that is used like the others. */
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
    ...createXClipboard(desk.env),
    [Symbol.asyncDispose]: () => desk[Symbol.asyncDispose](),
  };
}
