import { FIRST_OF_LINK } from '../../contract/limits.ts';
import { PREFIX } from '../domain/ytdlpProgress.ts';

/** From here on it is told where a JavaScript runtime is, and to leave plug-ins alone: older ones do not know how. */
const KNOWS_RUNTIMES = '2025.11.12';
export function knowsRuntimes(version: string): boolean {
  return version >= KNOWS_RUNTIMES;
}

export interface OwnArguments {
  /** Of the operator (`YTDLP_ARGS`), checked. */
  readonly args?: readonly string[] | undefined;
  /** A folder of the operator's (`YTDLP_PLUGINS`). */
  readonly plugins?: string | undefined;
  /** A file in the job's folder. */
  readonly cookies?: string | undefined;
}

/** What yt-dlp is told in any case: nothing of the user's own, no way out but the proxy, no patience without end. */
export function common(proxy: string, version: string, own: OwnArguments = {}): readonly string[] {
  return [
    '--ignore-config',
    '--no-cache-dir',
    `--proxy=${proxy}`,
    '--socket-timeout=15',
    '--retries=3',
    '--fragment-retries=3',
    '--retry-sleep=1',
    '--no-colors',
    '--no-warnings',
    '--no-mark-watched',
    ...(knowsRuntimes(version) ? ['--no-plugin-dirs', `--js-runtimes=node:${process.execPath}`] : []),
    ...(knowsRuntimes(version) && own.plugins !== undefined ? [`--plugin-dirs=${own.plugins}`] : []),
    ...(own.cookies === undefined ? [] : [`--cookies=${own.cookies}`]),
    // What the operator sets counts more than ours.
    ...(own.args ?? []),
  ];
}

const FIELDS = 'id,title,track,artist,album,duration,extractor_key,is_live,live_status,playlist_id,n_entries';

/** For the sound of one song: it downloads only, under names of ours, and says how far it is in lines that `readLine` understands. */
export function downloading(limitBytes: number): readonly string[] {
  return [
    '--no-playlist',
    '--playlist-items=1',
    '--no-mtime',
    '--fixup=never',
    '--ffmpeg-location=/nonexistent',
    '--hls-prefer-native',
    '--match-filters=!is_live',
    `--max-filesize=${limitBytes}`,
    '--format=bestaudio[protocol^=http]/bestaudio/best[height<=480]/best',
    '--output=media.%(ext)s',
    '--output=thumbnail:cover.%(ext)s',
    '--output=pl_thumbnail:',
    '--write-thumbnail',
    '--newline',
    '--progress',
    '--no-simulate',
    `--progress-template=download:${PREFIX.bytes}%(progress.{status,downloaded_bytes,total_bytes,total_bytes_estimate})j`,
    `--print=pre_process:${PREFIX.found}%(.{${FIELDS}})j`,
    `--print=before_dl:${PREFIX.begins}%(.{protocol,url})j`,
    `--print=after_move:${PREFIX.file}%(filepath)j`,
  ];
}

/** For what stands in a list, without a look at each song. */
export const probing: readonly string[] = [
  '--flat-playlist',
  `--playlist-end=${FIRST_OF_LINK + 1}`,
  '--dump-single-json',
];
