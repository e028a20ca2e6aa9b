import type { Locator, Page } from '@playwright/test';
import { expectAccessible } from '../../../kit/ui/axe.ts';
import { answers, beginChat, chatPath, composer, listRecords } from '../../../kit/ui/chat-steps.ts';
import { expect, test } from '../../../kit/ui/kit.ts';
import { pixel } from '../../../kit/ui/video-steps.ts';

const SEES = { model: 'aurora/aurora-large', protocol: 'chat' } as const;
const SEES_NOT = { model: 'borealis/borealis-chat', protocol: 'chat' } as const;

const findAttached = (page: Page) =>
  page.getByRole('list', { name: 'Attached' }).getByRole('listitem');
const sendButton = (page: Page) => page.getByRole('button', { name: 'Send', exact: true });

type Given = ReturnType<typeof pixel>;

const textFile = (name: string, text: string): Given => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(text),
});

async function attach(page: Page, ...files: readonly Given[]): Promise<void> {
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Attach images or text files' }).click();
  await (await choosing).setFiles([...files]);
}

/** Gives the page a file like the clipboard or the pointer does. */
async function give(page: Page, how: 'paste' | 'drop', { name, mimeType, buffer }: Given) {
  await page.evaluate(
    ([way, fileName, type, base64]) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], fileName, { type }));
      const rules = { bubbles: true, cancelable: true };
      const target = document.activeElement ?? document.body;
      if (way === 'paste') {
        target.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, ...rules }));
        return;
      }
      for (const step of ['dragenter', 'dragover', 'drop']) {
        const over = document.querySelector('.mantine-Dropzone-root') ?? target;
        over.dispatchEvent(new DragEvent(step, { dataTransfer: data, ...rules }));
      }
    },
    [how, name, mimeType, buffer.toString('base64')] as const,
  );
}

test('what an answer would cost is shown before it is sent, and grows with the message', async ({
  page,
  harness,
}) => {
  await beginChat(harness, page, { lanes: [SEES] });
  const cost = page.getByTitle(/^What the answers would cost/u);
  await expect(cost).toHaveCount(0);
  await composer(page).fill('Why is the sky blue?');
  await expect(cost).toHaveText(/^about \$0\.00\d+ \(sandbox, not charged\)$/u);
  const few = await cost.textContent();
  await composer(page).fill('Why is the sky blue? '.repeat(2_000));
  await expect(cost).not.toHaveText(few ?? '');
  await expect(cost).toHaveText(/^about \$0\.0[1-9]\d* \(sandbox, not charged\)$/u);
  await composer(page).fill('');
  await expect(cost).toHaveCount(0);
});

test('a draft and its files survive a reload and are cleared once sent', async ({
  page,
  harness,
}) => {
  const id = await beginChat(harness, page, { lanes: [SEES] });
  await composer(page).fill('Look at this');
  await attach(page, pixel('still.png'), textFile('notes.md', 'First line\nsecond line\n'));
  await expect(findAttached(page)).toHaveText([/still\.png/u, /notes\.md.*23 characters/u]);
  await expect(findAttached(page).getByRole('progressbar')).toHaveCount(0);
  await page.reload();
  await expect(findAttached(page)).toHaveText([/still\.png/u, /notes\.md/u]);
  await page.getByRole('button', { name: 'New conversation', exact: true }).click();
  await expect(composer(page)).toHaveValue('');
  await expect(findAttached(page)).toHaveCount(0);
  await page.goBack();
  await expect(composer(page)).toHaveValue('Look at this');
  await expect(findAttached(page)).toHaveCount(2);
  await expectAccessible(page);

  await composer(page).press('End');
  // Letters made of several keys end with Enter, too.
  await composer(page).dispatchEvent('keydown', { key: 'Enter', isComposing: true });
  await composer(page).press('Shift+Enter');
  await expect(composer(page)).toHaveValue('Look at this\n');
  await composer(page).evaluate((input) => {
    const press = () =>
      input.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }),
      );
    press();
    press();
  });
  await expect(answers(page, SEES.model)).toContainText('It sees 1 image (image/png');
  await expect(answers(page, SEES.model)).toContainText('second line');
  await expect(composer(page)).toHaveValue('');
  await expect(findAttached(page)).toHaveCount(0);
  expect(await listRecords(harness, 1)).toHaveLength(1);
  await page.goto(`${harness.windowUrl}${chatPath(id)}`);
  await expect(answers(page, SEES.model)).toBeVisible();
  await expect(composer(page)).toHaveValue('');

  const drafts = () => page.evaluate(() => Object.keys(localStorage).join(' '));
  await composer(page).fill('Not sent');
  await expect.poll(drafts).toContain(id);
  await (await harness.calls()).chat.remove({ id });
  await expect(page.getByText('This conversation was deleted')).toBeVisible();
  await expect.poll(drafts).not.toContain(id);
});

test('content that cannot be sent stays with a reason: images, binary files, too much text', async ({
  page,
  harness,
}) => {
  const id = await beginChat(harness, page, { lanes: [SEES_NOT] });
  await composer(page).fill('What is this?');
  await give(page, 'paste', pixel('pasted.png'));
  await give(page, 'drop', textFile('dropped.txt', 'dropped words'));
  await expect(findAttached(page)).toHaveText([/pasted\.png/u, /dropped\.txt/u]);
  const notice = page.getByText('No image support is listed for borealis/borealis-chat');
  await expect(notice).toBeVisible();
  await composer(page).press('Enter');
  await expect(page.getByRole('alert')).toHaveText('Choose what to do with the images first.');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Remove the images' }).click();
  await expect(findAttached(page)).toHaveText([/dropped\.txt/u]);

  await attach(page, { name: 'program.bin', mimeType: '', buffer: Buffer.from([0, 1, 2, 255]) });
  await expect(page.getByText('Could not attach program.bin')).toBeVisible();
  await give(page, 'paste', { name: 'no.png', mimeType: 'image/png', buffer: Buffer.from('x') });
  await expect(findAttached(page).filter({ hasText: 'no.png' }).getByRole('alert')).toBeVisible();
  await page.getByRole('button', { name: 'Remove no.png' }).click();

  await composer(page).fill('x'.repeat(250_000));
  await expect(page.getByText('250,013 of 250,000 characters')).toBeVisible();
  await sendButton(page).click();
  await expect(page.getByText('too long for one message')).toBeVisible();
  await composer(page).fill('And this?');
  await give(page, 'paste', pixel('again.png'));
  await page.getByRole('button', { name: 'Send images anyway' }).click();
  await expect(notice).toHaveCount(0);
  const { chat } = await harness.calls();
  await expect
    .poll(async () => (await chat.open({ id })).conversation.settings.imagesAnyway)
    .toBe(true);
  await composer(page).press('Enter');
  await expect(answers(page, SEES_NOT.model)).toContainText('takes no images');
});

const chip = (page: Page, model: string) => page.getByRole('group', { name: model, exact: true });

async function pick(page: Page, opener: Locator, words: string): Promise<void> {
  await opener.click();
  await expect(page.getByRole('textbox', { name: 'Find a model' })).toBeFocused();
  await page.keyboard.type(words);
}

test('finding 10: a new chat begins with the chosen model, not with one that it was compared with', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/chat');
  await pick(page, page.getByRole('button', { name: /^Model: / }), 'ember-mini');
  await page.keyboard.press('Enter');
  await pick(page, page.getByRole('button', { name: 'Compare with another model' }), 'error-500');
  await page.keyboard.press('Enter');
  await composer(page).fill('Hello');
  await composer(page).press('Enter');
  await expect(answers(page, 'ember-mini')).toContainText('You said');
  await page.getByRole('button', { name: 'New conversation', exact: true }).click();
  await expect(chip(page, 'ember-mini')).toBeVisible();
  await expect(chip(page, 'sandbox/error-500')).toHaveCount(0);
});

test('finding 10: models can be searched, typed, compared and used with another protocol, and the choice survives a reload', async ({
  page,
  harness,
}) => {
  await harness.ask({ protocol: 'messages', model: 'ember-mini' });
  await harness.open(page, '/chat');
  await pick(page, page.getByRole('button', { name: /^Model: / }), 'OPEN weights');
  await expect(page.getByRole('option')).toHaveText([/dune\/open\/dune-7b/u, /as typed/u]);
  await page.keyboard.press('Enter');
  await expect(chip(page, 'dune/open/dune-7b')).toBeVisible();
  const compare = page.getByRole('button', { name: 'Compare with another model' });
  await expect(compare).toHaveText('Compare');
  await compare.click();
  // The latest choice comes first, and not the model that traffic used last.
  await expect(page.getByRole('option').first()).toContainText('dune/open/dune-7b');
  await expectAccessible(page);
  await page.keyboard.type('ember-mini');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(chip(page, 'ember-mini')).toBeVisible();
  await pick(page, compare, 'isle/isle-prо');
  await expect(page.getByRole('status').filter({ hasText: 'No model' })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('img', { name: /No model in the list/u })).toBeVisible();
  await expect(compare).toHaveCount(0);
  await page.getByRole('button', { name: 'Remove isle/isle-prо' }).click();

  await page.getByRole('button', { name: 'Protocol of ember-mini: Automatic' }).click();
  await expect(page.getByRole('menuitemradio', { name: 'Automatic (Messages)' })).toBeChecked();
  await page.getByRole('menuitemradio', { name: 'Responses' }).click();
  await page.reload();
  await expect(chip(page, 'dune/open/dune-7b')).toBeVisible();
  await expect(
    page.getByRole('button', { name: 'Protocol of ember-mini: Responses' }),
  ).toBeVisible();
  await composer(page).fill('Hello');
  await composer(page).press('Enter');
  await expect(answers(page, 'dune/open/dune-7b')).toContainText('You said');
  await expect(answers(page, 'ember-mini')).toContainText('You said');
  const sent = (await listRecords(harness, 3)).map(
    ({ route, modelAsked }) => `${route} ${modelAsked ?? ''}`,
  );
  expect(sent.toSorted()).toEqual([
    'chat dune/open/dune-7b',
    'messages ember-mini',
    'responses ember-mini',
  ]);
});

test('settings are sent once set, marked by a dot, and part of the exported code', async ({
  page,
  harness,
}) => {
  const id = await beginChat(harness, page);
  const settings = page.getByRole('button', { name: /^Conversation settings/u });
  await settings.click();
  await expect(page.getByRole('textbox', { name: 'System prompt' })).toBeFocused();
  await page.keyboard.type('Be “brief”.');
  await page.getByRole('textbox', { name: 'Temperature' }).fill('2.5');
  await expect(page.getByText('Most models accept 0 to 2')).toBeVisible();
  await page.getByRole('textbox', { name: 'Temperature' }).fill('0.4');
  await page.getByRole('textbox', { name: 'Maximum answer length (tokens)' }).fill('1200');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(settings).toHaveAccessibleName(/changed/u);
  const { chat } = await harness.calls();
  await expect
    .poll(async () => (await chat.open({ id })).conversation.settings)
    .toEqual({ system: 'Be “brief”.', temperature: 0.4, maxTokens: 1200, imagesAnyway: false });

  await composer(page).fill('As code');
  await composer(page).press('Enter');
  await expect(answers(page)).toContainText('As code');
  await page.getByRole('button', { name: 'More about this conversation' }).click();
  await page.getByRole('menuitem', { name: 'As code…' }).click();
  const dialog = page.getByRole('dialog', { name: 'This conversation as code' });
  await expect(dialog).toContainText('add a client in Clients');
  await expect(dialog.getByRole('region', { name: 'curl' })).toContainText('"temperature": 0.4');
  await expect(dialog.getByRole('region')).toContainText('$GATEHOUSE_API_KEY');
  // The menu fades while the dialog opens, without the items that it must have.
  await expect(page.getByRole('menu')).toHaveCount(0);
  await expectAccessible(page);
  for (const language of ['Python', 'TypeScript']) {
    await dialog.getByRole('tab', { name: language }).click();
    await expect(dialog.getByRole('region', { name: language })).toContainText('As code');
  }
});
