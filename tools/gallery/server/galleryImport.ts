import * as z from 'zod/mini';
import { Refusal } from '#platform/contract/refusal.ts';
import {
  assertSpaceFor,
  exportedText,
  exportedTime,
  FILE_TYPES,
  iterateParsed,
  MAX_PICTURE_BYTES,
  readParsed,
  saveImportedFile,
} from '#platform/server/storage/importSource.ts';
import type { AccountImport, ImportSource, ServerContext } from '#platform/server/tool.ts';
import { getPicturePath, getVideoPath, type GalleryRecording } from '../domain/recording.ts';
import { MAX_TITLE_LENGTH } from '../domain/recordingName.ts';
import { deriveFileName, removeVideo } from './galleryFiles.ts';
import type { GalleryStore, Quota } from './galleryStore.ts';

const MAX_RECORDINGS = 100_000;
/** Earlier versions have not exported the size of the picture. */
const DEFAULT_SIZE = { width: 1280, height: 720 } as const;
const pixels = z.int().check(z.positive(), z.maximum(32_768));

const exportedRecording = z.object({
  file: z.string().check(z.regex(/^[\w-]{1,40}\.webm$/)),
  title: exportedText(MAX_TITLE_LENGTH),
  start: exportedTime,
  end: exportedTime,
  public: z.boolean(),
  // Missing in exports of earlier versions.
  seconds: z.optional(z.number().check(z.minimum(0), z.maximum(10 * 365 * 86_400))),
  width: z.optional(pixels),
  height: z.optional(pixels),
  cutOff: z.optional(z.boolean()),
});

const toRecording = ({ start, end, ...exported }: z.output<typeof exportedRecording>) => ({
  title: exported.title,
  start: start / 1000,
  duration: exported.seconds ?? Math.max(0, end - start) / 1000,
  width: exported.width ?? DEFAULT_SIZE.width,
  height: exported.height ?? DEFAULT_SIZE.height,
  isPublic: exported.public,
  isCut: exported.cutOff ?? false,
});

interface GalleryImportOptions {
  readonly context: Pick<ServerContext, 'database' | 'files' | 'disk' | 'links'>;
  readonly store: GalleryStore;
  readonly quota: Quota;
  readonly onChange: (account: number) => void;
}

/** Creates the import of recordings with their files. */
export function createGalleryImport({ context, store, quota, onChange }: GalleryImportOptions): AccountImport {
  const { database, files, disk, links } = context;

  /** The same in all attempts, so that an interrupted one leaves no other files. */
  const getNewName = (account: number, exportedName: string): string =>
    deriveFileName({ links }, `import ${account} ${exportedName}`);

  /** Stores the files of a recording. Returns undefined if the export has no video. */
  async function saveFiles(
    account: number,
    source: ImportSource,
    exported: z.output<typeof exportedRecording>,
  ): Promise<Omit<GalleryRecording, 'end'> | undefined> {
    const video = source.findFile(exported.file);
    if (!video) return undefined;
    assertSpaceFor(disk, video.bytes);
    const file = getNewName(account, exported.file);
    const picture = source.findFile(exported.file.replace(/webm$/, 'png'));
    if (picture)
      await saveImportedFile(files, picture, {
        name: getPicturePath(file),
        isType: FILE_TYPES.png,
        maxBytes: MAX_PICTURE_BYTES,
      });
    const { bytes } = await saveImportedFile(files, video, { name: getVideoPath(file), isType: FILE_TYPES.webm });
    return { ...toRecording(exported), file, account, bytes };
  }

  /** Stores the files of all recordings, whose names are added to `names`. Returns those with a video. */
  async function saveRecordings(account: number, source: ImportSource, names: Set<string>) {
    const recordings: Omit<GalleryRecording, 'end'>[] = [];
    let bytes = 0;
    for await (const exported of iterateParsed(source, 'recordings', exportedRecording)) {
      if (names.has(exported.file) || names.size === MAX_RECORDINGS)
        throw new Refusal('import.entry_invalid', 'This part is damaged: it has too many recordings');
      names.add(exported.file);
      // The recordings of this import are not in the database yet.
      await quota.checkSpace(account, bytes + (source.findFile(exported.file)?.bytes ?? 0));
      const recording = await saveFiles(account, source, exported);
      if (recording) recordings.push(recording);
      bytes += recording?.bytes ?? 0;
    }
    return recordings;
  }

  return {
    isEmpty: async (account) => (await store.listFiles(account)).length === 0,
    run: async (account, source) => {
      const publishesNew = (await readParsed(source, 'publishesNew', z.boolean())) ?? false;
      const names = new Set<string>();
      let missingCount = 0;
      try {
        const recordings = await saveRecordings(account, source, names);
        missingCount = names.size - recordings.length;
        await database.transaction(async ({ tx, afterCommit }) => {
          for (const recording of recordings) await store.insert(tx, recording);
          if (publishesNew) await store.setNewPublic(tx, account, true);
          afterCommit(() => onChange(account));
        });
      } catch (error) {
        for (const name of names) await removeVideo(files, getNewName(account, name));
        throw error;
      }
      return {
        counts: { recordings: names.size - missingCount },
        problems: missingCount === 0 ? [] : [`Not imported: recordings without a video in the zip (${missingCount})`],
      };
    },
  };
}
