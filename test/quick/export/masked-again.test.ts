import { expect, test } from 'vitest';
import { z } from 'zod';
import { ExportFormat, type ExportQuery } from '../../../shared/history/export.ts';
import { createFakeKeychain } from '../../kit/gateway/fake-keychain.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { sendRequest } from '../../kit/gateway/request.ts';
import { upstreamFormFor } from '../../kit/gateway/upstream-form.ts';

/** It has the form of no known key, so it is stored as long as nobody knows that it is one. */
const CANARY = 'canary-of-another-account-0123456789';
/** The form of a key of a well-known service. */
const KNOWN = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
const ENCODED = Buffer.from(CANARY).toString('base64');

async function exportAll(harness: Harness, format: ExportFormat, only: ExportQuery['only'] = null) {
  const { signal } = new AbortController();
  let text = '';
  for await (const chunk of harness.gateway.export({ format, filter: {}, only }, signal))
    text += chunk.text;
  return text;
}

/** Sends a request that has the key in its text, in a header and in the name of a model, and marks its exchange with it. */
async function sendCanary(harness: Harness) {
  const { headers } = await sendRequest(harness, {
    path: '/v1/chat/completions',
    headers: [
      'content-type: application/json',
      `x-note: ${CANARY}`,
      'x-codex-turn-metadata: {"origin":"https://me:pass@word@git.example/shop.git"}',
    ],
    body: JSON.stringify({
      model: CANARY,
      messages: [{ role: 'user', content: `Repeat ${CANARY}, ${ENCODED}, please.` }],
    }),
  });
  const record = await harness.recordOf(headers.get('x-gatehouse-exchange'));
  const change = { note: `The key was ${CANARY}`, addTags: [CANARY] };
  await harness.gateway.history.mark(record.id, change);
  return record.id;
}

test.each(ExportFormat.options)(
  'an export as %s has no key that became known after it was stored',
  async (format) => {
    await using harness = await startHarness({ secrets: createFakeKeychain() });
    const id = await sendCanary(harness);
    expect(await exportAll(harness, format)).toContain(CANARY);
    const { id: upstream } = await harness.gateway.addUpstream(
      upstreamFormFor('https://other.example'),
    );
    await harness.gateway.saveKey(upstream, CANARY, 'keychain');
    const only = { kind: 'exchange', id } as const;
    for (const text of [await exportAll(harness, format), await exportAll(harness, format, only)]) {
      expect(text).not.toContain(CANARY);
      expect(text).not.toContain(ENCODED.slice(4, -4));
      expect(text).not.toMatch(/pass|word@/u);
      expect(text).toContain('service key');
      if (format !== 'csv') expect(text).toContain('please.');
    }
    // What is stored is as it was.
    expect((await harness.gateway.readBodies(id)).sent?.text).toContain(CANARY);
  },
);

test.each(ExportFormat.options)(
  'an export as %s has no text with the form of a key of a well-known service',
  async (format) => {
    await using harness = await startHarness();
    const { headers } = await sendRequest(harness, {
      path: '/v1/chat/completions',
      headers: ['content-type: application/json', `x-note: see ${KNOWN}, and go on`],
      body: JSON.stringify({ model: KNOWN, messages: [{ role: 'user', content: 'Go on.' }] }),
    });
    const record = await harness.recordOf(headers.get('x-gatehouse-exchange'));
    const change = { note: `It was ${KNOWN}, of last week.`, addTags: [KNOWN, 'odd'] };
    await harness.gateway.history.mark(record.id, change);
    expect(record.errorMessage).toContain(KNOWN);
    const text = await exportAll(harness, format);
    expect(text).not.toContain(KNOWN);
    expect(text).toMatch(/<key>|&lt;key&gt;|\\u003ckey/u);
    for (const ordinary of ['of last week.', 'odd']) expect(text).toContain(ordinary);
  },
);

test.each(['md', 'html'] as const)(
  'an export as %s has no key in the messages that were rebuilt',
  async (format) => {
    await using harness = await startHarness({ secrets: createFakeKeychain() });
    const ask = async (fields: object) => {
      const request = { path: '/v1/responses', headers: ['content-type: application/json'] };
      const body = JSON.stringify({ model: 'aurora/aurora-small', ...fields });
      const answered = await sendRequest(harness, { ...request, body });
      const { id } = await harness.recordOf(answered.headers.get('x-gatehouse-exchange'));
      return { id, answer: z.object({ id: z.string() }).parse(JSON.parse(answered.body)).id };
    };
    const { answer } = await ask({ input: `My cat is Mia. ${CANARY}` });
    const { id } = await ask({ input: 'Who?', previous_response_id: answer });
    await expect
      .poll(async () => (await harness.gateway.readBodies(id)).earlier?.items)
      .toContain(CANARY);
    const { id: upstream } = await harness.gateway.addUpstream(
      upstreamFormFor('https://other.example'),
    );
    await harness.gateway.saveKey(upstream, CANARY, 'keychain');
    const text = await exportAll(harness, format, { kind: 'exchange', id });
    expect(text).toContain('My cat is Mia.');
    expect(text).not.toContain(CANARY);
    expect(text).toContain('service key');
  },
);
