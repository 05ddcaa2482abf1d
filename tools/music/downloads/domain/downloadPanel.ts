import { groupBy } from '#platform/contract/groupBy.ts';
import { codes, type Code } from '../../contract/limits.ts';
import type { Remedy } from './remedy.ts';

/** A download as the panel has it. */
export interface Download {
  readonly id: number;
  readonly title: string;
  /** One of the specification's texts. */
  readonly status: string;
  readonly code: Code;
  /** Once it is there. */
  readonly song: number | undefined;
  /** 0 to 100. */
  readonly percent: number | undefined;
  /** Why it failed, or waits. */
  readonly reason: string | undefined;
  /** What helps, where it failed. */
  readonly remedy?: Remedy | undefined;
  /** The link, where there is a remedy. */
  readonly url?: string | undefined;
  /** What the site said itself. */
  readonly details?: string | undefined;
  /** The playlist's download that found it. */
  readonly parent: number | undefined;
  /** The upload that its file came by. */
  readonly upload: number | undefined;
}

export type Tone = 'green' | 'red' | 'teal' | 'blue' | 'orange';

/** Specification 2, section 4. */
const TONES: Readonly<Record<Code, Tone>> = { 0: 'green', 1: 'red', 2: 'teal', 3: 'blue', 4: 'orange', 5: 'orange' };
export function toneOf(code: Code): Tone {
  return TONES[code];
}

/** Queued or under way: it can be cancelled. */
export function isUnderWay(code: Code): boolean {
  return code === codes.queued || code === codes.pending;
}

/** The words of its state. */
export function stateOf({ code, status }: Pick<Download, 'code' | 'status'>): string {
  if (code === codes.done) return 'done';
  return code === codes.finished ? 'finished' : status;
}

/** What stands under it: why it failed, or waits. */
export function detailOf({ code, reason }: Pick<Download, 'code' | 'reason'>): string | undefined {
  if (reason === undefined || reason === '') return undefined;
  return code === codes.failed ? `Download failed: ${reason}` : reason;
}

/** A download, and those that it found. */
export interface Group {
  readonly head: Download;
  readonly parts: readonly Download[];
}

/** Newest first; the songs of a playlist stand under its own download, in the playlist's order. */
export function grouped(downloads: readonly Download[]): readonly Group[] {
  const known = new Set(downloads.map(({ id }) => id));
  const heads = downloads.filter(({ parent }) => parent === undefined || !known.has(parent));
  const parts = groupBy(downloads, ({ parent }) => parent);
  return heads
    .toSorted((one, other) => other.id - one.id)
    .map((head) => ({ head, parts: (parts.get(head.id) ?? []).toSorted((one, other) => one.id - other.id) }));
}

/** What there is to be saved of it: its song, or, of a list, those of its songs that are there. */
export function songsOf({ head: { song }, parts }: Group): readonly number[] {
  return song === undefined ? parts.flatMap((part) => part.song ?? []) : [song];
}

interface Counts {
  readonly underWay: number;
  readonly failed: number;
  readonly toSave: number;
}

export function countsOf(downloads: readonly Download[]): Counts {
  return {
    underWay: downloads.filter(({ code }) => isUnderWay(code)).length,
    failed: downloads.filter(({ code }) => code === codes.failed).length,
    toSave: downloads.filter(({ code }) => code === codes.save).length,
  };
}

/** Uploads that are not whole yet: a file's download may be told of before the answer to its last part has come. */
export function notYetThere<Upload extends { readonly upload: number | undefined }>(
  uploads: readonly Upload[],
  downloads: readonly Download[],
): readonly Upload[] {
  // What failed may be sent anew.
  const there = new Set(downloads.filter(({ code }) => code !== codes.failed).map(({ upload }) => upload));
  return uploads.filter(({ upload }) => upload === undefined || !there.has(upload));
}

/** '3 under way, 1 failed'; empty for nothing. */
export function sumUp({ underWay, failed, toSave }: Counts): string {
  return [underWay > 0 && `${underWay} under way`, toSave > 0 && `${toSave} to save`, failed > 0 && `${failed} failed`]
    .filter(Boolean)
    .join(', ');
}

/** Whether both say the same, so that nothing has to be drawn anew. */
export function isSame(one: Download, other: Download): boolean {
  return (
    one.title === other.title &&
    one.status === other.status &&
    one.code === other.code &&
    one.song === other.song &&
    one.percent === other.percent &&
    one.reason === other.reason &&
    one.remedy === other.remedy &&
    one.details === other.details &&
    one.parent === other.parent &&
    one.upload === other.upload
  );
}
