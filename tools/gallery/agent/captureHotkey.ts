import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { AgentContext } from '#platform/agent/tool.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { hotkeyFrom, hotkeyText, regionText, type Region } from '../domain/captureHotkey.ts';
import type { Recorder } from './recorder.ts';

const FILE = 'capture.json';
const USUAL = 'Ctrl+Alt+R';
const OFF = 'off';

const side = z.int().check(z.minimum(0));
const wish = z.object({
  hotkey: z.string(),
  /** The part of the screen that the key records; without it all of it. */
  region: z.optional(z.object({ x: side, y: side, width: side, height: side })),
});
type CaptureHotkeyWire = z.output<typeof wish>;

const load = (stateDir: string): CaptureHotkeyWire => {
  try {
    return wish.parse(JSON.parse(readFileSync(join(stateDir, FILE), 'utf8')));
  } catch {
    return { hotkey: USUAL }; // never set, or a file that is none of ours
  }
};

const save = (stateDir: string, wanted: CaptureHotkeyWire): void => {
  const path = join(stateDir, FILE);
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  writeFileSync(`${path}.part`, `${JSON.stringify(wanted)}\n`, { mode: 0o600 });
  renameSync(`${path}.part`, path);
};

const whatOf = ({ region }: CaptureHotkeyWire): string =>
  `starts and ends a recording${region === undefined ? '' : ` of ${regionText(region)}`}`;

export interface CaptureHotkey {
  /** Another one from now on, or 'off', for a part of the screen or all of it; gives the line for the terminal. @throws Refusal */
  readonly set: (text: string, region: Region | undefined) => string;
  readonly status: () => readonly string[];
  readonly stop: () => void;
}

/** The key that starts a recording of this screen and ends it, where its owner allows recordings at all. */
export function listenForHotkey(ground: AgentContext, recorder: Recorder): CaptureHotkey {
  const { allowed, print, stateDir } = ground;
  const share = ground.openHotkeys();
  let current = load(stateDir);
  let refused: string | undefined;

  const run = (isRepeated: boolean): void => {
    if (isRepeated) return;
    const act = recorder.isRecording() ? recorder.stop() : recorder.start(current.region, '');
    act.catch((error: unknown) => print(error instanceof Error ? error.message : 'The screen could not be recorded'));
  };
  const listen = (): void => {
    const chord = hotkeyFrom(current.hotkey);
    if (!allowed.capture || !chord) {
      share.setHotkeys([], () => undefined);
      return;
    }
    share.setHotkeys([{ chord, label: 'recording the screen', run }], (reasons) => {
      refused = reasons.get(0);
    });
  };
  listen();
  return {
    set: (text, region) => {
      const chord = hotkeyFrom(text);
      if (!chord && text !== OFF) throw new Refusal('Say keys such as Ctrl+Alt+R or F9, or off');
      current = chord ? { hotkey: hotkeyText(chord), region } : { hotkey: OFF };
      refused = undefined;
      save(stateDir, current);
      listen();
      return chord ? `${current.hotkey} ${whatOf(current)}` : 'No key starts a recording';
    },
    status: () => {
      if (!allowed.capture || current.hotkey === OFF) return [];
      return [`capture: ${current.hotkey} ${refused === undefined ? whatOf(current) : `is not had: ${refused}`}`];
    },
    stop: () => share.setHotkeys([], () => undefined),
  };
}
