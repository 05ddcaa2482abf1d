import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { AnswerOf } from '#platform/contract/call.ts';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { push } from '#platform/web/app/push.ts';
import { useSession } from '#platform/web/app/session.ts';
import { calendarreminder, setcalendarreminder } from '../../contract/exchange.ts';

const KEY = ['calendar', 'reminder'];
export type ReminderSettings = AnswerOf<typeof calendarreminder>;

/** Whether and when the morning reminds. */
export const useReminder = () => {
  const queries = useQueryClient();
  const query = useQuery({ queryKey: KEY, queryFn: () => call(calendarreminder, {}) });
  const set = useMutation({
    mutationFn: ({ on, at }: Pick<ReminderSettings, 'on' | 'at'>) => call(setcalendarreminder, { on, at }),
    onSuccess: (answer) => queries.setQueryData(KEY, answer),
    onError: showError,
  });
  return { query, set };
};

/** Whether this browser is notified, and switching it. */
export const usePush = () => {
  const queries = useQueryClient();
  const username = useSession()?.username ?? '';
  const key = ['push', username];
  const { data: state } = useQuery({ queryKey: key, queryFn: push.getState, staleTime: 0 });
  const options = {
    onSuccess: (next: Awaited<ReturnType<typeof push.getState>>) => queries.setQueryData(key, next),
  };
  const on = useMutation({ mutationFn: push.switchOn, ...options });
  const off = useMutation({ mutationFn: push.switchOff, onError: showError, ...options });
  const test = useMutation({ mutationFn: push.sendTest });
  return { state, on, off, test };
};
