import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '#platform/server/operations/logger.ts';
import { type ProcessRunner, ProgramNotFoundError } from '#platform/server/programs/childProcesses.ts';
import { getManagedYtdlpPath } from '#platform/server/programs/managed.ts';
import { createMediaPrograms } from '#platform/server/programs/mediaPrograms.ts';
import { type ProcessRunnerOptions, createProcessRunner } from '#platform/server/programs/processRunner.ts';
import { findYtdlpProblem } from '#platform/server/programs/programVersions.ts';
import type { DoctorFinding } from './doctor.ts';

const LIMITS = { timeoutMs: 10_000, maxCpuSeconds: 5, maxFileBytes: 1024 * 1024 };

const finding = (lack: string, found: string, lost: string): DoctorFinding => ({
  isOk: lack === '',
  text: lack === '' ? found : `${lack} (without it ${lost})`,
});

/** Such as ` 0.8.0`; empty where it does not say. */
const versionOfBubblewrap = async (children: ProcessRunner): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-'));
  try {
    const { output } = await children.run({ program: 'bwrap', args: ['--version'], folder, limits: LIMITS });
    return /\s[\d.]+/.exec(output)?.[0] ?? '';
  } catch (error) {
    if (error instanceof ProgramNotFoundError) return '';
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const sandbox = async (children: ProcessRunner): Promise<DoctorFinding> => {
  const isThere = (await children.getSandbox()) === 'bwrap';
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
export const checkPrograms = async (
  { YTDLP_PATH: ytdlpPath, FFMPEG_PATH: ffmpegPath, DATA_DIR: dataDir }: ProgramSettings,
  options: Partial<ProcessRunnerOptions> = {},
): Promise<readonly DoctorFinding[]> => {
  const log = createLogger({ level: 'silent' });
  const children = createProcessRunner({ log, ffmpegPath, ...options });
  const managedPath = dataDir === undefined ? undefined : getManagedYtdlpPath(dataDir);
  const programs = createMediaPrograms({
    children,
    ytdlpPath,
    managedPath,
    ffmpegPath,
    log,
    now: Temporal.Now.instant,
  });
  try {
    const ytdlp = await programs.findYtdlp();
    const advice = await programs.getUpdateAdvice();
    const update = `${advice}. 'Update yt-dlp' on the music page brings the newest`;
    const scripting = await programs.describeScripting();
    const lack = await programs.getSetupProblem('convert');
    const { version = '' } = await programs.findFfmpeg();
    return [
      finding(
        findYtdlpProblem(ytdlp)?.forOwner ?? '',
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
