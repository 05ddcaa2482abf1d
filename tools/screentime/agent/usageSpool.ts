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
  readonly run: number;
  readonly boot: string;
  readonly seq: number;
  /** Whether the intervals before the first one are lost. */
  readonly dropped: boolean;
  readonly intervals: readonly ReportedInterval[];
  /** Offset from that run's clock to the server's; undefined if it never reached the server. */
  readonly offset: number | undefined;
}

/** Intervals on disk that are not uploaded yet. */
export interface Spool {
  /**
   * Saves ended and open intervals of a source in one transaction. A full disk is reported, and the next call retries.
   */
  readonly write: (source: string, ended: readonly ReportedInterval[], open: readonly ReportedInterval[]) => void;
  /** Returns the next batch of at most `maxCount` intervals. */
  readonly getNextBatch: (maxCount: number) => Batch | undefined;
  /** Removes the intervals of a run that the server has, up to this number. */
  readonly removeUpTo: (run: number, seq: number) => void;
  /** Stores the offset from this run's clock to the server's. */
  readonly saveOffset: (offset: number) => void;
  readonly countReports: () => { readonly waiting: number; readonly lost: number };
  readonly close: () => void;
}

export interface SpoolOptions {
  readonly folder: string;
  readonly print: (line: string) => void;
  readonly maxBytes?: number;
  /** Last sign of life of the previous run, by its own clock. Open intervals of `source` ended then. */
  readonly lastSignOfLife?: { readonly source: string; readonly until: number } | undefined;
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

const CREATE_TABLES = `
  create table if not exists run (turn integer primary key autoincrement, boot text not null, last integer not null, gone integer not null, off_by real);
  create table if not exists piece (turn integer not null, seq integer not null, app text not null, status text not null,
    begins integer not null, ends integer not null, title text, primary key (turn, seq)) without rowid;
  create table if not exists going (source text not null, app text not null, status text not null, begins integer not null, ends integer not null, title text);
`;

function openDatabase(path: string, maxBytes: number) {
  // Loaded at run time: with an import of node:sqlite, an old Node would fail before the version check.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const db = new DatabaseSync(path);
  try {
    chmodSync(path, 0o600);
    db.exec(`pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 2000;
      pragma max_page_count = ${Math.floor(maxBytes / PAGE_BYTES)}; pragma journal_size_limit = 1048576`);
    db.exec(CREATE_TABLES);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** SQLite error codes for a file that is corrupt or not a database. */
const CORRUPT_FILE_CODES: readonly unknown[] = [11, 26];

/** Opens the database. Moves an unreadable one aside: its content is lost, but new intervals are saved. */
function openOrReplace(path: string, { print, maxBytes = MAX_BYTES }: SpoolOptions) {
  try {
    return openDatabase(path, maxBytes);
  } catch (error) {
    if (!(error instanceof Error && 'errcode' in error && CORRUPT_FILE_CODES.includes(error.errcode))) throw error;
    print(`${path} cannot be read (${error.message}). It was renamed and a new one was created`);
    for (const suffix of ['-wal', '-shm', ''])
      if (existsSync(path + suffix)) renameSync(path + suffix, `${path}.broken${suffix}`);
    return openDatabase(path, maxBytes);
  }
}

/** An interval with its number. */
interface NumberedInterval {
  readonly seq: number;
  readonly interval: ReportedInterval;
}

/** Counts the intervals of a folder while the spool is closed; 0 if it can't be read. */
export function countWaiting(folder: string): number {
  const path = join(folder, 'usage.db');
  if (!existsSync(path)) return 0;
  try {
    const db = openDatabase(path, MAX_BYTES);
    try {
      const query = 'select (select count(*) from piece) + (select count(*) from going where ends > begins) as pieces';
      return Number(db.prepare(query).get()?.['pieces']);
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
  const { folder, print, lastSignOfLife } = options;
  const db = openOrReplace(join(folder, 'usage.db'), options);
  const selectLastRun = db.prepare('select * from run order by turn desc limit 1');
  const insertRun = db.prepare('insert into run (boot, last, gone) values (?, 0, 0) returning turn');
  const setLast = db.prepare('update run set last = ? where turn = ?');
  const insertPiece = db.prepare(
    'insert into piece (turn, seq, app, status, begins, ends, title) values (?, ?, ?, ?, ?, ?, ?)',
  );
  const selectOpen = db.prepare('select * from going');
  const deleteOpen = db.prepare('delete from going where source = ?');
  const insertOpen = db.prepare(
    'insert into going (source, app, status, begins, ends, title) values (?, ?, ?, ?, ?, ?)',
  );
  const selectFirstRun = db.prepare('select * from run where turn = (select min(turn) from piece)');
  const selectFirstPieces = db.prepare('select * from piece where turn = ? order by seq limit ?');
  const deletePieces = db.prepare('delete from piece where turn = ? and seq <= ?');
  const setGone = db.prepare('update run set gone = max(gone, ?) where turn = ?');
  const deleteEmptyRuns = db.prepare('delete from run where turn < ? and turn not in (select turn from piece)');
  const setOffset = db.prepare('update run set off_by = ? where turn = ?');
  const countPieces = db.prepare('select count(*) as pieces from piece');

  /** Number of this run; undefined until it is stored. */
  let currentRun: number | undefined;
  let lastSeq = 0;
  let lostCount = 0;
  let isFull = false;
  let unwritten: readonly NumberedInterval[] = [];
  const openBySource = new Map<string, readonly ReportedInterval[]>();

  function runInTransaction(work: () => void): void {
    db.exec('begin immediate');
    try {
      work();
      db.exec('commit');
    } catch (error) {
      if (db.isTransaction) db.exec('rollback');
      throw error;
    }
  }
  const insertInterval = (
    run: number,
    { seq, interval: { app, status, from, until, title } }: NumberedInterval,
  ): void => void insertPiece.run(run, seq, app, status, from, until, title ?? null);

  /** Ends the open intervals of the previous run, which was killed. */
  function endPreviousRun(): void {
    const previousRun = selectLastRun.get();
    if (!previousRun) return;
    const rows = selectOpen.all();
    // Open intervals count until they were last written. Others had ended, and only waited to be classified.
    const newest = Math.max(...rows.map(({ source, ends }) => (source === lastSignOfLife?.source ? Number(ends) : 0)));
    const openIntervals = rows.map((row) => {
      const interval = toInterval(row);
      const isOngoing = row['source'] === lastSignOfLife?.source && interval.until === newest;
      return isOngoing ? { ...interval, until: Math.max(newest, lastSignOfLife?.until ?? 0) } : interval;
    });
    let seq = Number(previousRun['last']);
    for (const interval of openIntervals.flatMap(splitInterval)) {
      seq += 1;
      insertInterval(Number(previousRun['turn']), { seq, interval });
    }
    setLast.run(seq, Number(previousRun['turn']));
    db.exec('delete from going');
  }
  function startRun(): number {
    endPreviousRun();
    const run = Number(insertRun.get(crypto.randomUUID())?.['turn']);
    deleteEmptyRuns.run(run);
    return run;
  }
  function writeBatch(batch: readonly NumberedInterval[]): void {
    let run = currentRun;
    runInTransaction(() => {
      run ??= startRun();
      for (const interval of batch) insertInterval(run, interval);
      for (const [source, openIntervals] of openBySource) {
        deleteOpen.run(source);
        for (const { app, status, from, until, title } of openIntervals)
          insertOpen.run(source, app, status, from, until, title ?? null);
      }
      setLast.run(batch.at(-1)?.seq ?? lastSeq, run);
    });
    currentRun = run;
    unwritten = unwritten.slice(batch.length);
  }
  /** Writes in batches, so that delayed intervals don't need the free space all at once. */
  function writeAll(): void {
    do writeBatch(unwritten.slice(0, WRITE_BATCH_SIZE));
    while (unwritten.length > 0);
    openBySource.clear();
  }
  function handleFullDisk(error: unknown): void {
    lostCount += Math.max(0, unwritten.length - MAX_UNWRITTEN);
    unwritten = unwritten.slice(0, MAX_UNWRITTEN);
    if (isFull) return;
    isFull = true;
    const reason = error instanceof Error ? error.message : 'unknown error';
    print(`Cannot store the usage of this computer: ${reason}. Earlier records are safe`);
  }
  const write: Spool['write'] = (source, ended, openIntervals) => {
    const intervals = ended.flatMap(splitInterval);
    unwritten = [...unwritten, ...intervals.map((interval, index) => ({ seq: lastSeq + 1 + index, interval }))];
    lastSeq += intervals.length;
    openBySource.set(source, openIntervals);
    try {
      writeAll();
    } catch (error) {
      handleFullDisk(error);
      return;
    }
    if (isFull)
      print(`The usage of this computer is stored again${lostCount > 0 ? `. Records lost: ${lostCount}` : ''}`);
    isFull = false;
  };
  write('', [], []);

  return {
    write,
    getNextBatch: (maxCount) => {
      const run = selectFirstRun.get();
      if (!run) return undefined;
      const rows = selectFirstPieces.all(Number(run['turn']), maxCount);
      const firstSeq = Number(rows[0]?.['seq']);
      const intervals: ReportedInterval[] = [];
      let bytes = 0;
      for (const [index, row] of rows.entries()) {
        const interval = toInterval(row);
        bytes += estimateBytes(interval);
        if (Number(row['seq']) !== firstSeq + index || (index > 0 && bytes > MAX_BATCH_BYTES)) break;
        intervals.push(interval);
      }
      const { off_by: offset } = run;
      return {
        run: Number(run['turn']),
        boot: String(run['boot']),
        seq: firstSeq,
        dropped: firstSeq > Number(run['gone']) + 1,
        intervals,
        offset: typeof offset === 'number' ? offset : undefined,
      };
    },
    removeUpTo: (run, seq) =>
      runInTransaction(() => {
        deletePieces.run(run, seq);
        setGone.run(seq, run);
        if (currentRun !== undefined) deleteEmptyRuns.run(currentRun);
      }),
    saveOffset: (offset) => {
      if (currentRun !== undefined) setOffset.run(offset, currentRun);
    },
    countReports: () => ({ waiting: Number(countPieces.get()?.['pieces']) + unwritten.length, lost: lostCount }),
    close: () => db.close(),
  };
}
