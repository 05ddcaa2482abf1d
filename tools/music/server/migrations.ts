import type { Migration } from '#platform/server/tool.ts';
import { library } from './001-library.ts';
import { marks } from './002-marks.ts';
import { uploads } from './003-uploads.ts';
import { revisions } from './004-revisions.ts';
import { playQueue } from './005-play-queue.ts';
import { tags } from './006-tags.ts';
import { cookies } from './007-cookies.ts';

export const migrations: readonly Migration[] = [
  { name: '001-library', up: library },
  { name: '002-marks', up: marks },
  { name: '003-uploads', up: uploads },
  { name: '004-revisions', up: revisions },
  { name: '005-play-queue', up: playQueue },
  { name: '006-tags', up: tags },
  { name: '007-cookies', up: cookies },
];
