import { startTransition, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { CallError } from '#platform/contract/client.ts';
import { connectEvent, roomInit } from '#platform/contract/realtime.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { notices } from '#platform/web/app/notices.ts';
import { realtime } from '#platform/web/app/realtime.ts';
import { showError } from '#platform/web/app/showError.ts';
import {
  aianswers,
  aidataend,
  aidatain,
  aithoughtin,
  aiq,
  aiqLong,
  aistop,
  MAX_GET_PROMPT_BYTES,
  NOT_OK_MESSAGE,
} from '../contract.ts';
import { hasGapBefore, endAnswer, addChunk, mergeAnswers, type Thread, addQuestion } from '../domain/thread.ts';

/** Returns whether a prompt must be sent by POST: it is long, or has a percent sign (see `restoreTypedPrompt`). */
const needsBody = (prompt: string): boolean =>
  prompt.includes('%') || encodeURIComponent(prompt.toWellFormed()).length > MAX_GET_PROMPT_BYTES;

type ThreadChange = (thread: Thread) => Thread;

interface AskingDeps {
  readonly change: (change: ThreadChange) => void;
  readonly refresh: () => void;
  readonly isListening: () => boolean;
}

/** Asks questions and stops answers. `refusalReason` is the server's message if a request failed. */
export function useAsking({ change, refresh, isListening }: AskingDeps) {
  const [isBusy, setIsBusy] = useState(false);
  const [refusalReason, setRefusalReason] = useState<string>();

  /** Returns whether the question was accepted. */
  async function ask(prompt: string): Promise<boolean> {
    setIsBusy(true);
    setRefusalReason(undefined);
    const wasListening = isListening();
    try {
      const { answerid, waiting } = await call(needsBody(prompt) ? aiqLong : aiq, { q: prompt, id: '0' });
      change((thread) => addQuestion(thread, { answerid, prompt, waiting }));
      // The answer may have ended before this page received events.
      if (!wasListening) refresh();
      return true;
    } catch (error) {
      if (error instanceof CallError && error.status !== 0) {
        notices.add('bad', NOT_OK_MESSAGE);
        setRefusalReason(error.message);
      } else showError(error);
      return false;
    } finally {
      setIsBusy(false);
    }
  }

  async function stop(ids: readonly number[]): Promise<void> {
    for (const answerid of ids)
      try {
        await call(aistop, { answerid });
      } catch (error) {
        // The answer ended before it was stopped.
        if (error instanceof Refusal) refresh();
        else showError(error);
      }
  }

  return { ask, stop, isBusy, refusalReason };
}

/** Renders a thread as often as possible. Changes during a render are combined into the next one. */
function useRenderedThread() {
  const latest = useRef<Thread>([]);
  const [rendered, setRendered] = useState<Thread>([]);
  const renderState = useRef({
    frame: 0,
    startedAt: 0,
    pausedUntil: 0,
    requestedThread: rendered,
    committedThread: rendered,
  });
  const [change] = useState(() => {
    function render(): void {
      const state = renderState.current;
      state.frame = 0;
      if (state.requestedThread !== state.committedThread || performance.now() < state.pausedUntil) {
        state.frame = requestAnimationFrame(render);
        return;
      }
      state.startedAt = performance.now();
      state.requestedThread = latest.current;
      startTransition(() => setRendered(latest.current));
    }
    return (apply: ThreadChange): void => {
      const next = apply(latest.current);
      if (next === latest.current) return;
      latest.current = next;
      renderState.current.frame ||= requestAnimationFrame(render);
    };
  });
  useLayoutEffect(() => {
    // Pauses for as long as the render took, so that input is handled in between.
    const now = performance.now();
    renderState.current.committedThread = rendered;
    renderState.current.pausedUntil = now + Math.min(now - renderState.current.startedAt, 500);
  }, [rendered]);
  useEffect(() => {
    const state = renderState.current;
    return () => {
      cancelAnimationFrame(state.frame);
      state.frame = 0;
    };
  }, []);
  return { rendered, latest, change };
}

/** Returns the answers since the page was opened, live. `configured` is undefined until the server has sent it. */
export function useThread() {
  const { rendered, latest, change } = useRenderedThread();
  const [configured, setConfigured] = useState<boolean>();
  const refreshRef = useRef<() => void>(() => undefined);
  const isListening = useRef(false);

  useEffect(() => {
    let isFirst = true;
    let isLoading = false;
    let mustReload = false;
    /** Loads the running answers at first, and later also those that ended while this page was offline. */
    async function load(): Promise<void> {
      mustReload = false;
      const { answers, configured: isSet } = await call(
        aianswers,
        isFirst && latest.current.length === 0 ? { only: 'running' } : {},
      );
      isFirst = false;
      setConfigured(isSet);
      change((thread) => mergeAnswers(thread, answers));
      if (mustReload) await load();
    }
    function refresh(): void {
      mustReload = true;
      if (isLoading) return;
      isLoading = true;
      load()
        .catch(showError)
        .finally(() => {
          isLoading = false;
        });
    }
    refreshRef.current = refresh;
    /** Joins room 0 first, so that no chunk is lost between loading the answer and its next event. */
    async function joinRoom(): Promise<void> {
      isListening.current = false;
      if (realtime.getConnectionState() !== 'connected') return;
      await realtime.request(connectEvent, { message: 'aiquery' });
      await realtime.request(roomInit, { id: '0' });
      isListening.current = true;
      refresh();
    }
    function handleConnectionChange(): void {
      joinRoom().catch(showError);
    }
    const unsubscribers = [
      realtime.on(aidatain, (chunk) => {
        // oxlint-disable-next-line no-console -- logs each chunk (docs/specification/ai.md section 4)
        console.log(chunk.data);
        if (hasGapBefore(latest.current, chunk)) refresh();
        else change((thread) => addChunk(thread, chunk));
      }),
      realtime.on(aithoughtin, (chunk) => {
        if (hasGapBefore(latest.current, chunk, 'thoughts')) refresh();
        else change((thread) => addChunk(thread, chunk, 'thoughts'));
      }),
      realtime.on(aidataend, (ending) => change((thread) => endAnswer(thread, ending))),
      realtime.onConnectionStateChange(handleConnectionChange),
    ];
    handleConnectionChange();
    return () => unsubscribers.forEach((unsubscribe) => unsubscribe());
  }, [change, latest]);

  return {
    thread: rendered,
    latest,
    change,
    configured,
    refresh: () => refreshRef.current(),
    isListening: () => isListening.current,
  };
}
