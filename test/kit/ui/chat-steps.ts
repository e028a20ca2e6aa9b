import type { Locator, Page } from '@playwright/test';
import {
  ChatSettings,
  type ConversationId,
  type LaneModel,
  type MessageId,
} from '../../../shared/chat/chat.ts';
import type { ExchangeSummary } from '../../../shared/history/history.ts';
import { chunk } from '../net/scripted-upstream.ts';
import type { Harness } from './harness.ts';
import { expect } from './kit.ts';
import { PLAIN_SETTINGS } from './seed/conversations.ts';

interface ChatWanted {
  /** One, or two or three to compare; one that repeats what it is told unless given. */
  readonly lanes?: readonly LaneModel[];
  readonly settings?: Partial<ChatSettings>;
}

/** Opens a new, empty conversation on the page. */
export async function beginChat(
  harness: Harness,
  page: Page,
  { lanes = [{ model: 'sandbox/echo', protocol: 'chat' }], settings }: ChatWanted = {},
): Promise<ConversationId> {
  const { chat } = await harness.calls();
  const { id } = await chat.add({
    lanes: [...lanes],
    settings: ChatSettings.parse({ ...PLAIN_SETTINGS, ...settings }),
  });
  await harness.open(page, chatPath(id));
  return id;
}

/** Makes the harness send to another service than the sandbox. */
export async function useService(harness: Harness, baseUrl: string): Promise<void> {
  const { upstreams, models } = await harness.calls();
  const more = { versionVendor: 'anthropic', caFile: null, proxyUrl: null };
  const key = 'a-service-key';
  const form = { name: 'Service', baseUrl, ...more };
  await upstreams.add({ ...form, key, place: 'file', use: true, untested: true });
  await models.refresh();
}

/** A piece of an answer of such a service on its way. */
export function answerChunk(content: string, finish: string | null = null): string {
  const choices = [{ index: 0, delta: { content }, finish_reason: finish }];
  return chunk(`data: ${JSON.stringify({ choices })}\n\n`).toString();
}

/** Returns the address of a conversation, or of a message in it. */
export function chatPath(id: ConversationId | undefined, at?: MessageId): string {
  const place = at === undefined ? '' : `&at=${encodeURIComponent(JSON.stringify(at))}`;
  return `/chat?c=${encodeURIComponent(JSON.stringify(id))}${place}`;
}

/** Types and sends a message. */
export async function sendMessage(page: Page, text: string): Promise<void> {
  const input = composer(page);
  await input.fill(text);
  await input.press('Enter');
}

export function composer(page: Page): Locator {
  return page.getByRole('textbox', { name: 'Message', exact: true });
}

/** Returns a model's complete answer. */
export function answers(page: Page, model = 'sandbox/echo'): Locator {
  return page.getByRole('article', { name: model, exact: true });
}

/** The calls that were made, newest first, when at least so many are recorded: an answer is shown before. */
export async function listRecords(
  harness: Harness,
  atLeast: number,
): Promise<readonly ExchangeSummary[]> {
  const { history } = await harness.calls();
  const list = async () => (await history.page({ filter: {}, limit: 100 })).exchanges;
  await expect.poll(async () => (await list()).length).toBeGreaterThanOrEqual(atLeast);
  return await list();
}

/** Waits until a conversation has so many answers, and all of them have ended. Gives their texts. */
export async function waitForAnswers(
  harness: Harness,
  id: ConversationId,
  count: number,
): Promise<readonly string[]> {
  const { chat } = await harness.calls();
  const ended = async () => {
    const { paths } = await chat.open({ id });
    const ids = [...new Set(paths.flat().map((entry) => entry.id))];
    if (ids.length === 0) return [];
    const messages = await chat.messages({ ids });
    return messages.filter(
      ({ answer }) => answer !== null && !['waiting', 'streaming'].includes(answer.state),
    );
  };
  // Long answers take their time where several tests run at once.
  await expect.poll(async () => (await ended()).length).toBe(count);
  return (await ended()).map(({ text }) => text);
}
