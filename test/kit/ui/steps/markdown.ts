import type { Page } from '@playwright/test';
import { beginChat, sendMessage, waitForAnswers } from '../chat-steps.ts';
import type { Harness } from '../harness.ts';

export async function showAnswer(harness: Harness, page: Page, text: string): Promise<void> {
  const id = await beginChat(harness, page);
  await sendMessage(page, text);
  await waitForAnswers(harness, id, 1);
}
