// The simplest program that shows another program's output: its lines are sent to a page immediately.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { WebSocketServer } from 'ws';

const server = createServer((_request, response) => response.end('ready'));
new WebSocketServer({ server }).on('connection', (socket) => {
  const child = spawn(process.env['PROGRAM'] ?? '', [], {
    cwd: process.env['DATA_DIR'],
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  createInterface(child.stdout).on('line', (line) => socket.send(line));
  const end = (): boolean => child.kill('SIGKILL');
  socket.once('close', end);
  process.once('exit', end);
});
server.listen(Number(process.env['PORT']), '127.0.0.1');
process.once('SIGTERM', () => process.exit());
