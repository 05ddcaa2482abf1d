import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { AnswerOf } from '#platform/contract/call.ts';
import { deviceChanged } from '#platform/contract/device.ts';
import { call } from '#platform/web/app/call.ts';
import { notices } from '#platform/web/app/notices.ts';
import { showError } from '#platform/web/app/showError.ts';
import { useConnectionStateChange, useRealtimeEvent } from '#platform/web/app/useRealtimeEvent.ts';
import { deletecomputerusage, mergecomputers, undoimport, usageChanged, usagecomputers } from '../../contract.ts';
import { SCREEN_TIME } from '../../web/usageClock.ts';
import { formatDuration } from '../domain/formats.ts';

export type UsageComputer = AnswerOf<typeof usagecomputers>['computers'][number];
export type UsageImport = AnswerOf<typeof usagecomputers>['imports'][number];

export const COMPUTER_USAGE = [SCREEN_TIME, 'usagecomputers'] as const;
const INVALIDATED_KEYS = [[SCREEN_TIME], ['devicedetails'], ['checkdevices']];

export async function loadComputerUsage(): Promise<AnswerOf<typeof usagecomputers>> {
  return call(usagecomputers, {});
}

/** Loads computers with screen time and imports that can be undone, with their actions. */
export function useComputerUsage() {
  const queryClient = useQueryClient();
  const { data } = useQuery({ queryKey: COMPUTER_USAGE, queryFn: loadComputerUsage });
  const reload = (): void => void queryClient.invalidateQueries({ queryKey: COMPUTER_USAGE });
  useRealtimeEvent(deviceChanged, reload);
  useRealtimeEvent(usageChanged, reload);
  useConnectionStateChange(reload);
  const callbacks = {
    onError: showError,
    onSettled: () => Promise.all(INVALIDATED_KEYS.map((queryKey) => queryClient.invalidateQueries({ queryKey }))),
  };
  const remove = useMutation({ mutationFn: (id: number) => call(deletecomputerusage, { id }), ...callbacks });
  const undo = useMutation({ mutationFn: (id: number) => call(undoimport, { id }), ...callbacks });
  const merge = useMutation({
    mutationFn: (request: { readonly from: number; readonly into: number }) => call(mergecomputers, request),
    onSuccess: ({ moved, overlapping }) =>
      notices.add(
        'good',
        overlapping > 0
          ? `Merged ${formatDuration(moved)}. Skipped ${formatDuration(overlapping)} when both computers were in use`
          : `Merged ${formatDuration(moved)}`,
      ),
    ...callbacks,
  });
  return { computers: data?.computers ?? [], imports: data?.imports ?? [], remove, undo, merge };
}
