import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useState } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import { CallError } from '#platform/contract/client.ts';
import { deviceChanged } from '#platform/contract/device.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { useAccountComputers } from '#platform/web/app/computers.ts';
import { showRepeatingError } from '#platform/web/app/failure.ts';
import { reachability } from '#platform/web/app/reachability.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { checkdevices } from '#tools/devices/contract.ts';
import { audioset, mixerargs, setvolumefront } from '../contract.ts';
import { createBoard } from './mixerBoard.ts';

/** The account's computers with their live state. */
export function useComputers() {
  return useAccountComputers(() => call(checkdevices, {}));
}

/** Mixer poll (specification 1, section 9). */
const POLL_MS = 5000;

export interface Trouble {
  readonly message: string;
  /** There was no answer at all; the frame says so. */
  readonly isLost: boolean;
}

/** What a poll came to. `target` is the computer whose levels the board has. */
type Outcome =
  | {
      readonly answer: AnswerOf<typeof mixerargs>;
      readonly mark: number;
      readonly target: string;
      readonly trouble?: never;
    }
  | { readonly answer?: never; readonly target: string | undefined; readonly trouble: Trouble };

const isConnected = (): boolean => realtime.getConnectionState() === 'connected';

/** A strip that is gone on its way refuses nothing: the server leaves unknown names out. What it does refuse is told once, however often it is sent. */
const showRefused = (error: unknown): void => {
  if (error instanceof Refusal) showRepeatingError(error);
};

/** The board of a computer, or of the one that the server chooses, filled by the poll and live by the socket. `asks` once it is known whose. */
export function useMixer(chosen: string | undefined, asks: boolean) {
  const queries = useQueryClient();
  const [board] = useState(() =>
    createBoard({
      send: (target, { outputs, sessions }) => {
        realtime.request(audioset, { audio: sessions, outputs, target }).catch((error: unknown) => {
          showRefused(error);
          // Says whether the session has ended, and what there is now.
          void queries.invalidateQueries({ queryKey: ['mixer'] });
        });
      },
      canSend: isConnected,
      frame: requestAnimationFrame,
      later: (then, ms) => {
        const timer = setTimeout(then, ms);
        return () => clearTimeout(timer);
      },
    }),
  );

  const queryKey = ['mixer', chosen ?? null];
  const asked = useQuery({
    queryKey,
    enabled: asks,
    refetchInterval: POLL_MS,
    // Levels of an earlier visit are another time's.
    gcTime: 0,
    // What went wrong is an outcome too: the poll is the next try, and the page says it until then.
    queryFn: async (): Promise<Outcome> => {
      const mark = board.mark();
      try {
        const answer = await call(mixerargs, { type: 'client', ...(chosen === undefined ? {} : { target: chosen }) });
        return { answer, mark, target: answer.target };
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        const isLost = error instanceof CallError && error.status === 0;
        return { trouble: { message, isLost }, target: queries.getQueryData<Outcome>(queryKey)?.target };
      }
    },
  });

  const { data } = asked;
  // Before the page is drawn, or it would say for a moment that there is nothing.
  useLayoutEffect(() => {
    if (!data?.answer) return;
    const { answer, mark } = data;
    board.takeAll(answer.target, { outputs: answer.outputs, sessions: answer.data }, mark);
  }, [board, data]);

  useEffect(() => {
    const again = () => void queries.invalidateQueries({ queryKey: ['mixer'] });
    const stops = [
      realtime.on(setvolumefront, (sessions, about) => {
        const isKnown = board.take(about.target, { outputs: about.outputs, sessions }, about.gone);
        // It may be of the computer whose first answer is under way already.
        if (!isKnown) again();
      }),
      realtime.on(deviceChanged, again),
      reachability.subscribe(() => reachability.isReachable() && again()),
      realtime.onConnectionStateChange(() => {
        if (!isConnected()) return;
        board.wake();
        again();
      }),
    ];
    return () => stops.forEach((stop) => stop());
  }, [board, queries]);

  return { board, target: data?.target, trouble: data?.trouble, again: () => void asked.refetch() };
}
