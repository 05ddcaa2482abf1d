import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { AgentContext } from '#platform/agent/tool.ts';
import { writeFileAtomically } from '#platform/agent/writeFileAtomically.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { parseHotkey, formatHotkey, formatRegion, type Region } from '../domain/captureHotkey.ts';
import type { Recorder } from './recorder.ts';

const SETTINGS_FILE = 'capture.json';
const DEFAULT_HOTKEY = 'Ctrl+Alt+R';
const NO_HOTKEY = 'off';

const pixels = z.int().check(z.minimum(0));
const hotkeySettings = z.object({
  hotkey: z.string(),
  /** The part of the screen that the hotkey records; without it the whole screen. */
  region: z.optional(z.object({ x: pixels, y: pixels, width: pixels, height: pixels })),
});
type HotkeySettings = z.output<typeof hotkeySettings>;

function load(stateDir: string): HotkeySettings {
  try {
    return hotkeySettings.parse(JSON.parse(readFileSync(join(stateDir, SETTINGS_FILE), 'utf8')));
  } catch {
    return { hotkey: DEFAULT_HOTKEY }; // not set, or an invalid file
  }
}

function save(stateDir: string, settings: HotkeySettings): void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  writeFileAtomically(join(stateDir, SETTINGS_FILE), `${JSON.stringify(settings)}\n`);
}

const describe = ({ region }: HotkeySettings): string =>
  `starts and stops a recording${region === undefined ? '' : ` of ${formatRegion(region)}`}`;

export interface CaptureHotkey {
  /**
   * Sets the hotkey, or 'off', for a part of the screen or all of it. Returns the line for the terminal.
   * @throws Refusal
   */
  readonly set: (text: string, region: Region | undefined) => string;
  readonly status: () => readonly string[];
  readonly stop: () => void;
}

/** Listens for the hotkey that starts and stops a recording of this screen, if its owner allows recordings. */
export function listenForHotkey(context: AgentContext, recorder: Recorder): CaptureHotkey {
  const { allowed, print, stateDir } = context;
  const share = context.openHotkeys();
  let current = load(stateDir);
  let refusal: string | undefined;

  function run(isRepeated: boolean): void {
    if (isRepeated) return;
    const action = recorder.isRecording() ? recorder.stop() : recorder.start(current.region, '');
    action.catch((error: unknown) => print(error instanceof Error ? error.message : 'Could not record the screen'));
  }
  function listen(): void {
    const chord = parseHotkey(current.hotkey);
    if (!allowed.capture || !chord) {
      share.setHotkeys([], () => undefined);
      return;
    }
    share.setHotkeys([{ chord, label: 'recording the screen', run }], (reasons) => {
      refusal = reasons.get(0);
    });
  }
  listen();
  return {
    set: (text, region) => {
      const chord = parseHotkey(text);
      if (!chord && text !== NO_HOTKEY)
        throw new Refusal('gallery.invalid_hotkey', 'Enter keys such as Ctrl+Alt+R or F9, or off');
      current = chord ? { hotkey: formatHotkey(chord), region } : { hotkey: NO_HOTKEY };
      refusal = undefined;
      save(stateDir, current);
      listen();
      return chord ? `${current.hotkey} ${describe(current)}` : 'The recording hotkey is off';
    },
    status: () => {
      if (!allowed.capture || current.hotkey === NO_HOTKEY) return [];
      return [
        `capture: ${current.hotkey} ${refusal === undefined ? describe(current) : `is not available: ${refusal}`}`,
      ];
    },
    stop: () => share.setHotkeys([], () => undefined),
  };
}
