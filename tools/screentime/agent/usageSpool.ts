import { chmodSync, existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Status } from '../contract.ts';
import { inParts, type MeasuredInterval } from '../usage/domain/measurement.ts';

/** Years of use; when it is full the oldest is kept. */
const MAX_BYTES = 200 * 1024 * 1024;
const PAGE_BYTES = 4096;
/** So many pieces wait in memory for a disk that is full; what comes then is lost, and counted. */
const MAX_UNWRITTEN = 2000;
/** So many pieces are written in one step. */
const WRITE_BATCH_SIZE = 200;
/** Of one batch; the call takes 1 MiB. */
const MAX_BATCH_BYTES = 600 * 1024;

/** Pieces numbered one by one within a run of the agent, as the server takes them. */
export interface Batch {
  /** Which run, in order. */
  readonly turn: number;
  readonly boot: string;
  readonly seq: number;
  /** Numbers before the first one are missing for good. */
  readonly dropped: boolean;
  readonly pieces: readonly MeasuredInterval[];
  /** What to add to the times of that run for the server's clock; undefined where it never met the server. */
  readonly offset: number | undefined;
}

/** What waits to be handed in, on the disk. */
export interface Spool {
  /** In one step: these have ended, and this is what goes on for that source. A full disk is said, and tried again with the next. */
  readonly write: (source: string, ended: readonly MeasuredInterval[], going: readonly MeasuredInterval[]) => void;
  /** What is to be handed in next; at most so many pieces. */
  readonly next: (most: number) => Batch | undefined;
  /** The server has everything of that run up to this number. */
  readonly forget: (turn: number, upTo: number) => void;
  /** How far this run's clock is from the server's. */
  readonly keepOffset: (offset: number) => void;
  readonly counts: () => { readonly waiting: number; readonly lost: number };
  readonly close: () => void;
}

export interface SpoolOptions {
  readonly folder: string;
  readonly say: (line: string) => void;
  readonly mostBytes?: number;
  /** The run before this one was seen alive then, by its own clock: what went on for `source` did so until that moment. */
  readonly lived?: { readonly source: string; readonly until: number } | undefined;
}

type Row = Readonly<Record<string, null | number | bigint | string | Uint8Array>>;

const pieceOf = ({ app, status, begins, ends, title }: Row): MeasuredInterval => ({
  app: String(app),
  status: String(status) as Status,
  from: Number(begins),
  until: Number(ends),
  ...(typeof title === 'string' ? { title } : {}),
});

const bytesOf = ({ app, title = '' }: MeasuredInterval): number => 3 * (app.length + title.length) + 100;

const tables = `
  create table if not exists run (turn integer primary key autoincrement, boot text not null, last integer not null, gone integer not null, off_by real);
  create table if not exists piece (turn integer not null, seq integer not null, app text not null, status text not null,
    begins integer not null, ends integer not null, title text, primary key (turn, seq)) without rowid;
  create table if not exists going (source text not null, app text not null, status text not null, begins integer not null, ends integer not null, title text);
`;

const connect = (path: string, mostBytes: number) => {
  // Asked for at run time: an import of node:sqlite would stop an old Node before it is told which one it needs.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const db = new DatabaseSync(path);
  try {
    chmodSync(path, 0o600);
    db.exec(`pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 2000;
      pragma max_page_count = ${Math.floor(mostBytes / PAGE_BYTES)}; pragma journal_size_limit = 1048576`);
    db.exec(tables);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
};

/** SQLite's numbers for a file that is none of its own, or is no more. */
const BROKEN: readonly unknown[] = [11, 26];

/** One that cannot be read is put aside: what was in it is lost, what comes is not. */
const openAnyhow = (path: string, { say, mostBytes = MAX_BYTES }: SpoolOptions) => {
  try {
    return connect(path, mostBytes);
  } catch (error) {
    if (!(error instanceof Error && 'errcode' in error && BROKEN.includes(error.errcode))) throw error;
    say(`${path} cannot be read (${error.message}); it is put aside, and another one begun`);
    for (const end of ['-wal', '-shm', '']) if (existsSync(path + end)) renameSync(path + end, `${path}.broken${end}`);
    return connect(path, mostBytes);
  }
};

/** A piece with its number. */
interface NumberedInterval {
  readonly seq: number;
  readonly piece: MeasuredInterval;
}

/** How many pieces wait in that folder while nobody has the spool open; none where it cannot be read. */
export function waitingIn(folder: string): number {
  const path = join(folder, 'usage.db');
  if (!existsSync(path)) return 0;
  try {
    const db = connect(path, MAX_BYTES);
    try {
      const sum = 'select (select count(*) from piece) + (select count(*) from going where ends > begins) as pieces';
      return Number(db.prepare(sum).get()?.['pieces']);
    } finally {
      db.close();
    }
  } catch {
    return 0;
  }
}

/** Keeps what waits in `<folder>/usage.db`. @throws where that folder takes no files. */
export function openSpool(options: SpoolOptions): Spool {
  const { folder, say, lived } = options;
  const db = openAnyhow(join(folder, 'usage.db'), options);
  const lastRun = db.prepare('select * from run order by turn desc limit 1');
  const addRun = db.prepare('insert into run (boot, last, gone) values (?, 0, 0) returning turn');
  const setLast = db.prepare('update run set last = ? where turn = ?');
  const addPiece = db.prepare(
    'insert into piece (turn, seq, app, status, begins, ends, title) values (?, ?, ?, ?, ?, ?, ?)',
  );
  const allGoing = db.prepare('select * from going');
  const clearGoing = db.prepare('delete from going where source = ?');
  const addGoing = db.prepare('insert into going (source, app, status, begins, ends, title) values (?, ?, ?, ?, ?, ?)');
  const firstRun = db.prepare('select * from run where turn = (select min(turn) from piece)');
  const firstPieces = db.prepare('select * from piece where turn = ? order by seq limit ?');
  const dropPieces = db.prepare('delete from piece where turn = ? and seq <= ?');
  const setGone = db.prepare('update run set gone = max(gone, ?) where turn = ?');
  const sweep = db.prepare('delete from run where turn < ? and turn not in (select turn from piece)');
  const setOffset = db.prepare('update run set off_by = ? where turn = ?');
  const count = db.prepare('select count(*) as pieces from piece');

  /** This run; undefined before it could be written down. */
  let turn: number | undefined;
  let last = 0;
  let lost = 0;
  let isFull = false;
  let unwritten: readonly NumberedInterval[] = [];
  const goingOf = new Map<string, readonly MeasuredInterval[]>();

  const atOnce = (work: () => void): void => {
    db.exec('begin immediate');
    try {
      work();
      db.exec('commit');
    } catch (error) {
      if (db.isTransaction) db.exec('rollback');
      throw error;
    }
  };
  const add = (of: number, { seq, piece: { app, status, from, until, title } }: NumberedInterval): void =>
    void addPiece.run(of, seq, app, status, from, until, title ?? null);

  /** What went on as the run before this one was killed has ended with it. */
  const takeOver = (): void => {
    const before = lastRun.get();
    if (!before) return;
    const rows = allGoing.all();
    // What went on until it was written down; other pieces ended before, and only wait for it to be certain what they were.
    const newest = Math.max(...rows.map(({ source, ends }) => (source === lived?.source ? Number(ends) : 0)));
    const left = rows.map((row) => {
      const piece = pieceOf(row);
      const goesOn = row['source'] === lived?.source && piece.until === newest;
      return goesOn ? { ...piece, until: Math.max(newest, lived?.until ?? 0) } : piece;
    });
    let seq = Number(before['last']);
    for (const piece of left.flatMap(inParts)) {
      seq += 1;
      add(Number(before['turn']), { seq, piece });
    }
    setLast.run(seq, Number(before['turn']));
    db.exec('delete from going');
  };
  const begin = (): number => {
    takeOver();
    const run = Number(addRun.get(crypto.randomUUID())?.['turn']);
    sweep.run(run);
    return run;
  };
  const writePart = (part: readonly NumberedInterval[]): void => {
    let run = turn;
    atOnce(() => {
      run ??= begin();
      for (const one of part) add(run, one);
      for (const [source, going] of goingOf) {
        clearGoing.run(source);
        for (const { app, status, from, until, title } of going)
          addGoing.run(source, app, status, from, until, title ?? null);
      }
      setLast.run(part.at(-1)?.seq ?? last, run);
    });
    turn = run;
    unwritten = unwritten.slice(part.length);
  };
  /** In parts, so that what has waited for room need not find it all at once. */
  const writeAll = (): void => {
    do writePart(unwritten.slice(0, WRITE_BATCH_SIZE));
    while (unwritten.length > 0);
    goingOf.clear();
  };
  const beFull = (error: unknown): void => {
    lost += Math.max(0, unwritten.length - MAX_UNWRITTEN);
    unwritten = unwritten.slice(0, MAX_UNWRITTEN);
    if (isFull) return;
    isFull = true;
    const why = error instanceof Error ? error.message : 'no reason';
    say(`Use of this computer cannot be written down: ${why}. What is there already is kept`);
  };
  const write: Spool['write'] = (source, ended, going) => {
    const parts = ended.flatMap(inParts);
    unwritten = [...unwritten, ...parts.map((piece, place) => ({ seq: last + 1 + place, piece }))];
    last += parts.length;
    goingOf.set(source, going);
    try {
      writeAll();
    } catch (error) {
      beFull(error);
      return;
    }
    if (isFull) say(`Use of this computer is written down again${lost > 0 ? `; ${lost} pieces were lost` : ''}`);
    isFull = false;
  };
  write('', [], []);

  return {
    write,
    next: (most) => {
      const run = firstRun.get();
      if (!run) return undefined;
      const rows = firstPieces.all(Number(run['turn']), most);
      const first = Number(rows[0]?.['seq']);
      const pieces: MeasuredInterval[] = [];
      let bytes = 0;
      for (const [place, row] of rows.entries()) {
        const piece = pieceOf(row);
        bytes += bytesOf(piece);
        if (Number(row['seq']) !== first + place || (place > 0 && bytes > MAX_BATCH_BYTES)) break;
        pieces.push(piece);
      }
      const { off_by: offset } = run;
      return {
        turn: Number(run['turn']),
        boot: String(run['boot']),
        seq: first,
        dropped: first > Number(run['gone']) + 1,
        pieces,
        offset: typeof offset === 'number' ? offset : undefined,
      };
    },
    forget: (of, upTo) =>
      atOnce(() => {
        dropPieces.run(of, upTo);
        setGone.run(upTo, of);
        if (turn !== undefined) sweep.run(turn);
      }),
    keepOffset: (offset) => {
      if (turn !== undefined) setOffset.run(offset, turn);
    },
    counts: () => ({ waiting: Number(count.get()?.['pieces']) + unwritten.length, lost }),
    close: () => db.close(),
  };
}
