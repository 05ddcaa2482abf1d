import * as z from 'zod';
import { parseYtdlpArgs } from './ytdlpArgs.ts';

const ytdlpArgs = z
  .string()
  .transform((text, context) => {
    try {
      return parseYtdlpArgs(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
      return z.NEVER;
    }
  })
  .prefault('');

export const settings = z.object({
  YTDLP_ARGS: ytdlpArgs
    .meta({ isSecret: true })
    .describe(
      'Options for every run of yt-dlp, as a shell has them: extractor arguments and PO tokens (`--extractor-args`), `--proxy`, rates, `--impersonate` and others of a fixed list (docs/music.md). With `--proxy` that proxy decides what may be reached.',
    ),
  YTDLP_PLUGINS: z
    .string()
    .startsWith('/', 'must be an absolute path')
    .optional()
    .describe(
      'Folder with plug-ins for yt-dlp, each a zip or a package with its folder `yt_dlp_plugins`. They are run as yt-dlp is.',
    ),

  MUSIC_QUOTA_GB: z
    .string()
    .regex(/^\d{1,6}(\.\d+)?$/, 'must be a number of GiB such as 20')
    .prefault('20')
    .transform(Number)
    .describe('How much room the songs of one account may take, in GiB.'),
});
