import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useState } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import { CallError } from '#platform/contract/client.ts';
import { deviceChanged } from '#platform/contract/device.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { useAccountComputers } from '#platform/web/app/computers.ts';
import { reachability } from '#platform/web/app/reachability.ts';
import { realtime } from '#platform/web/app/realtime.ts';
import { showRepeatingError } from '#platform/web/app/showError.ts';
import { checkdevices } from '#tools/devices/contract.ts';
import { audioset, mixerargs, setvolumefront } from '../contract.ts';
import { createBoard } from './mixerBoard.ts';

/** Returns the account's computers with their live state. */
export function useComputers() {
  return useAccountComputers(() => call(checkdevices, {}));
}

/** Defined by docs/specification/mixer.md section 6. */
const POLL_INTERVAL_MS = 5000;

export interface MixerProblem {
  readonly message: string;
  /** There was no answer; the status strip shows that. */
  readonly isLost: boolean;
}

/** The result of a poll. `target` is the computer whose levels are on the board. */
type PollResult =
  | {
      readonly answer: AnswerOf<typeof mixerargs>;
      readonly mark: number;
      readonly target: string;
      readonly problem?: never;
    }
  | { readonly answer?: never; readonly target: string | undefined; readonly problem: MixerProblem };

const isConnected = (): boolean => realtime.getConnectionState() === 'connected';

/** Shows a refusal once, however often it is repeated. */
function showRefusal(error: unknown): void {
  if (error instanceof Refusal) showRepeatingError(error);
}

/**
 * Returns the board of a computer, filled by polls and live events. Without a computer, the server selects one.
 * @param isEnabled whether to poll; true once the computers are known
 */
export function useMixer(computer: string | undefined, isEnabled: boolean) {
  const queryClient = useQueryClient();
  const [board] = useState(() =>
    createBoard({
      send: (target, { outputs, sessions }) => {
        realtime.request(audioset, { audio: sessions, outputs, target }).catch((error: unknown) => {
          showRefusal(error);
          // Loads the current levels, or notices that the session has ended.
          void queryClient.invalidateQueries({ queryKey: ['mixer'] });
        });
      },
      canSend: isConnected,
      requestFrame: requestAnimationFrame,
      schedule: (callback, ms) => {
        const timer = setTimeout(callback, ms);
        return () => clearTimeout(timer);
      },
    }),
  );

  const queryKey = ['mixer', computer ?? null];
  const poll = useQuery({
    queryKey,
    enabled: isEnabled,
    refetchInterval: POLL_INTERVAL_MS,
    // Levels of an earlier visit are outdated.
    gcTime: 0,
    // A failure is a result too: the next poll is the retry, and the page shows the failure until then.
    queryFn: async (): Promise<PollResult> => {
      const mark = board.getMark();
      try {
        const answer = await call(mixerargs, {
          type: 'client',
          ...(computer === undefined ? {} : { target: computer }),
        });
        return { answer, mark, target: answer.target };
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        const isLost = error instanceof CallError && error.status === 0;
        return { problem: { message, isLost }, target: queryClient.getQueryData<PollResult>(queryKey)?.target };
      }
    },
  });

  const { data } = poll;
  // Must run before the page is painted, or it would show an empty board for a moment.
  useLayoutEffect(() => {
    if (!data?.answer) return;
    const { answer, mark } = data;
    board.replaceStrips(answer.target, { outputs: answer.outputs, sessions: answer.data }, mark);
  }, [board, data]);

  useEffect(() => {
    const reload = () => void queryClient.invalidateQueries({ queryKey: ['mixer'] });
    const unsubscribers = [
      realtime.on(setvolumefront, (sessions, about) => {
        const isKnown = board.applyReport(about.target, { outputs: about.outputs, sessions }, about.gone);
        // The event may be about the computer whose first answer is still pending.
        if (!isKnown) reload();
      }),
      realtime.on(deviceChanged, reload),
      reachability.subscribe(() => reachability.isReachable() && reload()),
      realtime.onConnectionStateChange(() => {
        if (!isConnected()) return;
        board.resume();
        reload();
      }),
    ];
    return () => unsubscribers.forEach((unsubscribe) => unsubscribe());
  }, [board, queryClient]);

  return { board, target: data?.target, problem: data?.problem, retry: () => void poll.refetch() };
}
