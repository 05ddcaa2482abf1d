// The simplest program that maps a token to a name: node:http and a Map.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';

const names = new Map([[createHash('sha256').update('one').digest('hex'), 'owner']]);
createServer((request, response) => {
  let body = '';
  request.on('data', (piece) => (body += piece));
  request.on('end', () => {
    if (request.method === 'GET') return response.end('up');
    const { token } = JSON.parse(body) as { token: string };
    const username = names.get(createHash('sha256').update(token).digest('hex'));
    return response.setHeader('content-type', 'application/json').end(JSON.stringify({ message: 'ok', username }));
  });
}).listen(Number(process.env['PORT']), '127.0.0.1');
