import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState, createContext } from 'react';
import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { notices } from '#platform/web/app/notices.ts';
import { showError } from '#platform/web/app/showError.ts';
import { MAX_COOKIES_LENGTH, setcookies, updateytdlp } from '../../contract.ts';
import { DOWNLOADS_KEY, type DownloadsState } from './useDownloads.ts';

/** Actions on the server's yt-dlp and cookies. Each returns whether it succeeded. */
export interface Downloader {
  readonly isOwner: boolean;
  readonly isUpdating: boolean;
  readonly update: () => Promise<boolean>;
  /** Asks for a cookies.txt and stores it. */
  readonly addCookies: () => Promise<boolean>;
}

export const DownloaderContext = createContext<Downloader>({
  isOwner: false,
  isUpdating: false,
  update: () => Promise.resolve(false),
  addCookies: () => Promise.resolve(false),
});

/** Returns undefined if the dialog is closed without a file. */
const chooseFile = (accept: string): Promise<File | undefined> =>
  new Promise((resolve) => {
    const input = document.createElement('input');
    input.type = 'file';
    input.accept = accept;
    input.addEventListener('change', () => resolve(input.files?.[0]));
    input.addEventListener('cancel', () => resolve(undefined));
    input.click();
  });

/** Returns whether the user may update yt-dlp, and the actions. */
export function useDownloader({ updates }: DownloadsState): Downloader {
  const queryClient = useQueryClient();
  const [isUpdating, setIsUpdating] = useState(false);
  const isOwner = updates !== undefined;

  const attempt = useCallback(
    async (work: () => Promise<unknown>): Promise<boolean> => {
      let isDone = true;
      try {
        await work();
      } catch (error) {
        isDone = false;
        showError(error);
      }
      await queryClient.invalidateQueries({ queryKey: DOWNLOADS_KEY });
      return isDone;
    },
    [queryClient],
  );
  const update = useCallback(async (): Promise<boolean> => {
    setIsUpdating(true);
    const isDone = await attempt(async () => {
      const { version, isNew } = await call(updateytdlp, {});
      if (isNew) notices.add('good', `yt-dlp is now ${version}`);
      else notices.add('info', `yt-dlp ${version} is already the newest version`);
    });
    setIsUpdating(false);
    return isDone;
  }, [attempt]);
  const addCookies = useCallback(async (): Promise<boolean> => {
    const file = await chooseFile('.txt,text/plain');
    if (!file) return false;
    return attempt(async () => {
      if (file.size > MAX_COOKIES_LENGTH)
        throw new Refusal('music.cookies_too_large', 'This file is too large for a cookies.txt. Choose another file');
      await call(setcookies, { text: await file.text() });
    });
  }, [attempt]);
  return useMemo(() => ({ isOwner, isUpdating, update, addCookies }), [isOwner, isUpdating, update, addCookies]);
}
