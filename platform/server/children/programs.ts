import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { every, realTimers, type Timers } from '../realtime/timers.ts';
import { type Children, ProgramMissing } from './children.ts';
import {
  ffmpegLack,
  type Found,
  type Purpose,
  versionOfFfmpeg,
  versionOfYtdlp,
  ytdlpAdvice,
  ytdlpLack,
} from './versions.ts';

/** Which programs for sound and video this computer has: looked at a minute after the start, or when somebody first asks, and every hour. */
export interface Programs {
  /** The program that downloads, as `Children.run` takes it. */
  readonly ytdlp: () => Promise<Found>;
  readonly ffmpeg: () => Promise<Found>;
  /** What hinders, as a sentence with the remedy; empty where nothing does. `convert` needs ffmpeg alone. */
  readonly hindrance: (to: Purpose) => Promise<string>;
  /** What works, but not with all sites, with the remedy; empty where there is nothing to say. */
  readonly advice: () => Promise<string>;
  /** Such as `yt-dlp 2025.11.12, ffmpeg 5.1.9, bwrap`. */
  readonly summary: () => Promise<string>;
  /** Looks now, whatever was found before. */
  readonly look: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const FIRST_MS = 60_000;
const HOUR_MS = 3_600_000;
const MIB = 1024 * 1024;
const LIMITS = { wallMs: 30_000, cpuSeconds: 20, fileBytes: 16 * MIB, outputBytes: MIB } as const;

export interface ProgramsOptions {
  readonly children: Children;
  /** Of a newer one than the system's (`YTDLP_PATH`). */
  readonly ytdlpPath?: string | undefined;
  readonly log: FastifyBaseLogger;
  readonly now: () => Temporal.Instant;
  readonly timers?: Timers;
}

type Ask = (program: string, arg: string, reads: readonly string[]) => Promise<string>;

/** What is known of a program. */
interface Known {
  /** Looks where nobody has yet. */
  readonly looked: () => Promise<void>;
  readonly again: () => Promise<void>;
  /** Waits for a look that is under way. */
  readonly settled: () => Promise<void>;
}

const absent = (program: string): Found => ({ program, version: undefined, reads: [] });

export const makePrograms = (options: ProgramsOptions): Programs => {
  const { children, ytdlpPath, log, now, timers = realTimers } = options;
  let ytdlp = absent(ytdlpPath ?? 'yt-dlp');
  let ffmpeg = absent('ffmpeg');
  let ffmpegOutput = '';

  /** Asks programs, from an empty folder, what they print; '' of one that cannot be run. */
  const asking = async (work: (ask: Ask) => Promise<void>): Promise<void> => {
    const folder = await mkdtemp(join(tmpdir(), 'pegboard-'));
    try {
      await work(async (program, arg, reads) => {
        try {
          const { code, output } = await children.run({ program, args: [arg], folder, limits: LIMITS, reads });
          return code === 0 ? output : '';
        } catch (error) {
          if (error instanceof ProgramMissing) return '';
          throw error;
        }
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
  const kept = (what: string, look: (ask: Ask) => Promise<string | undefined>): Known => {
    const once = async (): Promise<void> => {
      try {
        await asking(async (ask) => log.info({ version: await look(ask) }, `${what} looked at`));
      } catch (error) {
        log.warn({ err: error }, `${what} not looked at`);
      }
    };
    let looking: Promise<void> | undefined;
    return {
      looked: async () => {
        looking ??= once();
        await looking;
      },
      again: async () => {
        looking = looking === undefined ? once() : looking.then(once);
        await looking;
      },
      settled: async () => looking,
    };
  };
  const knowsFfmpeg = kept('ffmpeg', async (ask) => {
    ffmpegOutput = await ask('ffmpeg', '-version', []);
    ffmpeg = { ...ffmpeg, version: versionOfFfmpeg(ffmpegOutput) };
    return ffmpeg.version;
  });
  const knowsYtdlp = kept('yt-dlp', async (ask) => {
    // The file alone, and what one brings along that is made of several: whatever else lies beside it is not its business.
    const reads = ytdlpPath === undefined ? [] : [ytdlpPath, join(dirname(ytdlpPath), '_internal')];
    ytdlp = { ...ytdlp, reads, version: versionOfYtdlp(await ask(ytdlp.program, '--version', reads)) };
    return ytdlp.version;
  });
  const both = async (look: 'looked' | 'again' | 'settled'): Promise<void> => {
    await Promise.all([knowsFfmpeg[look](), knowsYtdlp[look]()]);
  };
  const callOffs = [
    timers.after(FIRST_MS, () => void both('looked')),
    every(timers, HOUR_MS, () => void both('again')),
  ];
  const today = () => now().toZonedDateTimeISO('UTC').toPlainDate();

  return {
    ytdlp: async () => {
      await knowsYtdlp.looked();
      return ytdlp;
    },
    ffmpeg: async () => {
      await knowsFfmpeg.looked();
      return ffmpeg;
    },
    hindrance: async (to) => {
      const general = await children.hindrance();
      if (general !== '') return general;
      // yt-dlp takes a second to say what it is: whoever only converts does not wait for it.
      await (to === 'download' ? both('looked') : knowsFfmpeg.looked());
      const lacks = [...(to === 'download' ? [ytdlpLack(ytdlp)] : []), ffmpegLack(ffmpeg, ffmpegOutput, to)];
      return lacks.filter((sentence) => sentence !== '').join('. ');
    },
    advice: async () => {
      await knowsYtdlp.looked();
      return ytdlpAdvice(ytdlp, today());
    },
    summary: async () => {
      await both('looked');
      return [
        `yt-dlp ${ytdlp.version ?? 'missing'}`,
        `ffmpeg ${ffmpeg.version ?? 'missing'}`,
        await children.sandbox(),
      ].join(', ');
    },
    look: () => both('again'),
    stop: async () => {
      for (const callOff of callOffs) callOff();
      await both('settled');
    },
  };
};
