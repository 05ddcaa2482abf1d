import { chmodSync, existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Status } from '../contract.ts';
import type { ReportedInterval } from '../usage/domain/interval.ts';
import { splitInterval } from '../usage/domain/measurement.ts';

/** Enough for years. When it is full, the oldest intervals stay and new ones are dropped. */
const MAX_BYTES = 200 * 1024 * 1024;
const PAGE_BYTES = 4096;
/** Max intervals in memory while the disk is full. Later ones are lost and counted. */
const MAX_UNWRITTEN = 2000;
/** Intervals per write. */
const WRITE_BATCH_SIZE = 200;
/** Max size of a batch; the call accepts 1 MiB. */
const MAX_BATCH_BYTES = 600 * 1024;

/** Consecutively numbered intervals of one run of the agent, in the form the server accepts. */
export interface Batch {
  /** Number of the run, ascending. */
  readonly turn: number;
  readonly boot: string;
  readonly seq: number;
  /** Whether the intervals before the first one are lost. */
  readonly dropped: boolean;
  readonly pieces: readonly ReportedInterval[];
  /** Offset from that run's clock to the server's; undefined if it never reached the server. */
  readonly offset: number | undefined;
}

/** Intervals on disk that are not uploaded yet. */
export interface Spool {
  /**
   * Saves ended and open intervals of a source in one transaction. A full disk is reported, and the next call retries.
   */
  readonly write: (source: string, ended: readonly ReportedInterval[], going: readonly ReportedInterval[]) => void;
  /** Returns the next batch of at most `maxCount` intervals. */
  readonly next: (maxCount: number) => Batch | undefined;
  /** Removes the intervals of a run that the server has, up to this number. */
  readonly forget: (turn: number, upTo: number) => void;
  /** Stores the offset from this run's clock to the server's. */
  readonly saveOffset: (offset: number) => void;
  readonly countReports: () => { readonly waiting: number; readonly lost: number };
  readonly close: () => void;
}

export interface SpoolOptions {
  readonly folder: string;
  readonly print: (line: string) => void;
  readonly mostBytes?: number;
  /** Last sign of life of the previous run, by its own clock. Open intervals of `source` ended then. */
  readonly lived?: { readonly source: string; readonly until: number } | undefined;
}

type Row = Readonly<Record<string, null | number | bigint | string | Uint8Array>>;

const toInterval = ({ app, status, begins, ends, title }: Row): ReportedInterval => ({
  app: String(app),
  status: String(status) as Status,
  from: Number(begins),
  until: Number(ends),
  ...(typeof title === 'string' ? { title } : {}),
});

const estimateBytes = ({ app, title = '' }: ReportedInterval): number => 3 * (app.length + title.length) + 100;

const tables = `
  create table if not exists run (turn integer primary key autoincrement, boot text not null, last integer not null, gone integer not null, off_by real);
  create table if not exists piece (turn integer not null, seq integer not null, app text not null, status text not null,
    begins integer not null, ends integer not null, title text, primary key (turn, seq)) without rowid;
  create table if not exists going (source text not null, app text not null, status text not null, begins integer not null, ends integer not null, title text);
`;

const connect = (path: string, mostBytes: number) => {
  // Loaded at run time: with an import of node:sqlite, an old Node would fail before the version check.
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

/** SQLite error codes for a file that is corrupt or not a database. */
const BROKEN: readonly unknown[] = [11, 26];

/** Opens the database. Moves an unreadable one aside: its content is lost, but new intervals are saved. */
const openOrReplace = (path: string, { print, mostBytes = MAX_BYTES }: SpoolOptions) => {
  try {
    return connect(path, mostBytes);
  } catch (error) {
    if (!(error instanceof Error && 'errcode' in error && BROKEN.includes(error.errcode))) throw error;
    print(`${path} cannot be read (${error.message}). It was renamed and a new one was created`);
    for (const end of ['-wal', '-shm', '']) if (existsSync(path + end)) renameSync(path + end, `${path}.broken${end}`);
    return connect(path, mostBytes);
  }
};

/** An interval with its number. */
interface NumberedInterval {
  readonly seq: number;
  readonly piece: ReportedInterval;
}

/** Counts the intervals of a folder while the spool is closed; 0 if it can't be read. */
export function countWaiting(folder: string): number {
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

/**
 * Opens the spool in `<folder>/usage.db`.
 * @throws if the folder is not writable.
 */
export function openSpool(options: SpoolOptions): Spool {
  const { folder, print, lived } = options;
  const db = openOrReplace(join(folder, 'usage.db'), options);
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
  const cleanUp = db.prepare('delete from run where turn < ? and turn not in (select turn from piece)');
  const setOffset = db.prepare('update run set off_by = ? where turn = ?');
  const count = db.prepare('select count(*) as pieces from piece');

  /** Number of this run; undefined until it is stored. */
  let turn: number | undefined;
  let last = 0;
  let lost = 0;
  let isFull = false;
  let unwritten: readonly NumberedInterval[] = [];
  const openBySource = new Map<string, readonly ReportedInterval[]>();

  const runInTransaction = (work: () => void): void => {
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

  /** Ends the open intervals of the previous run, which was killed. */
  const endPreviousRun = (): void => {
    const before = lastRun.get();
    if (!before) return;
    const rows = allGoing.all();
    // Open intervals count until they were last written. Others had ended, and only waited to be classified.
    const newest = Math.max(...rows.map(({ source, ends }) => (source === lived?.source ? Number(ends) : 0)));
    const openIntervals = rows.map((row) => {
      const interval = toInterval(row);
      const isOngoing = row['source'] === lived?.source && interval.until === newest;
      return isOngoing ? { ...interval, until: Math.max(newest, lived?.until ?? 0) } : interval;
    });
    let seq = Number(before['last']);
    for (const interval of openIntervals.flatMap(splitInterval)) {
      seq += 1;
      add(Number(before['turn']), { seq, piece: interval });
    }
    setLast.run(seq, Number(before['turn']));
    db.exec('delete from going');
  };
  const startRun = (): number => {
    endPreviousRun();
    const run = Number(addRun.get(crypto.randomUUID())?.['turn']);
    cleanUp.run(run);
    return run;
  };
  const writePart = (part: readonly NumberedInterval[]): void => {
    let run = turn;
    runInTransaction(() => {
      run ??= startRun();
      for (const one of part) add(run, one);
      for (const [source, going] of openBySource) {
        clearGoing.run(source);
        for (const { app, status, from, until, title } of going)
          addGoing.run(source, app, status, from, until, title ?? null);
      }
      setLast.run(part.at(-1)?.seq ?? last, run);
    });
    turn = run;
    unwritten = unwritten.slice(part.length);
  };
  /** Writes in batches, so that delayed intervals don't need the free space all at once. */
  const writeAll = (): void => {
    do writePart(unwritten.slice(0, WRITE_BATCH_SIZE));
    while (unwritten.length > 0);
    openBySource.clear();
  };
  const handleFullDisk = (error: unknown): void => {
    lost += Math.max(0, unwritten.length - MAX_UNWRITTEN);
    unwritten = unwritten.slice(0, MAX_UNWRITTEN);
    if (isFull) return;
    isFull = true;
    const reason = error instanceof Error ? error.message : 'unknown error';
    print(`Cannot store the usage of this computer: ${reason}. Earlier records are safe`);
  };
  const write: Spool['write'] = (source, ended, going) => {
    const parts = ended.flatMap(splitInterval);
    unwritten = [...unwritten, ...parts.map((interval, index) => ({ seq: last + 1 + index, piece: interval }))];
    last += parts.length;
    openBySource.set(source, going);
    try {
      writeAll();
    } catch (error) {
      handleFullDisk(error);
      return;
    }
    if (isFull) print(`The usage of this computer is stored again${lost > 0 ? `. Records lost: ${lost}` : ''}`);
    isFull = false;
  };
  write('', [], []);

  return {
    write,
    next: (maxCount) => {
      const run = firstRun.get();
      if (!run) return undefined;
      const rows = firstPieces.all(Number(run['turn']), maxCount);
      const first = Number(rows[0]?.['seq']);
      const intervals: ReportedInterval[] = [];
      let bytes = 0;
      for (const [index, row] of rows.entries()) {
        const interval = toInterval(row);
        bytes += estimateBytes(interval);
        if (Number(row['seq']) !== first + index || (index > 0 && bytes > MAX_BATCH_BYTES)) break;
        intervals.push(interval);
      }
      const { off_by: offset } = run;
      return {
        turn: Number(run['turn']),
        boot: String(run['boot']),
        seq: first,
        dropped: first > Number(run['gone']) + 1,
        pieces: intervals,
        offset: typeof offset === 'number' ? offset : undefined,
      };
    },
    forget: (of, upTo) =>
      runInTransaction(() => {
        dropPieces.run(of, upTo);
        setGone.run(upTo, of);
        if (turn !== undefined) cleanUp.run(turn);
      }),
    saveOffset: (offset) => {
      if (turn !== undefined) setOffset.run(offset, turn);
    },
    countReports: () => ({ waiting: Number(count.get()?.['pieces']) + unwritten.length, lost }),
    close: () => db.close(),
  };
}
