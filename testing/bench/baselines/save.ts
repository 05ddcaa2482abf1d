// The simplest program that saves from a page:
// a bare page with fetch to node:http, and one insert into SQLite with synchronous FULL.
import { createServer } from 'node:http';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';

const PAGE = `<!doctype html><title>Save</title><input id="name"><button>Save</button><script>
document.querySelector('button').onclick = async ({ target }) => {
  target.textContent = 'Saving';
  const body = JSON.stringify({ name: document.querySelector('input').value });
  const answer = await fetch('/save', { method: 'POST', body });
  target.textContent = (await answer.json()).message === 'ok' ? 'Saved' : 'failed to save';
};
document.querySelector('input').oninput = () => { document.querySelector('button').textContent = 'Not saved'; };
</script>`;

const db = new Sqlite(join(process.env['DATA_DIR'] ?? '', 'saved.db'));
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec('create table event (id integer primary key, name text not null)');
const insert = db.prepare('insert into event (name) values (?)');

createServer((request, response) => {
  if (request.method === 'GET') {
    response.setHeader('content-type', 'text/html').end(PAGE);
    return;
  }
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const { name } = JSON.parse(Buffer.concat(parts).toString()) as { readonly name: string };
    insert.run(name);
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ message: 'ok' }));
  });
}).listen(Number(process.env['PORT']), '127.0.0.1');
