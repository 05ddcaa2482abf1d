import type { SongType } from '../../domain/song.ts';

interface FileIdentity {
  readonly id: number;
  readonly type: SongType;
}

/** All that music keeps lies here, below the data folder. */
export const FOLDER = 'music';

export const songFile = ({ id, type }: FileIdentity): string => `${FOLDER}/${id}.${type}`;
/** A song with other words in it, until it stands in the place of the one before. */
export const nextSongFile = ({ id, type }: FileIdentity): string => `${FOLDER}/${id}-next.${type}`;
/** 320 px square. */
export const pictureFile = (id: number): string => `${FOLDER}/${id}.webp`;

/** The song that a file of the folder is of; undefined for what is none of ours. */
export const songOfFile = (name: string): number | undefined => {
  const [, id] = /^music\/([1-9]\d{0,15})(-next)?\.(mp3|m4a|flac|opus|ogg|wav|webp)$/.exec(name) ?? [];
  return id === undefined ? undefined : Number(id);
};
