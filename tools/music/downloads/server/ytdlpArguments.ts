import { FIRST_OF_LINK } from '../../contract/limits.ts';
import { PREFIX } from '../domain/ytdlpProgress.ts';

/** First version that has options for the JavaScript runtime and against plug-ins. */
const KNOWS_RUNTIMES = '2025.11.12';
export function knowsRuntimes(version: string): boolean {
  return version >= KNOWS_RUNTIMES;
}

export interface OwnArguments {
  /** Validated options of the operator (`YTDLP_ARGS`). */
  readonly args?: readonly string[] | undefined;
  /** Plug-in folder of the operator (`YTDLP_PLUGINS`). */
  readonly plugins?: string | undefined;
  /** A file in the job's folder. */
  readonly cookies?: string | undefined;
}

/** Arguments of every run: no configuration of the user, no network access except through the proxy, and timeouts. */
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
    // Options of the operator take precedence.
    ...(own.args ?? []),
  ];
}

const FIELDS = 'id,title,track,artist,album,duration,extractor_key,is_live,live_status,playlist_id,n_entries';

/** Arguments to download the audio of one song. It prints progress in lines that `readLine` understands. */
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

/** Arguments to read the entries of a list without a request for each song. */
export const probing: readonly string[] = [
  '--flat-playlist',
  `--playlist-end=${FIRST_OF_LINK + 1}`,
  '--dump-single-json',
];
