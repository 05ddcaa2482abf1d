import { join } from 'node:path';

/** Where 'Update yt-dlp' puts what it fetched. */
export const getManagedYtdlpPath = (dataDir: string): string => join(dataDir, 'programs', 'yt-dlp');
