// The simplest program that stores heartbeats: node:http, and one SQLite row with synchronous FULL each.
// Reads sum up rows.
import { createServer } from 'node:http';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';

interface Heartbeat {
  readonly app: string;
  readonly status: string;
  readonly from: number;
  readonly until: number;
}

const db = new Sqlite(join(process.env['DATA_DIR'] ?? '', 'heartbeats.db'));
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec(`create table heartbeat (device text, app text, status text, from_time integer, until_time integer);
  create index heartbeat_time on heartbeat (from_time)`);
const insert = db.prepare('insert into heartbeat values (?, ?, ?, ?, ?)');
const insertAll = db.transaction((device: string, segments: readonly Heartbeat[]) => {
  for (const { app, status, from, until } of segments) insert.run(device, app, status, from, until);
});
const selectSums = db.prepare(
  "select app, sum(until_time - from_time) as used from heartbeat where status = 'on' and from_time >= ? group by app",
);

createServer((request, response) => {
  function respond(body: unknown): void {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  }
  if (request.method === 'GET') {
    const from = Number(new URL(request.url ?? '', 'http://here').searchParams.get('from') ?? Date.now());
    respond(selectSums.all(from));
    return;
  }
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const { segments } = JSON.parse(Buffer.concat(parts).toString()) as { readonly segments: readonly Heartbeat[] };
    insertAll(request.headers.authorization ?? '', segments);
    respond({ message: 'ok' });
  });
}).listen(Number(process.env['PORT']), '127.0.0.1');
