import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import {
  calendarsubscriptions,
  changesubscription,
  refreshsubscription,
  subscribecalendar,
  unsubscribecalendar,
} from '../../contract/exchange.ts';
import { keys } from '../selection.ts';

export type Subscription = AnswerOf<typeof calendarsubscriptions>['subscriptions'][number];

/** Outside calendars, and what can be done with them. Their events on the page follow by themselves. */
export const useSubscriptions = () => {
  const queries = useQueryClient();
  const changed = (): Promise<void> => queries.invalidateQueries({ queryKey: keys.all });
  const query = useQuery({ queryKey: keys.subscriptions, queryFn: () => call(calendarsubscriptions, {}) });
  const add = useMutation({
    mutationFn: (address: string) => call(subscribecalendar, { address }),
    onSuccess: changed,
  });
  const change = useMutation({
    mutationFn: (given: { readonly id: number; readonly name?: string; readonly colour?: string }) =>
      call(changesubscription, given),
    onSuccess: changed,
    onError: showError,
  });
  const refresh = useMutation({
    mutationFn: (id: number) => call(refreshsubscription, { id }),
    onSuccess: changed,
    onError: showError,
  });
  const remove = useMutation({
    mutationFn: (id: number) => call(unsubscribecalendar, { id }),
    onSuccess: changed,
    onError: showError,
  });
  return { query, add, change, refresh, remove };
};

const REFRESH_INTERVAL_MS = 20_000;

/** Now, to about a third of a minute. */
export const useNow = (): number => {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), REFRESH_INTERVAL_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
};
