import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { call } from '#platform/web/call.ts';
import { showFailure } from '#platform/web/failure.ts';
import { updateytdlp } from '../../../contract.ts';
import type { Downloader } from './downloader.ts';
import { DOWNLOADS_KEY, type DownloadsState } from './useDownloads.ts';

/** Whether the one who looks may update yt-dlp, and doing so. */
export const useDownloader = ({ updates }: DownloadsState): Downloader => {
  const queries = useQueryClient();
  const [isUpdating, setIsUpdating] = useState(false);
  const isOwner = updates !== undefined;
  const update = useCallback(async (): Promise<void> => {
    setIsUpdating(true);
    try {
      await call(updateytdlp, {});
    } catch (error) {
      showFailure(error);
    }
    await queries.invalidateQueries({ queryKey: DOWNLOADS_KEY });
    setIsUpdating(false);
  }, [queries]);
  return useMemo(() => ({ isOwner, isUpdating, update }), [isOwner, isUpdating, update]);
};
