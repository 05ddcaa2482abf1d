import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Children, ProgramMissing } from '#platform/server/children/children.ts';
import { type ChildrenOptions, makeChildren } from '#platform/server/children/make.ts';
import { managedYtdlp } from '#platform/server/children/managed.ts';
import { makePrograms } from '#platform/server/children/programs.ts';
import { ytdlpLack } from '#platform/server/children/versions.ts';
import { makeLog } from '#platform/server/log.ts';
import type { Finding } from './doctor.ts';

const LIMITS = { wallMs: 10_000, cpuSeconds: 5, fileBytes: 1024 * 1024 };

const finding = (lack: string, found: string, lost: string): Finding => ({
  isGood: lack === '',
  text: lack === '' ? found : `${lack} (without it ${lost})`,
});

/** Such as ` 0.8.0`; empty where it does not say. */
const versionOfBubblewrap = async (children: Children): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-'));
  try {
    const { output } = await children.run({ program: 'bwrap', args: ['--version'], folder, limits: LIMITS });
    return /\s[\d.]+/.exec(output)?.[0] ?? '';
  } catch (error) {
    if (error instanceof ProgramMissing) return '';
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const sandbox = async (children: Children): Promise<Finding> => {
  const isThere = (await children.sandbox()) === 'bwrap';
  const lack =
    'bwrap is missing here, or not let make namespaces: apt-get install bubblewrap, and in a container its runtime has to allow it';
  const lost = "yt-dlp and ffmpeg run with all rights of the server's user";
  return finding(isThere ? '' : lack, isThere ? `bwrap${await versionOfBubblewrap(children)}` : '', lost);
};

interface ProgramSettings {
  readonly YTDLP_PATH?: string | undefined;
  readonly FFMPEG_PATH?: string | undefined;
  readonly DATA_DIR?: string | undefined;
}

/** The programs for sound and video, with their versions, and what is lost without them. */
export const examinePrograms = async (
  { YTDLP_PATH: ytdlpPath, FFMPEG_PATH: ffmpegPath, DATA_DIR: dataDir }: ProgramSettings,
  options: Partial<ChildrenOptions> = {},
): Promise<readonly Finding[]> => {
  const log = makeLog({ level: 'silent' });
  const children = makeChildren({ log, ffmpegPath, ...options });
  const managedPath = dataDir === undefined ? undefined : managedYtdlp(dataDir);
  const programs = makePrograms({ children, ytdlpPath, managedPath, ffmpegPath, log, now: Temporal.Now.instant });
  try {
    const ytdlp = await programs.ytdlp();
    const advice = await programs.advice();
    const update = `${advice}. 'Update yt-dlp' on the music page brings the newest`;
    const scripting = await programs.scripting();
    const lack = await programs.hindrance('convert');
    const { version = '' } = await programs.ffmpeg();
    return [
      finding(
        ytdlpLack(ytdlp)?.forOwner ?? '',
        [advice === '' ? `yt-dlp ${ytdlp.version ?? ''}` : update, scripting].filter((one) => one !== '').join(', '),
        'songs come by upload alone, not by link',
      ),
      finding(lack, `ffmpeg ${version}`, 'there are no new songs and no new recordings'),
      await sandbox(children),
    ];
  } finally {
    await programs.stop();
    await children.stop();
  }
};
