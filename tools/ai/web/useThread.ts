import { startTransition, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { CallError } from '#platform/contract/client.ts';
import { connectEvent, roomInit } from '#platform/contract/realtime.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { notices } from '#platform/web/app/notices.ts';
import { realtime } from '#platform/web/app/socket.ts';
import {
  aianswers,
  aidataend,
  aidatain,
  aithoughtin,
  aiq,
  aiqLong,
  aistop,
  GET_LIMIT_BYTES,
  NOT_OK,
} from '../contract.ts';
import { misses, withEnding, withPiece, withAnswers, type Thread, withQuestion } from '../domain/thread.ts';

/** Returns whether a prompt must be sent by POST: it is long, or has a percent sign (see `restoreTypedPrompt`). */
const needsBody = (prompt: string): boolean =>
  prompt.includes('%') || encodeURIComponent(prompt.toWellFormed()).length > GET_LIMIT_BYTES;

interface AskingDeps {
  readonly change: (by: (thread: Thread) => Thread) => void;
  readonly refresh: () => void;
  readonly isHearing: () => boolean;
}

/** Asks questions and stops answers. `why` is the server's reason if a request failed. */
export function useAsking({ change, refresh, isHearing }: AskingDeps) {
  const [busy, setBusy] = useState(false);
  const [refusalReason, setRefusalReason] = useState<string>();

  /** Returns whether the question was accepted. */
  const ask = async (prompt: string): Promise<boolean> => {
    setBusy(true);
    setRefusalReason(undefined);
    const wasListening = isHearing();
    try {
      const { answerid, waiting } = await call(needsBody(prompt) ? aiqLong : aiq, { q: prompt, id: '0' });
      change((thread) => withQuestion(thread, { answerid, prompt, waiting }));
      // It may have ended before this page received events.
      if (!wasListening) refresh();
      return true;
    } catch (error) {
      if (error instanceof CallError && error.status !== 0) {
        notices.add('bad', NOT_OK);
        setRefusalReason(error.message);
      } else showError(error);
      return false;
    } finally {
      setBusy(false);
    }
  };

  const stop = async (ids: readonly number[]): Promise<void> => {
    for (const answerid of ids)
      try {
        await call(aistop, { answerid });
      } catch (error) {
        // It ended before it was stopped.
        if (error instanceof Refusal) refresh();
        else showError(error);
      }
  };

  return { ask, stop, busy, why: refusalReason };
}

type Change = (thread: Thread) => Thread;

/** Renders a thread as often as the page can. Changes during a render are combined into the next one. */
const useDrawn = () => {
  const latest = useRef<Thread>([]);
  const [drawn, setDrawn] = useState<Thread>([]);
  const drawing = useRef({ frame: 0, began: 0, restUntil: 0, requested: drawn, stands: drawn });
  const [change] = useState(() => {
    const draw = (): void => {
      const state = drawing.current;
      state.frame = 0;
      if (state.requested !== state.stands || performance.now() < state.restUntil) {
        state.frame = requestAnimationFrame(draw);
        return;
      }
      state.began = performance.now();
      state.requested = latest.current;
      startTransition(() => setDrawn(latest.current));
    };
    return (by: Change): void => {
      const next = by(latest.current);
      if (next === latest.current) return;
      latest.current = next;
      drawing.current.frame ||= requestAnimationFrame(draw);
    };
  });
  useLayoutEffect(() => {
    // Pauses for as long as the render took, so that keys and taps are handled in between.
    const now = performance.now();
    drawing.current.stands = drawn;
    drawing.current.restUntil = now + Math.min(now - drawing.current.began, 500);
  }, [drawn]);
  useEffect(() => {
    const state = drawing.current;
    return () => {
      cancelAnimationFrame(state.frame);
      state.frame = 0;
    };
  }, []);
  return { drawn, latest, change };
};

/** Returns the answers since the page was opened, live. `configured` is undefined until the server has sent it. */
export function useThread() {
  const { drawn, latest, change } = useDrawn();
  const [configured, setConfigured] = useState<boolean>();
  const refreshRef = useRef<() => void>(() => undefined);
  const isHearing = useRef(false);

  useEffect(() => {
    let isFirst = true;
    let isLoading = false;
    let mustReload = false;
    /** Loads answers: at first the running ones, later also those that ended while this page was offline. */
    const load = async (): Promise<void> => {
      mustReload = false;
      const { answers, configured: isSet } = await call(
        aianswers,
        isFirst && latest.current.length === 0 ? { only: 'running' } : {},
      );
      isFirst = false;
      setConfigured(isSet);
      change((thread) => withAnswers(thread, answers));
      if (mustReload) await load();
    };
    const refresh = (): void => {
      mustReload = true;
      if (isLoading) return;
      isLoading = true;
      load()
        .catch(showError)
        .finally(() => {
          isLoading = false;
        });
    };
    refreshRef.current = refresh;
    /** Joins room 0 first, so that no chunk is lost between loading the answer and its next event. */
    const joinRoom = async (): Promise<void> => {
      isHearing.current = false;
      if (realtime.getConnectionState() !== 'connected') return;
      await realtime.request(connectEvent, { message: 'aiquery' });
      await realtime.request(roomInit, { id: '0' });
      isHearing.current = true;
      refresh();
    };
    const handleConnectionChange = (): void => {
      joinRoom().catch(showError);
    };
    const stops = [
      realtime.on(aidatain, (piece) => {
        // oxlint-disable-next-line no-console -- logs each chunk (docs/specification/ai.md section 4)
        console.log(piece.data);
        if (misses(latest.current, piece)) refresh();
        else change((thread) => withPiece(thread, piece));
      }),
      realtime.on(aithoughtin, (piece) => {
        if (misses(latest.current, piece, 'thoughts')) refresh();
        else change((thread) => withPiece(thread, piece, 'thoughts'));
      }),
      realtime.on(aidataend, (ending) => change((thread) => withEnding(thread, ending))),
      realtime.onConnectionStateChange(handleConnectionChange),
    ];
    handleConnectionChange();
    return () => stops.forEach((stop) => stop());
  }, [change, latest]);

  return {
    thread: drawn,
    latest,
    change,
    configured,
    refresh: () => refreshRef.current(),
    isHearing: () => isHearing.current,
  };
}
