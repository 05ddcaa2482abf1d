import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { AgentGround } from '#platform/agent/tool.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { hotkeyFrom, hotkeyText } from '../domain/hotkey.ts';
import type { Recorder } from './recorder.ts';

const FILE = 'capture.json';
const USUAL = 'Ctrl+Alt+R';
const OFF = 'off';

const kept = z.object({ hotkey: z.string() });

const load = (stateDir: string): string => {
  try {
    return kept.parse(JSON.parse(readFileSync(join(stateDir, FILE), 'utf8'))).hotkey;
  } catch {
    return USUAL; // never set, or a file that is none of ours
  }
};

const save = (stateDir: string, hotkey: string): void => {
  const path = join(stateDir, FILE);
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  writeFileSync(`${path}.part`, `${JSON.stringify({ hotkey })}\n`, { mode: 0o600 });
  renameSync(`${path}.part`, path);
};

export interface CaptureHotkey {
  /** Another one from now on, or 'off'; gives the line for the terminal. @throws Refusal */
  readonly set: (text: string) => string;
  readonly status: () => readonly string[];
  readonly stop: () => void;
}

/** The key that starts a recording of this screen and ends it, where its owner allows recordings at all. */
export const listenForHotkey = (ground: AgentGround, recorder: Recorder): CaptureHotkey => {
  const { allowed, say, stateDir } = ground;
  const share = ground.openHotkeys();
  let current = load(stateDir);
  let refused: string | undefined;

  const run = (isRepeated: boolean): void => {
    if (isRepeated) return;
    const act = recorder.isRecording() ? recorder.stop() : recorder.start(undefined, '');
    act.catch((error: unknown) => say(error instanceof Error ? error.message : 'The screen could not be recorded'));
  };
  const listen = (): void => {
    const chord = hotkeyFrom(current);
    if (!allowed.capture || !chord) {
      share.want([], () => undefined);
      return;
    }
    share.want([{ chord, what: 'recording the screen', run }], (reasons) => {
      refused = reasons.get(0);
    });
  };
  listen();
  return {
    set: (text) => {
      const chord = hotkeyFrom(text);
      if (!chord && text !== OFF) throw new Refusal('Say keys such as Ctrl+Alt+R or F9, or off');
      current = chord ? hotkeyText(chord) : OFF;
      refused = undefined;
      save(stateDir, current);
      listen();
      return chord ? `${current} starts and ends a recording` : 'No key starts a recording';
    },
    status: () => {
      if (!allowed.capture || current === OFF) return [];
      return [
        `capture: ${current} ${refused === undefined ? 'starts and ends a recording' : `is not had: ${refused}`}`,
      ];
    },
    stop: () => share.want([], () => undefined),
  };
};
