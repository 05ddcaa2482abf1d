import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { notices } from '#platform/web/app/notices.ts';
import { timetablefeed } from '../contract.ts';

const KEY = ['timetable', 'feed'];
const ON = 'Calendars that follow your feed show the slots now';
const OFF = 'The slots are no longer in your calendar feed';

/** Whether the account's calendar feed has the slots; undefined until that is known. */
export const useFeed = () => {
  const queries = useQueryClient();
  const { data } = useQuery({ queryKey: KEY, queryFn: async () => (await call(timetablefeed, {})).on });
  const set = useMutation({
    mutationFn: async (on: boolean) => (await call(timetablefeed, { on })).on,
    onSuccess: (on) => {
      queries.setQueryData(KEY, on);
      notices.add('good', on ? ON : OFF);
    },
    onError: showError,
  });
  return { isOn: data, toggle: (): void => void (set.isPending || set.mutate(data !== true)) };
};
