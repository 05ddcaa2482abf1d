// The simplest program that shows an AI server's answer in a page:
// a question by ws, its stream read with fetch, pieces passed on.
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

const http = createServer((_, response) => void response.end('ok'));
const sockets = new WebSocketServer({ server: http, perMessageDeflate: false });

interface Line {
  readonly choices: readonly { readonly delta: { readonly content?: string } }[];
}

sockets.on('connection', (socket) =>
  socket.on('message', (prompt) => {
    async function ask(): Promise<void> {
      const response = await fetch(`${process.env['AI_BASE_URL'] ?? ''}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'test-model',
          stream: true,
          messages: [{ role: 'user', content: (prompt as Buffer).toString() }],
        }),
      });
      let remainder = '';
      for await (const part of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
        const lines = (remainder + part).split('\n\n');
        remainder = lines.pop() ?? '';
        for (const line of lines.filter((candidate) => candidate.startsWith('data: {'))) {
          const text = (JSON.parse(line.slice('data: '.length)) as Line).choices[0]?.delta.content;
          if (text !== undefined) socket.send(text);
        }
      }
    }
    void ask();
  }),
);
http.listen(Number(process.env['PORT']), process.env['HOST']);
