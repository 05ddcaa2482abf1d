// The simplest program that stores a list: node:http, the whole list as JSON, and one insert into SQLite with
// synchronous FULL per change.
import { createServer } from 'node:http';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';

interface List {
  readonly items: Record<string, { actualquantity: number }>;
}

const db = new Sqlite(join(process.env['DATA_DIR'] ?? '', 'list.db'));
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec('create table list (id integer primary key, value text not null)');
const insert = db.prepare('insert or replace into list (id, value) values (1, ?)');
let list: List = { items: {} };

createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    if (request.method === 'GET') return response.end('up');
    const sent: unknown = JSON.parse(Buffer.concat(parts).toString());
    if (request.url === '/list') list = sent as List;
    else {
      const { item, actualquantity } = sent as { readonly item: string; readonly actualquantity: number };
      const changed = list.items[item];
      if (changed) changed.actualquantity = actualquantity;
    }
    insert.run(JSON.stringify(list));
    return response.setHeader('content-type', 'application/json').end(JSON.stringify({ message: 'ok' }));
  });
}).listen(Number(process.env['PORT']), '127.0.0.1');
