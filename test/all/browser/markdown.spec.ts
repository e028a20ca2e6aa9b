import { answers } from '../../kit/ui/chat-steps.ts';
import { expect, test } from '../../kit/ui/kit.ts';
import { showAnswer } from '../../kit/ui/steps/markdown.ts';

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
