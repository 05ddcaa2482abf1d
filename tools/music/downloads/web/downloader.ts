import { createContext } from 'react';

/** What can be done with the server's yt-dlp, and with what it shows to sites. Each gives whether it was done. */
export interface Downloader {
  readonly isOwner: boolean;
  readonly isUpdating: boolean;
  readonly update: () => Promise<boolean>;
  /** Asks for a cookies.txt, and stores it. */
  readonly addCookies: () => Promise<boolean>;
}

export const DownloaderContext = createContext<Downloader>({
  isOwner: false,
  isUpdating: false,
  update: () => Promise.resolve(false),
  addCookies: () => Promise.resolve(false),
});
