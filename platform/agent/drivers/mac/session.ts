import { Refusal } from '#platform/contract/refusal.ts';
import { createOwnerTimeoutRefusal } from '../clipboardRefusals.ts';
import type { DesktopSession } from '../desktopSession.ts';
import type { ClipboardDriver } from '../drivers.ts';
import { startGuardian, type GuardianCommand } from '../guardian.ts';
import { createHeldInputs, type HeldInputs } from '../heldInputs.ts';
import { createFoundationReader } from './coreFoundation.ts';
import { createEventPoster } from './events.ts';
import { openFrameworks, type MacLibraryPaths } from './frameworks.ts';
import { openMacHotkeys } from './hotkeys.ts';
import { createMacKeyboard } from './keyboard.ts';
import { readShortcutLayout } from './keyboardLayout.ts';
import { createMacMouse } from './mouse.ts';
import { findPermittedProgram, openPermissions } from './permissions.ts';
import { createPointerPosition } from './pointer.ts';
import { createProcessLookup } from './processes.ts';
import { runProgram } from './programs.ts';
import { MAC_SEAT, releaseMacLeftovers } from './releaser.ts';
import { createMacCapture } from './screenRecording.ts';
import { getMajorVersion, readMacVersion } from './systemVersion.ts';
import { openMacWindows } from './windows.ts';

/** A program that owns the clipboard makes the text when somebody asks for it, which may take this long. */
const CLIPBOARD_TIMEOUT_MS = 4000;

const createClipboardFailure = (problem: string, cause?: unknown): Refusal =>
  new Refusal('device.no_clipboard', `The agent can't use the clipboard of that computer: ${problem}`, { cause });

/** Uses pbcopy and pbpaste, which are part of macOS. They need no permission. */
export function createMacClipboard(env: NodeJS.ProcessEnv, timeoutMs = CLIPBOARD_TIMEOUT_MS): ClipboardDriver {
  async function run(program: string, args: readonly string[], input = ''): Promise<string> {
    const signal = AbortSignal.timeout(timeoutMs);
    const { code, output, errors } = await runProgram(program, args, { env, input, signal }).catch((cause: unknown) => {
      throw createClipboardFailure(cause instanceof Error ? cause.message : String(cause), cause);
    });
    if (signal.aborted) throw createOwnerTimeoutRefusal();
    if (code !== 0) throw createClipboardFailure(errors || `${program} exited with ${code}`);
    return output;
  }
  return {
    ability: { able: true },
    read: () => run('pbpaste', ['-Prefer', 'txt']),
    write: async (text) => void (await run('pbcopy', [], text)),
  };
}

export interface MacSessionOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly heldPath: string;
  readonly guardian?: GuardianCommand | undefined;
  /** Replaces the system's libraries in tests. */
  readonly libraries?: MacLibraryPaths | undefined;
  readonly permissionCheckIntervalMs?: number | undefined;
  readonly windowListIntervalMs?: number | undefined;
}

/**
 * Opens the drivers of macOS. Without permission they are there, and their abilities say what to do.
 * @throws Refusal if this Node is too old.
 */
export async function openMacSession(options: MacSessionOptions): Promise<DesktopSession> {
  const { env, heldPath, guardian, libraries, permissionCheckIntervalMs, windowListIntervalMs } = options;
  await using opening = new AsyncDisposableStack();
  const frameworks = openFrameworks(libraries);
  const reader = createFoundationReader(frameworks);
  const poster = createEventPoster(frameworks);
  const permissions = opening.use(
    openPermissions({
      frameworks,
      program: findPermittedProgram(env, process.execPath),
      macVersion: getMajorVersion(readMacVersion()),
      checkIntervalMs: permissionCheckIntervalMs,
    }),
  );
  releaseMacLeftovers(heldPath, frameworks, poster);
  const guardianProcess = guardian && startGuardian(guardian, 'mac', () => heldInputs.listGuardianLines());
  const heldInputs: HeldInputs = createHeldInputs({
    display: MAC_SEAT,
    path: heldPath,
    sendToGuardian: (line) => guardianProcess?.send(line),
    release: () => void releaseAll(),
  });
  opening.defer(() => {
    heldInputs.close();
    guardianProcess?.close();
  });

  const windows = opening.use(
    openMacWindows({
      frameworks,
      reader,
      getProgramName: createProcessLookup(frameworks).getProgramName,
      listIntervalMs: windowListIntervalMs,
    }),
  );
  const readLayout = () => readShortcutLayout(frameworks);
  const hotkeys = opening.use(openMacHotkeys({ frameworks, readLayout }));
  const getAbility = permissions.getControlAbility;
  const keyboard = createMacKeyboard({ poster, heldInputs, getAbility, readLayout, getFrontPid: windows.getFrontPid });
  const mouse = createMacMouse({
    frameworks,
    poster,
    position: createPointerPosition(frameworks),
    heldInputs,
    getAbility,
    getHeldFlags: keyboard.getHeldFlags,
  });
  async function releaseAll(): Promise<void> {
    await Promise.all([keyboard.releaseAll(), mouse.releaseAll()]);
  }
  opening.defer(releaseAll);
  const opened = opening.move();
  return {
    name: 'Mac desktop',
    keyboard: {
      get ability() {
        return getAbility();
      },
      type: (text, onProgress) => hotkeys.runWithout(() => keyboard.type(text, onProgress)),
      press: (keys) => hotkeys.runWithout(() => keyboard.press(keys)),
      holdModifiers: keyboard.holdModifiers,
      releaseAll: keyboard.releaseAll,
    },
    mouse,
    clipboard: createMacClipboard(env),
    windows,
    hotkeys,
    capture: createMacCapture({ env, frameworks, getPermission: permissions.getRecordingAbility }),
    listSetupSteps: permissions.listSteps,
    onAbilityChange: permissions.onChange,
    // The desktop of macOS ends with the agent's own session.
    onClosed: () => undefined,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
