// The simplest shared list: a page with items in localStorage, each change sent over a bare WebSocket to all others.
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

const PAGE = `<!doctype html><meta charset="utf-8"><title>list</title><ul></ul><script>
const list = document.querySelector('ul');
const items = JSON.parse(localStorage.getItem('items') ?? '[{"name":"Milk","amount":0}]');
const rows = items.map(({ name, amount }) => {
  const row = document.createElement('li');
  row.dataset.item = name;
  const button = document.createElement('button');
  button.textContent = '+';
  button.setAttribute('aria-label', 'One more ' + name);
  const shown = document.createElement('b');
  shown.textContent = String(amount);
  row.append(name, ' ', shown, button);
  list.append(row);
  return { row, shown, button };
});
const socket = new WebSocket(location.origin.replace('http', 'ws'));
const show = (index, amount) => { rows[index].shown.textContent = String(amount); };
rows.forEach(({ button }, index) => button.addEventListener('click', () => {
  items[index].amount += 1;
  show(index, items[index].amount);
  localStorage.setItem('items', JSON.stringify(items));
  socket.send(JSON.stringify([index, items[index].amount]));
}));
socket.addEventListener('open', () => { document.title = 'open'; });
socket.addEventListener('message', ({ data }) => {
  const [index, amount] = JSON.parse(data);
  items[index].amount = amount;
  show(index, amount);
});
</script>`;

const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
});
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
sockets.on('connection', (socket) => {
  socket.on('message', (data, binary) => {
    for (const other of sockets.clients) if (other !== socket) other.send(data, { binary });
  });
});
server.listen(Number(process.env['PORT']), '127.0.0.1');
