import { join } from 'node:path';

/** Where 'Update yt-dlp' puts what it fetched. */
export const managedYtdlp = (dataDir: string): string => join(dataDir, 'programs', 'yt-dlp');
