import { type RefObject, useEffect, useRef, useState } from 'react';
import { call } from '#platform/web/app/call.ts';
import { type CheckStep, runselfcheckstep } from '../contract.ts';
import { type Check, checks } from '../domain/checks.ts';
import type { CheckResult } from '../domain/report.ts';
import { startInputRecorder } from './inputRecorder.ts';
import { type CheckDeps, runCheck, SkippedError } from './runCheck.ts';

/** How often a check is repeated during which the window lost the focus. */
const MAX_ATTEMPTS = 3;
const FOCUS_POLL_MS = 100;

/** Identifies a check that `agent try` started on a computer. */
export interface SelfcheckRun {
  readonly device: number;
  readonly run: string;
}

export type SelfcheckState =
  | { readonly phase: 'ready' }
  | { readonly phase: 'running'; readonly label: string; readonly isFocused: boolean }
  | { readonly phase: 'done'; readonly endedAt: string }
  | { readonly phase: 'failed'; readonly endedAt: string; readonly message: string };

/** Waits until this window has the focus. Nothing is typed into other windows. */
async function waitForFocus(signal: AbortSignal, onWait: () => void): Promise<void> {
  while (!document.hasFocus()) {
    signal.throwIfAborted();
    onWait();
    await new Promise((resolve) => setTimeout(resolve, FOCUS_POLL_MS));
  }
}

/** Runs a task, and returns whether the window lost the focus meanwhile. */
async function runWatched<T>(task: () => Promise<T>): Promise<{ readonly result: T; readonly isDisturbed: boolean }> {
  let isDisturbed = false;
  const handleBlur = (): void => void (isDisturbed = true);
  window.addEventListener('blur', handleBlur);
  try {
    return { result: await task(), isDisturbed };
  } finally {
    window.removeEventListener('blur', handleBlur);
  }
}

function createPerform(target: SelfcheckRun): CheckDeps['perform'] {
  return async (step) => {
    const answer = await call(runselfcheckstep, { ...target, step });
    if (answer.unavailable !== undefined) throw new SkippedError(answer.unavailable);
    return answer;
  };
}

const FINISH: CheckStep = { kind: 'finish' };

/** Runs all checks in this page, one after another. `isMac`: the agent runs on macOS. */
export function useSelfcheck(target: SelfcheckRun, fieldRef: RefObject<HTMLTextAreaElement | null>, isMac: boolean) {
  const [state, setState] = useState<SelfcheckState>({ phase: 'ready' });
  const [results, setResults] = useState<readonly CheckResult[]>([]);
  const lifetime = useRef<AbortController>(undefined);
  useEffect(() => () => lifetime.current?.abort(), []);

  async function runFocused(deps: CheckDeps, check: Check): Promise<CheckResult> {
    const { label } = check;
    for (let attempt = 1; ; attempt += 1) {
      await waitForFocus(deps.signal, () => setState({ phase: 'running', label, isFocused: false }));
      setState({ phase: 'running', label, isFocused: true });
      const { result, isDisturbed } = await runWatched(() => runCheck(deps, check));
      if (!isDisturbed || attempt === MAX_ATTEMPTS) return result;
    }
  }
  async function runAll(): Promise<void> {
    const field = fieldRef.current;
    if (!field) return;
    const controller = new AbortController();
    lifetime.current = controller;
    const recorder = startInputRecorder();
    const perform = createPerform(target);
    const deps: CheckDeps = { perform, recorder, field, isMac, signal: controller.signal };
    setResults([]);
    try {
      for (const check of checks) {
        const result = await runFocused(deps, check);
        setResults((previous) => [...previous, result]);
      }
      await perform(FINISH);
      setState({ phase: 'done', endedAt: new Date().toISOString() });
    } catch (error) {
      perform(FINISH).catch(() => undefined); // The computer may be gone.
      const message = error instanceof Error ? error.message : String(error);
      setState({ phase: 'failed', endedAt: new Date().toISOString(), message });
    } finally {
      recorder.stop();
      field.value = '';
      field.blur();
    }
  }
  return { state, results, start: () => void runAll() };
}
