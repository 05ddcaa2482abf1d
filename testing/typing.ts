import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDesktop } from '#platform/agent/drivers/x11/desktop.ts';
import type { Desktop, Sink } from './desktop.ts';

/** Types a text and gives the milliseconds until the receiver has all of it. */
export type Typist = (text: string) => Promise<number>;

const timed = async (sink: Sink, text: string, type: () => Promise<unknown>): Promise<number> => {
  sink.clear();
  const began = performance.now();
  await Promise.all([type(), sink.until(text.replaceAll('\n', '\r'))]);
  return performance.now() - began;
};

/** The agent's own keyboard on that desktop, typing into that sink. */
export const openTypist = async (
  desktop: Desktop,
  sink: Sink,
): Promise<AsyncDisposable & { readonly type: Typist }> => {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-typist-'));
  const agent = await openDesktop({ display: desktop.name, heldPath: join(folder, 'held.json') });
  return {
    type: (text) => timed(sink, text, () => agent.keyboard.type(text)),
    [Symbol.asyncDispose]: async () => {
      await agent[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
};

/**
 * The same text by xdotool, to compare with. It makes a pause of 12 ms after each key unless told otherwise; without one it is
 * quickest with a layout's own characters, and mistypes others.
 */
export const typeByXdotool =
  (desktop: Desktop, sink: Sink, pauseMs = 12): Typist =>
  (text) =>
    timed(sink, text, () => {
      const child = spawn('xdotool', ['type', '--delay', String(pauseMs), '--', text], {
        env: desktop.env,
        stdio: 'ignore',
      });
      return new Promise<void>((resolve, reject) => {
        child.once('error', reject);
        child.once('exit', () => resolve());
      });
    });
