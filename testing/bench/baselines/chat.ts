// The simplest program that shows messages of one browser in another: one page, and a socket that sends to all others.
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

const page = `<!doctype html><title>chat</title><input><ol></ol><script>
const socket = new WebSocket(location.origin.replace('http', 'ws'));
const show = (text) => document.querySelector('ol').append(Object.assign(document.createElement('li'), { textContent: text }));
socket.onopen = () => (document.body.dataset.open = 'yes');
socket.onmessage = async ({ data }) => show(typeof data === 'string' ? data : await data.text());
document.querySelector('input').onkeydown = ({ key, target }) => {
  if (key !== 'Enter') return;
  socket.send(target.value);
  show(target.value);
  target.value = '';
};
</script>`;
const http = createServer((_, response) => response.setHeader('content-type', 'text/html').end(page)).listen(
  Number(process.env['PORT']),
  '127.0.0.1',
);
const sockets = new WebSocketServer({ server: http, perMessageDeflate: false });
sockets.on('connection', (socket) =>
  socket.on('message', (data, isBinary) => {
    for (const other of sockets.clients) if (other !== socket) other.send(data, { binary: isBinary });
  }),
);
