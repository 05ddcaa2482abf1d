/** What of an account takes room, in bytes. */
export interface UsedSpace {
  readonly songs: number;
  /** Announced, as long as no songs were made of them. */
  readonly uploads: number;
  /** Songs that were deleted and can be brought back. */
  readonly deleted: number;
}

const GIB = 1024 ** 3;
const inGib = (bytes: number): string => (bytes / GIB).toFixed(1);

/**
 * Why there is no room for so many bytes more, and the remedy; undefined where there is. Deleted songs are kept for a day beside the others, and
 * count where they are more than all that an account may have.
 */
export const whyNoRoom = (
  { songs, uploads, deleted }: UsedSpace,
  { bytes, quota }: { readonly bytes: number; readonly quota: number },
): string | undefined => {
  const surplus = Math.max(0, deleted - quota);
  if (songs + uploads + surplus + bytes <= quota) return undefined;
  const taken = `Your songs take ${inGib(songs)} of ${quota / GIB} GiB`;
  const none = 'there is no room for this one';
  if (songs + bytes > quota) return `${taken}, and ${none}: delete some first`;
  if (songs + surplus + bytes <= quota)
    return `${taken} and unfinished uploads ${inGib(uploads)} GiB, and ${none}: finish or cancel some of them first`;
  return `${taken} and deleted ones ${inGib(deleted)} GiB more, and ${none} until those are gone, a day after they were deleted`;
};
