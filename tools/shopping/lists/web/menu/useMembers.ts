import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '#platform/web/app/call.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { leaveshoplist, shareshoplist, shoplistmembers, shoplistsChanged } from '#tools/shopping/contract.ts';

/** Who shares a list, as it is now. */
export const useMembers = (list: number) => {
  const queries = useQueryClient();
  const key = ['shoplistmembers', list] as const;
  const again = (): Promise<void> => queries.invalidateQueries({ queryKey: ['shoplistmembers'] });
  const members = useQuery({ queryKey: key, queryFn: async () => (await call(shoplistmembers, { id: list })).members });
  useEffect(
    () => realtime.on(shoplistsChanged, () => void queries.invalidateQueries({ queryKey: ['shoplistmembers'] })),
    [queries],
  );
  const invite = useMutation({
    mutationFn: (username: string) => call(shareshoplist, { id: list, username }),
    onSuccess: again,
  });
  const remove = useMutation({
    mutationFn: (username: string) => call(leaveshoplist, { id: list, username }),
    onSettled: again,
  });
  return { ...members, invite, remove };
};
