import type { Page } from 'playwright-core';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { AnswerOf } from '#platform/contract/call.ts';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import { PHONE_VIEWPORT, waitForIdle, WIDE_VIEWPORT, type OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { answerWithPrompt, answerWith, startAiServer, streamPieces } from '#testing/kits/chat/aiServer.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { aianswers, aiq } from '../contract.ts';

/** Settings are read when the server starts, so the AI server must run before it. */
const ai = await startAiServer();
const site = startTestSite({ rateLimits: false, environment: ai.environment });
afterAll(() => ai[Symbol.asyncDispose]());
beforeEach(() => ai.setScript(undefined));

async function openPage(options: OpenPageOptions = {}): Promise<Page> {
  const page = await site.browser.openPage(site.server.origin, '/qai', options);
  await page.getByRole('heading', { name: 'thing', level: 1 }).waitFor();
  await waitForIdle(page);
  return page;
}
const getPrompt = (page: Page) => page.getByRole('textbox', { name: 'prompt' });
const getAnswers = (page: Page) => page.getByRole('group', { name: 'Answers' });
const getButton = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
async function submitPrompt(page: Page, text: string): Promise<void> {
  await getPrompt(page).fill(text);
  await getButton(page, 'submit').click();
}

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

async function expectAnswer(options: OpenPageOptions): Promise<void> {
  const page = await openPage(options);
  await submitPrompt(page, 'How does a timer survive sleep?');
  const question = await ai.nextQuestion();
  expect(question.prompt).toBe('How does a timer survive sleep?');
  await page.getByText('answering').waitFor();
  question.sendPiece(SAMPLE);
  await getAnswers(page).getByRole('heading', { name: 'A timer that survives' }).waitFor();
  await getAnswers(page).getByRole('table').waitFor();
  await expect.poll(() => getPrompt(page).inputValue()).toBe('');
  expect(await findBarriers(page)).toEqual([]);
  await expect.poll(() => getAnswers(page).locator('[data-running]').count()).toBe(1);
  if (process.env['PICTURES'])
    await page.screenshot({ path: `${process.env['PICTURES']}/streaming-${options.size}-${options.scheme}.png` });
  question.end();
  await getButton(page, 'stop').waitFor({ state: 'detached' });
  await page
    .getByRole('status')
    .getByText(/^Answer finished\. ## A timer/)
    .waitFor({ state: 'attached' });
  await expect.poll(() => getAnswers(page).locator('[data-running]').count()).toBe(0);
}

describe.skipIf(site.skipReason)(`the AI page (${site.skipReason ?? 'in Chromium'})`, () => {
  test('shows an answer as markdown while it is written, accessibly', () => expectAnswer({ size: 'wide' }));
  test.for<OpenPageOptions>([{ scheme: 'dark' }, { size: 'phone' }, { size: 'phone', scheme: 'dark' }])(
    'shows an answer accessibly: %o',
    { tags: 'matrix' },
    expectAnswer,
  );

  test('by keyboard alone, Shift+Enter starts a line, Enter submits, and answers follow one another', async () => {
    const page = await openPage();
    ai.setScript(answerWithPrompt);
    await getPrompt(page).focus();
    await page.keyboard.type('first');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('line');
    await page.keyboard.press('Enter');
    await getAnswers(page).getByRole('article').first().locator('br').waitFor({ state: 'attached' });
    await expect.poll(() => getPrompt(page).inputValue()).toBe('');
    await page.keyboard.type('second');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Answer finished. second').waitFor({ state: 'attached' });
    await expect.poll(() => getAnswers(page).getByRole('article').count()).toBe(2);
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA');
  });

  test('chunks, and by the button the whole text, are written to the browser’s console', async () => {
    const page = await openPage();
    const lines: string[] = [];
    page.on('console', (message) => lines.push(message.text()));
    ai.setScript(answerWith('# one\n', 'two'));
    await submitPrompt(page, 'x');
    await page.getByRole('status').getByText('Answer finished.').waitFor({ state: 'attached' });
    expect(lines.join('')).toBe('# one\ntwo');
    lines.length = 0;
    await getButton(page, 'console').click();
    await expect.poll(() => lines).toEqual(['# one\ntwo']);
    // An answer that was requested in the specified way is shown as well.
    ai.setScript(answerWith('by fetch'));
    await page.evaluate((path) => fetch(`${path}?q=hello there&id=0`), aiq.path);
    await getAnswers(page).getByText('by fetch').waitFor();
  });

  test('stop ends the answer and keeps its text', async () => {
    const page = await openPage();
    await submitPrompt(page, 'x');
    const question = await ai.nextQuestion();
    question.sendPiece('as far as this');
    await getAnswers(page).getByText('as far as this').waitFor();
    await getButton(page, 'stop').click();
    await question.closed;
    await getAnswers(page).getByText('Stopped', { exact: true }).waitFor();
    await getAnswers(page).getByText('as far as this').waitFor();
    await getButton(page, 'stop').waitFor({ state: 'detached' });
  });

  test('after a reload running answers continue, and ended ones are under Earlier answers', async () => {
    const page = await openPage();
    ai.setScript(answerWith('It **was** so'));
    await submitPrompt(page, 'What was?');
    await getAnswers(page).getByText('It was so').waitFor();
    ai.setScript(undefined);
    await submitPrompt(page, 'What runs?');
    const question = await ai.nextQuestion();
    question.sendThought('What could run?');
    await getAnswers(page).getByText('Thinking…').waitFor();
    question.sendPiece('<think>Perhaps a timer.</think>One ');
    await getAnswers(page).getByText('One').waitFor();
    await page.reload();
    await getAnswers(page).getByText('One').waitFor();
    expect(await getAnswers(page).getByText('Perhaps a timer.').isVisible()).toBe(false);
    await getAnswers(page).getByText('Thoughts', { exact: true }).click();
    await getAnswers(page).getByText('What could run?\n\nPerhaps a timer.').waitFor();
    question.sendPiece('and two');
    await getAnswers(page).getByText('One and two').waitFor();
    await expect.poll(() => getAnswers(page).getByText('It was so').count()).toBe(0);
    question.end();
    await page.getByRole('status').getByText('Answer finished. One and two').waitFor({ state: 'attached' });
    await page.getByText('answering').waitFor({ state: 'detached' });
    await getButton(page, 'Earlier answers').click();
    const dialog = page.getByRole('dialog', { name: 'Earlier answers' });
    await dialog.getByText('What was?').click();
    await dialog.getByText('It was so').waitFor();
    await expect.poll(() => dialog.getByText('What runs?').count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.reload();
    await waitForIdle(page);
    await expect.poll(() => getAnswers(page).getByRole('article').count()).toBe(0);
  });

  test('two pages of a browser show the same answer, another browser shows none', async () => {
    const page = await openPage();
    const visitor = await openPage();
    const second = await page.context().newPage();
    await second.goto(`${site.server.origin}/qai`);
    await waitForIdle(second);
    await submitPrompt(page, 'x');
    const question = await ai.nextQuestion();
    question.sendPiece('for both');
    for (const each of [page, second]) await getAnswers(each).getByText('for both').waitFor();
    question.end();
    for (const each of [page, second])
      await each.getByRole('status').getByText('Answer finished. for both').waitFor({ state: 'attached' });
    ai.setScript(answerWith('its own'));
    await submitPrompt(visitor, 'y');
    await getAnswers(visitor).getByText('its own').waitFor();
    await expect.poll(() => getAnswers(visitor).getByText('for both').count()).toBe(0);
  });

  test('hostile markdown runs no script, loads nothing and links nowhere', async () => {
    const page = await openPage();
    const requestedUrls: string[] = [];
    page.on('request', (request) => requestedUrls.push(request.url()));
    ai.setScript(
      answerWith(
        '<script>document.title = "run"</script>\n\n<img src=x onerror="document.title = \'run\'">\n\n',
        '[one](javascript:document.title="run") [two](data:text/html,x) [three](//evil.example) [four](https://good.example)\n\n',
        '![tracker](https://evil.example/pixel.png) [![in](https://a.example/b.png)](https://c.example)\n\n',
        '<iframe src="https://evil.example"></iframe><https://auto.example> www.bare.example\n\n',
        `${'>'.repeat(20_000)} deep\n\n`,
        `${'[a]('.repeat(3000)}\n\n${'x'.repeat(40_000)}\n\nthe end`,
      ),
    );
    await submitPrompt(page, 'x');
    await page
      .getByRole('status')
      .getByText(/^Answer finished/)
      .waitFor({ state: 'attached' });
    await getAnswers(page).getByText('the end').waitFor();
    expect(await page.title()).not.toBe('run');
    await expect.poll(() => getAnswers(page).locator('script, img, iframe').count()).toBe(0);
    expect(requestedUrls.filter((url) => !url.startsWith(site.server.origin))).toEqual([]);
    expect(
      await getAnswers(page)
        .locator('a')
        .evaluateAll((links) => links.every((link) => link.getAttribute('rel') === 'noopener noreferrer nofollow')),
    ).toBe(true);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  });

  test('allowed links open in a new page, images are links, and code can be copied', async () => {
    const page = await openPage();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    ai.setScript(
      answerWith(
        '[one](javascript:alert(1)) [two](//evil.example) [four](https://good.example) [five](/pagerouter)\n\n',
        '![tracker](https://evil.example/pixel.png) [![in](https://a.example/b.png)](https://c.example)\n\n```\na < b\n  c\n```',
      ),
    );
    await submitPrompt(page, 'x');
    await page
      .getByRole('status')
      .getByText(/^Answer finished/)
      .waitFor({ state: 'attached' });
    // The markdown renderer loads when it is first needed.
    await getAnswers(page).getByRole('link', { name: 'four' }).waitFor();
    const links = await getAnswers(page)
      .locator('a')
      .evaluateAll((all) =>
        all.map((link) => [link.textContent, link.getAttribute('href'), link.getAttribute('target')]),
      );
    expect(links).toEqual([
      ['four', 'https://good.example', '_blank'],
      ['five', '/pagerouter', '_blank'],
      ['Image: tracker', 'https://evil.example/pixel.png', '_blank'],
      ['Image: in', 'https://c.example', '_blank'],
    ]);
    await getAnswers(page).getByRole('group', { name: 'Code' }).hover();
    await getButton(page, 'Copy code').click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('a < b\n  c');
  });

  test('a failed answer says why, and its prompt can be sent again', async () => {
    const page = await openPage({ size: 'phone' });
    ai.setScript(({ fail }) => fail(401, 'no'));
    await submitPrompt(page, 'my long prompt');
    await getAnswers(page)
      .getByText('The AI server refused the key. Ask the owner of this server to check AI_API_KEY')
      .waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await getButton(page, 'Ask again').click();
    await expect.poll(() => getPrompt(page).inputValue()).toBe('my long prompt');
  });

  test('an empty prompt is refused with a sentence, and refused text stays in the field', async () => {
    const page = await openPage({ expects: /429/ });
    await getButton(page, 'submit').click();
    await page.getByRole('alert').getByText('Enter a prompt').waitFor();
    await page.route('**/api/aiq?*', (route) => route.fulfill({ status: 429, json: { message: 'Too many requests' } }));
    await submitPrompt(page, 'kept');
    await page.getByRole('alert').getByText('Network response was not ok', { exact: true }).waitFor();
    await page.getByText('Too many requests').waitFor();
    await expect.poll(() => getPrompt(page).inputValue()).toBe('kept');
    expect(await findBarriers(page)).toEqual([]);
  });

  test('offline the prompt stays, and text that was written meanwhile appears after reconnecting', async () => {
    const page = await openPage({ expects: /ERR_INTERNET_DISCONNECTED|WebSocket/ });
    await submitPrompt(page, 'x');
    const question = await ai.nextQuestion();
    question.sendPiece('before ');
    await getAnswers(page).getByText('before').waitFor();
    await page.context().setOffline(true);
    await submitPrompt(page, 'kept');
    await page.getByRole('alert').getByText('The server cannot be reached').waitFor();
    await expect.poll(() => getPrompt(page).inputValue()).toBe('kept');
    question.sendPiece('and after');
    question.end();
    await page.context().setOffline(false);
    await getAnswers(page).getByText('before and after').waitFor();
    await page.getByText('answering').waitFor({ state: 'detached' });
  });

  test('an answer that ended before the page listened is shown nevertheless', async () => {
    const connection = Promise.withResolvers<void>();
    const page = await site.browser.openPage(site.server.origin, '/qai', {
      before: (blank) =>
        blank.routeWebSocket('**/socket.io/**', async (socket) => {
          await connection.promise;
          socket.connectToServer();
        }),
    });
    ai.setScript(answerWith('said early'));
    const accepted = page.waitForResponse('**/api/aiq?*');
    await submitPrompt(page, 'x');
    const { answerid } = (await (await accepted).json()) as { readonly answerid: number };
    // With the cookies of this browser, which owns the answers.
    async function findState(): Promise<string | undefined> {
      const answer = await page.request.get(`${site.server.origin}${aianswers.path}`);
      const { answers: all } = (await answer.json()) as AnswerOf<typeof aianswers>;
      return all.find((one) => one.answerid === answerid)?.state;
    }
    await expect.poll(findState).toBe('done');
    connection.resolve();
    await getAnswers(page).getByText('said early').waitFor();
    await page.getByText('answering').waitFor({ state: 'detached' });
  });

  test('a prompt of 8,000 characters is sent, and a longer one is refused and stays in the field', async () => {
    const page = await openPage();
    ai.setScript(answerWith('ok'));
    const long = '世'.repeat(8000);
    await submitPrompt(page, `${long}!`);
    await page.getByRole('alert').getByText('The prompt is too long. Enter at most 8,000 characters').waitFor();
    await page.getByText('8001 / 8000').waitFor();
    expect((await getPrompt(page).inputValue()).length).toBe(8001);
    await submitPrompt(page, long);
    await getAnswers(page).getByText('ok', { exact: true }).waitFor();
  });

  test('a stream of 1,000 chunks a second never blocks the page', async () => {
    const page = await openPage();
    ai.setScript(streamPieces(3000, 1000, (number) => `word${number} ${number % 40 === 39 ? '\n\n' : ''}`));
    await submitPrompt(page, 'x');
    await getAnswers(page)
      .getByText(/\bword100\b/)
      .waitFor();
    await expect.poll(() => getPrompt(page).inputValue()).toBe('');
    // Keys work while the answer streams.
    await getPrompt(page).pressSequentially('typed meanwhile');
    await expect.poll(() => getPrompt(page).inputValue()).toBe('typed meanwhile');
    await getAnswers(page).getByText('word2999').waitFor();
    await page.getByText('answering').waitFor({ state: 'detached' });
    await expect.poll(() => getAnswers(page).locator('p', { hasText: /^word/ }).count()).toBe(75);
  });
});

test.skipIf(site.skipReason)('without an AI server the page explains the setup, and the prompt stays', async () => {
  await using server = await startServer();
  const page = await site.browser.openPage(server.origin, '/qai');
  await page.getByRole('region', { name: 'Not set up' }).getByText('AI_BASE_URL=').waitFor();
  await submitPrompt(page, 'hello');
  await page.getByRole('alert').getByText('This server has no AI. Ask the owner').waitFor();
  await expect.poll(() => getPrompt(page).inputValue()).toBe('hello');
  for (const [size, viewport] of [
    ['wide', WIDE_VIEWPORT],
    ['phone', PHONE_VIEWPORT],
  ] as const) {
    await page.setViewportSize(viewport);
    await waitForIdle(page);
    expect(await findBarriers(page)).toEqual([]);
    if (process.env['PICTURES'] !== undefined)
      await page.screenshot({ path: `${process.env['PICTURES']}/not-set-up-${size}.png` });
  }
  // The server stops before a page that is still open, whose socket could then not reconnect.
  await page.context().close();
});
