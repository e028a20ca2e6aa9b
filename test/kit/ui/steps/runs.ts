import type { Locator, Page } from '@playwright/test';
import { z } from 'zod';
import type { Harness } from '../harness.ts';
import { expect } from '../kit.ts';

const READ_FILE = {
  name: 'read_file',
  input_schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

export const TASK = { role: 'user', content: 'Find out with a tool why the parser fails.' };

/** An answer of Messages. The sandbox calls a tool when the text has that word. */
const ToolAnswer = z.object({
  content: z.array(z.looseObject({ type: z.string(), id: z.string().optional() })),
});

export interface AgentRun {
  readonly first: string;
  readonly second: string;
  readonly failed: string;
}

/** Works as an agent does: a tool call, its result under a changed system prompt, and a request that fails. */
export async function actAsAgent(harness: Harness): Promise<AgentRun> {
  const ask = async (fields: object, scenario?: string) =>
    await harness.ask({
      protocol: 'messages',
      body: { model: 'aurora/aurora-large', max_tokens: 256, tools: [READ_FILE], ...fields },
      ...(scenario === undefined ? {} : { scenario }),
    });
  const first = await ask({ system: 'Today is Monday.', messages: [TASK] });
  const { content } = ToolAnswer.parse(JSON.parse(first.text));
  const call = content.find(({ type }) => type === 'tool_use')?.id;
  const result = { type: 'tool_result', tool_use_id: call, content: 'export const parse = 1;' };
  const messages = [TASK, { role: 'assistant', content }, { role: 'user', content: [result] }];
  const second = await ask({ system: 'Today is Tuesday.', messages });
  const more = { role: 'assistant', content: 'It exports a number.' };
  const next = { role: 'user', content: 'Mend it.' };
  const failed = await ask(
    { system: 'Today is Tuesday.', messages: [...messages, more, next] },
    'error-500',
  );
  return { first: first.exchangeId, second: second.exchangeId, failed: failed.exchangeId };
}

export async function openRuns(page: Page, harness: Harness): Promise<Locator> {
  await harness.open(page, '/history');
  await page.getByRole('radiogroup', { name: 'View of the history' }).getByText('Runs').click();
  await expect(page).toHaveURL(/\/history\/runs/u);
  return page.getByRole('article', { name: TASK.content });
}
