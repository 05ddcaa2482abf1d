import { createContext } from 'react';

/** What of the server's yt-dlp the parts of the panel need. */
export interface Downloader {
  readonly isOwner: boolean;
  readonly isUpdating: boolean;
  readonly update: () => Promise<void>;
}

export const DownloaderContext = createContext<Downloader>({
  isOwner: false,
  isUpdating: false,
  update: () => Promise.resolve(),
});
