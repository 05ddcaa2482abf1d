import { SCREEN_HEIGHT, SCREEN_WIDTH } from './screenState.ts';

const STYLE = `
  * { box-sizing: border-box; margin: 0; }
  html, body { height: 100%; }
  body { font: 15px/1.45 system-ui, sans-serif; color: #1c2333; background: #dfe5ee; overflow: hidden; }
  #desk { position: relative; height: 100%; display: grid; grid-template: auto minmax(0, 1fr) / minmax(0, 1fr) 300px;
    gap: 20px; padding: 0 20px 20px; background: linear-gradient(150deg, #a9c5dd 0%, #cfdcec 45%, #e9d9c9 100%); }
  header { grid-column: 1 / 3; margin: 0 -20px; padding: 7px 20px; display: flex; gap: 18px; color: #f3f6fb;
    background: #263248; font-size: 14px; }
  header b { font-weight: 600; }
  #clock { margin-left: auto; font-variant-numeric: tabular-nums; }
  #recording { color: #ff9c93; }
  section { display: flex; flex-direction: column; border-radius: 10px; background: #fff; overflow: hidden;
    box-shadow: 0 8px 30px rgb(20 30 60 / 22%); }
  h2 { padding: 9px 14px; font-size: 13px; font-weight: 600; color: #4a556b; background: #eef1f6; }
  #text { flex: 1; padding: 22px 26px; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere;
    font: 19px/1.6 Georgia, 'DejaVu Serif', serif; tab-size: 4; }
  #text::after { content: ''; display: inline-block; width: 2px; height: 1.15em; margin-left: 1px; background: #2563c9;
    vertical-align: text-bottom; animation: blink 1.1s steps(2) infinite; }
  @keyframes blink { 50% { opacity: 0; } }
  #side { display: flex; flex-direction: column; gap: 20px; min-height: 0; }
  ol, ul { list-style: none; padding: 10px 14px 14px; }
  #log { min-height: 96px; }
  #log li { padding: 3px 0; color: #697488; }
  #log li:first-child { color: #1c2333; font-weight: 600; }
  #sound li { display: grid; grid-template-columns: 1fr auto; gap: 0 8px; padding: 5px 0; }
  #sound meter { grid-column: 1 / 3; width: 100%; height: 10px; }
  #sound .muted { color: #9aa3b2; text-decoration: line-through; }
  #notification { position: absolute; right: 20px; bottom: 20px; width: 300px; padding: 12px 16px; border-radius: 10px;
    color: #f3f6fb; background: #263248; box-shadow: 0 8px 30px rgb(20 30 60 / 35%); overflow-wrap: anywhere; }
  #body { white-space: pre-line; }
  #pointer { position: absolute; left: 0; top: 0; width: 20px; height: 20px; pointer-events: none;
    filter: drop-shadow(0 1px 2px rgb(0 0 0 / 45%)); }
  [hidden] { display: none !important; }
  @media (max-width: 700px) {
    #desk { grid-template: auto minmax(0, 1fr) auto / minmax(0, 1fr); gap: 12px; padding: 0 12px 12px; }
    header { grid-column: 1; margin: 0 -12px; }
    #sound-window { display: none; }
  }
  @media (prefers-reduced-motion: reduce) { #text::after { animation: none; } }
`;

const SCRIPT = `
  const find = (id) => document.getElementById(id);
  const createLine = (text) => Object.assign(document.createElement('li'), { textContent: text });
  const createLevel = ({ name, level, muted }) => {
    const line = createLine(name);
    const value = Object.assign(document.createElement('span'), { textContent: muted ? 'muted' : level + ' %' });
    const meter = Object.assign(document.createElement('meter'), { max: 100, value: muted ? 0 : level });
    meter.setAttribute('aria-label', name);
    line.className = muted ? 'muted' : '';
    line.append(value, meter);
    return line;
  };
  let notified = 0;
  let timer;
  const showNotification = (notification) => {
    if (!notification || notification.count === notified) return;
    notified = notification.count;
    find('title').textContent = notification.title;
    find('body').textContent = notification.text;
    find('notification').hidden = false;
    clearTimeout(timer);
    timer = setTimeout(() => { find('notification').hidden = true; }, 8000);
  };
  const render = ({ text, log, pointer, sound, notification, isRecording }) => {
    const editor = find('text');
    if (editor.textContent !== text) {
      editor.textContent = text;
      editor.scrollTop = editor.scrollHeight;
    }
    find('log').replaceChildren(...log.map((line) => createLine(line.text)));
    find('sound').replaceChildren(...[...sound.outputs, ...sound.sessions].map(createLevel));
    find('recording').hidden = !isRecording;
    const x = (pointer.x / ${SCREEN_WIDTH}) * (innerWidth - 12);
    const y = (pointer.y / ${SCREEN_HEIGHT}) * (innerHeight - 16);
    find('pointer').style.transform = 'translate(' + x + 'px,' + y + 'px)';
    showNotification(notification);
  };
  const events = new EventSource(location.pathname + '/events');
  events.onmessage = ({ data }) => {
    find('state').textContent = 'connected';
    render(JSON.parse(data));
  };
  events.onerror = () => { find('state').textContent = 'not connected'; };
  const tick = () => {
    find('clock').textContent = new Date().toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  };
  tick();
  setInterval(tick, 5000);
`;

/** Formats the page of the simulated computer's screen. The nonce allows its own style and script. */
export function formatScreenPage(name: string, nonce: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Screen of ${name}</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<main id="desk">
  <header><b>${name}</b> <span>simulated, <span id="state">connecting</span></span>
    <span id="recording" hidden>● Recording</span> <span id="clock"></span></header>
  <section aria-label="Editor"><h2>Letter.txt – Writer</h2><div id="text" role="log"></div></section>
  <div id="side">
    <section aria-label="What arrives"><h2>What arrives here</h2><ol id="log"></ol></section>
    <section id="sound-window" aria-label="Volume"><h2>Volume</h2><ul id="sound"></ul></section>
  </div>
  <div id="notification" role="status" hidden><b id="title"></b><p id="body"></p></div>
  <svg id="pointer" viewBox="0 0 20 20" aria-hidden="true"><path d="M2 1v15l4-4 3 7 3-1-3-7h6z" fill="#fff"
    stroke="#1c2333" stroke-width="1.2"/></svg>
</main>
<script nonce="${nonce}">${SCRIPT}</script>
</body>
</html>
`;
}

/** Formats the CSP of that page: nothing but its own style, script and event stream. */
export function formatScreenCsp(nonce: string): string {
  return [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
