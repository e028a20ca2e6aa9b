import type { Page } from '@playwright/test';
import type { Harness } from '../harness.ts';
import { expect } from '../kit.ts';

const TOOL = {
  name: 'read_file',
  input_schema: { type: 'object', properties: { path: { type: 'string' } } },
};

const TASK = { role: 'user', content: 'Find out why the parser fails.' };

/** Sends two steps of an agent; between them the system prompt and a parameter change. Returns their ids. */
export async function sendSteps(harness: Harness): Promise<{ first: string; second: string }> {
  const ask = async (fields: object) =>
    await harness.ask({
      protocol: 'messages',
      body: { model: 'aurora/aurora-large', max_tokens: 256, tools: [TOOL], ...fields },
    });
  const first = await ask({ system: 'Today is Monday.', messages: [TASK] });
  const more = [
    { role: 'assistant', content: 'It is red.' },
    { role: 'user', content: 'Mend it.' },
  ];
  const fields = { system: 'Today is Tuesday.', temperature: 0.5, messages: [TASK, ...more] };
  const second = await ask(fields);
  return { first: first.exchangeId, second: second.exchangeId };
}

export async function expectDifferences(page: Page): Promise<void> {
  const facts = page.getByRole('table', { name: 'Facts' });
  await expect(facts.getByRole('row', { name: 'Model', exact: false }).first()).toContainText(
    'aurora/aurora-large',
  );
  await expect(page.getByRole('list', { name: 'Changed parameters' })).toContainText('temperature');
  const system = page.getByRole('article', { name: 'Message of system, changed' });
  await expect(system.getByRole('deletion')).toHaveText('Monday');
  await expect(system.getByRole('insertion')).toHaveText('Tuesday');
  await expect(page.getByText('1 message is the same.')).toBeVisible();
  await expect(page.getByRole('article', { name: 'Message of user, added' })).toContainText(
    'Mend it.',
  );
}
