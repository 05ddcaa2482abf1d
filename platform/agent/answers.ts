import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { AccountData } from './pairedAccount.ts';

/** Of so many commands the answers are kept. */
const MAX_STORED_ANSWERS = 256;

/** What is known of a command's id: nothing, that it was begun and never ended, or its answer. */
export type CommandRecord =
  | { readonly kind: 'new' }
  | { readonly kind: 'begun' }
  | { readonly kind: 'answered'; readonly answer: unknown };

/** Which commands were done, so that nothing is done twice, across restarts too. */
export interface AnswerStore {
  readonly find: (id: string) => CommandRecord;
  /** On the disk before anything is typed. */
  readonly begin: (id: string) => void;
  /** Nothing happens once it is closed: what ends behind its agent stays known as begun. */
  readonly save: (id: string, answer: unknown) => void;
  readonly close: () => void;
}

/** Keeps the answers in `<folder>/answers.db`. */
export const openAnswerStore = (folder: string): AnswerStore => {
  // Asked for at run time: an import of node:sqlite would stop an old Node before it is told which one it needs.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const path = join(folder, 'answers.db');
  const db = new DatabaseSync(path);
  chmodSync(path, 0o600);
  db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 2000');
  db.exec(
    'create table if not exists answer (turn integer primary key autoincrement, id text not null unique, answer text)',
  );
  const find = db.prepare('select answer from answer where id = ?');
  const begin = db.prepare('insert into answer (id) values (?) on conflict (id) do nothing');
  const keep = db.prepare('update answer set answer = ? where id = ?');
  const sweep = db.prepare(`delete from answer where turn <= (select max(turn) from answer) - ${MAX_STORED_ANSWERS}`);
  return {
    find: (id) => {
      const row = find.get(id);
      if (!row) return { kind: 'new' };
      const { answer } = row;
      return typeof answer === 'string' ? { kind: 'answered', answer: JSON.parse(answer) } : { kind: 'begun' };
    },
    begin: (id) => {
      begin.run(id);
      sweep.run();
    },
    save: (id, answer) => {
      if (db.isOpen) keep.run(JSON.stringify(answer), id);
    },
    close: () => db.close(),
  };
};

/** None of them waits for anything. */
export const answersAccountData: AccountData = {
  listUnsent: () => [],
  remove: (stateDir) => {
    for (const end of ['', '-wal', '-shm']) rmSync(join(stateDir, `answers.db${end}`), { force: true });
  },
};
