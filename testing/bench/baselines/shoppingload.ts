// The simplest program that broadcasts changes: a bare `ws` relay whose messages also return to their senders.
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

const http = createServer((_, response) => response.end('up')).listen(Number(process.env['PORT']), '127.0.0.1');
const sockets = new WebSocketServer({ server: http, perMessageDeflate: false });
sockets.on('connection', (socket) =>
  socket.on('message', (data, isBinary) => {
    for (const other of sockets.clients) other.send(data, { binary: isBinary });
  }),
);
