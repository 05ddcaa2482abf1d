// The simplest program that types what it receives: node:http and an xdotool process per text.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';

createServer((request, response) => {
  if (request.method === 'GET') return response.end('up');
  let text = '';
  request.on('data', (piece) => (text += piece));
  request.on('end', () => spawn('xdotool', ['type', text]).on('exit', () => response.end('ok')));
}).listen(Number(process.env['PORT']), '127.0.0.1');
