import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { echoes, says, startAiServer, streams, type AiServer } from '#testing/aiServer.ts';
import { findBarriers } from '#testing/axe.ts';
import { settle, type OpenOptions } from '#testing/browser.ts';
import { startServer } from '#testing/server.ts';
import { serveSite } from '#testing/site.ts';

/** Settings are read when the server starts: the AI server is there before it. */
let ai: AiServer;
const port = 20_000 + Math.floor(Math.random() * 20_000);
const site = serveSite({
  rateLimits: false,
  environment: { AI_BASE_URL: `http://127.0.0.1:${port}/v1`, AI_MODEL: 'test-model' },
});
beforeAll(async () => {
  ai = await startAiServer({ port });
});
afterAll(() => ai[Symbol.asyncDispose]());
beforeEach(() => ai.answer(undefined));

const open = async (options: OpenOptions = {}): Promise<Page> => {
  const page = await site.browser.open(site.server.origin, '/qai', options);
  await page.getByRole('heading', { name: 'thing', level: 1 }).waitFor();
  await settle(page);
  return page;
};
const prompt = (page: Page) => page.getByRole('textbox', { name: 'prompt' });
const answers = (page: Page) => page.getByRole('group', { name: 'Answers' });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const askFor = async (page: Page, text: string): Promise<void> => {
  await prompt(page).fill(text);
  await button(page, 'submit').click();
};

const SAMPLE = `## A timer that survives a sleeping laptop

Do not count ticks. Keep the moment at which the round ends, and work out the rest from the clock each time you draw:

\`\`\`js
const left = () => Math.max(0, endsAt - Date.now())

setInterval(() => {
  draw(left())
  if (left() === 0) ring()
}, 100)
\`\`\`

### Why this holds

1. A background tab may tick once a second, or once a minute. The clock does not care.
2. After sleep, the first draw shows the right time, and \`ring()\` comes at once if the end lies behind.
3. Pausing is one subtraction: keep \`left()\`, forget \`endsAt\`.

| browser | least wait | in background |
|---|---|---|
| Chromium | 4 ms | 1 s |
| Firefox | 4 ms | 1 s |

- [x] done
- [ ] open

> A quote
> with a hard break

The sound is the one thing that needs more: a page without focus may only play it if`;

describe.skipIf(site.lack)(`the AI page (${site.lack ?? 'in Chromium'})`, () => {
  test.for<OpenOptions>([
    { size: 'wide', scheme: 'light' },
    { size: 'phone', scheme: 'dark' },
    { size: 'wide', scheme: 'dark' },
    { size: 'phone', scheme: 'light' },
  ])('shows an answer as it is written, as markdown, and has no barrier: $size $scheme', async (options) => {
    const page = await open(options);
    await askFor(page, 'How does a timer survive sleep?');
    const question = await ai.question();
    expect(question.prompt).toBe('How does a timer survive sleep?');
    await page.getByText('answering').waitFor();
    question.piece(SAMPLE);
    await answers(page).getByRole('heading', { name: 'A timer that survives' }).waitFor();
    await answers(page).getByRole('table').waitFor();
    expect(await prompt(page).inputValue()).toBe('');
    expect(await findBarriers(page)).toEqual([]);
    expect(await answers(page).locator('[data-running]').count()).toBe(1);
    if (process.env['PICTURES'])
      await page.screenshot({ path: `${process.env['PICTURES']}/streaming-${options.size}-${options.scheme}.png` });
    question.end();
    await button(page, 'stop').waitFor({ state: 'detached' });
    await page
      .getByRole('status')
      .getByText(/^Answer finished\. ## A timer/)
      .waitFor({ state: 'attached' });
    expect(await answers(page).locator('[data-running]').count()).toBe(0);
  });
});
