import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { SearchDocumentBuilder } from '../../../gateway/history/search/search-documents.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';

const SILENT = {
  agent: null,
  parent: null,
  agentType: null,
  requestClass: null,
  prompt: null,
  turn: null,
  toolTimes: null,
};

/** Other values of every field that a document is made of. */
const CHANGES: readonly Record<string, unknown>[] = [
  {},
  { startedAt: new Date(2026, 10, 22, 12).getTime() },
  { clientName: 'Other' },
  { clientName: null },
  { conversation: 'conversation-2' },
  { conversation: null },
  { userAgent: 'Other/1' },
  { route: 'messages' },
  { pathReceived: '/v1/messages' },
  { modelAsked: 'small' },
  { modelSent: null },
  { modelServed: 'acme/small' },
  { streamed: false },
  { status: 429 },
  { status: null },
  { errorCode: 'rate_limited' },
  { errorMessage: 'Too many requests.' },
  { endedBy: 'client' },
  { repairs: [] },
  { sender: { ...SILENT, project: 'git@example.com:a/shop.git' } },
];

test('a document is that of its exchange, whatever exchange came before', () => {
  const changes = fc.array(fc.constantFrom(...CHANGES), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(changes, (list) => {
      const builder = new SearchDocumentBuilder();
      for (const fields of list) {
        const exchange = anExchange('ex-1', fields);
        expect(builder.build(exchange)).toBe(new SearchDocumentBuilder().build(exchange));
      }
    }),
  );
});

test('the words of a document are reported once a day, and again after a reset', () => {
  const builder = new SearchDocumentBuilder();
  const words = (): number => {
    builder.build(anExchange('ex-1'));
    return builder.takeNewWords().length;
  };
  const all = words();
  expect(all).toBeGreaterThan(5);
  expect(words()).toBe(0);
  builder.reset();
  expect(words()).toBe(all);
});
