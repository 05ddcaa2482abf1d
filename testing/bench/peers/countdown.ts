// The simplest timer: a page that subtracts a tenth of a second at every tick.
import { createServer } from 'node:http';

const PAGE = `<!doctype html><title>Timer</title><button id="start">Start</button><p role="timer"></p><script>
let left = 3600000
function draw() {
  document.body.dataset.left = left
  document.querySelector('[role=timer]').textContent = Math.ceil(left / 1000)
}
document.querySelector('#start').onclick = () => setInterval(() => { left -= 100; draw() }, 100)
draw()
</script>`;

createServer((_request, response) => response.setHeader('content-type', 'text/html').end(PAGE)).listen(
  Number(process.env['PORT']),
  process.env['HOST'],
);
