import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import { deviceChanged } from '#platform/contract/device.ts';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { notices } from '#platform/web/app/notices.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { deletecomputerusage, mergecomputers, undoimport, usageChanged, usagecomputers } from '../../contract.ts';
import { SCREEN_TIME } from '../../web/usageClock.ts';
import { prettyTime } from '../domain/formats.ts';

export type UsageComputer = AnswerOf<typeof usagecomputers>['computers'][number];
export type UsageImport = AnswerOf<typeof usagecomputers>['imports'][number];

export const COMPUTER_USAGE = [SCREEN_TIME, 'usagecomputers'] as const;
const CHANGED = [[SCREEN_TIME], ['devicedetails'], ['checkdevices']];

export async function askComputerUsage(): Promise<AnswerOf<typeof usagecomputers>> {
  return call(usagecomputers, {});
}

/** Loads computers with screen time and imports that can be undone, with their actions. */
export function useComputerUsage() {
  const queries = useQueryClient();
  const { data } = useQuery({ queryKey: COMPUTER_USAGE, queryFn: askComputerUsage });
  useEffect(() => {
    const again = (): void => void queries.invalidateQueries({ queryKey: COMPUTER_USAGE });
    const stops = [
      realtime.on(deviceChanged, again),
      realtime.on(usageChanged, again),
      realtime.onConnectionStateChange(again),
    ];
    return () => stops.forEach((stop) => stop());
  }, [queries]);
  const after = {
    onError: showError,
    onSettled: () => Promise.all(CHANGED.map((queryKey) => queries.invalidateQueries({ queryKey }))),
  };
  const remove = useMutation({ mutationFn: (id: number) => call(deletecomputerusage, { id }), ...after });
  const undo = useMutation({ mutationFn: (id: number) => call(undoimport, { id }), ...after });
  const merge = useMutation({
    mutationFn: (request: { readonly from: number; readonly into: number }) => call(mergecomputers, request),
    onSuccess: ({ moved, overlapping }) =>
      notices.add(
        'good',
        overlapping > 0
          ? `Merged ${prettyTime(moved)}. Skipped ${prettyTime(overlapping)} when both computers were in use`
          : `Merged ${prettyTime(moved)}`,
      ),
    ...after,
  });
  return { computers: data?.computers ?? [], imports: data?.imports ?? [], remove, undo, merge };
}
