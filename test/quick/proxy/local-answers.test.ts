import { describe, expect, test } from 'vitest';
import { startHarness } from '../../kit/gateway/harness.ts';
import { testsIn } from '../../kit/gateway/harness-test.ts';
import { composeRequest, sendRaw } from '../../kit/net/raw-http.ts';
import { sendRequest, question } from '../../kit/gateway/request.ts';
import { openUpstream } from '../../kit/net/scripted-upstream.ts';
import { expectGatewayError } from '../../kit/gateway/expect-gateway-error.ts';

const ORIGIN = 'https://app.example';
const pages = testsIn({ allowedOrigins: [ORIGIN] });

describe('A health check', () => {
  test.for(['GET /', 'HEAD /', 'GET /health', 'HEAD /health', 'HEAD /api/hello'])(
    'by %s is answered without a key and without a record',
    async (probe) => {
      await using harness = await startHarness();
      const { port } = harness;
      const answer = await sendRaw(port, composeRequest({ ask: probe, port }));
      expect(answer.status).toBe(200);
      expect(answer.body).toBe(
        probe.startsWith('HEAD') ? '' : '{"status":"ok","service":"gatehouse"}',
      );
      expect(await harness.records()).toEqual([]);
      expect(harness.sandbox.requests).toEqual([]);
    },
  );
});

describe('A page of an allowed origin', () => {
  pages('may ask first, which is not recorded', async ({ harness }) => {
    const { port } = harness;
    const lines = [
      `Origin: ${ORIGIN}`,
      'Access-Control-Request-Method: POST',
      'Access-Control-Request-Headers: authorization,x-stainless-os',
    ];
    const answer = await sendRaw(
      port,
      composeRequest({ ask: 'OPTIONS /v1/chat/completions', port, lines }),
    );
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(answer.headers.get('access-control-allow-methods')).toContain('POST');
    expect(answer.headers.get('access-control-allow-headers')).toBe('authorization,x-stainless-os');
    expect(await harness.records()).toEqual([]);
  });

  pages.for(['chat', 'messages'] as const)(
    'may read the answer to %s',
    async (protocol, { harness }) => {
      const answer = await sendRequest(
        harness,
        question(protocol, { headers: [`Origin: ${ORIGIN}`] }),
      );
      expect(answer.status).toBe(200);
      expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
      expect(answer.headers.get('access-control-expose-headers')).toBe('*');
      expect(answer.headers.get('vary')).toBe('origin');
    },
  );

  pages('may read an error, and needs a key like everybody', async ({ harness }) => {
    const { port } = harness;
    const lines = [`Origin: ${ORIGIN}`];
    const answer = await sendRaw(port, composeRequest({ ask: 'GET /v1/models', port, lines }));
    await expectGatewayError(harness, answer, { code: 'missing_local_key' });
    expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
  });
});

describe('The model list', () => {
  test('has the wrapper that SDKs expect, with all members of every model', async () => {
    await using harness = await startHarness();
    const { port, sandbox } = harness;
    const straight = await fetch(`${sandbox.url}/v1/models`, {
      headers: { authorization: `Bearer ${sandbox.key}` },
    });
    const { models }: { models?: unknown } = await straight.json();
    const lines = [`Authorization: Bearer ${harness.localKey}`];
    const answer = await sendRaw(port, composeRequest({ ask: 'GET /v1/models', port, lines }));
    expect(JSON.parse(answer.body)).toEqual({ object: 'list', data: models });
    expect(answer.headers.get('content-length')).toBe(String(answer.body.length));
    expect(answer.headers.get('x-gatehouse-repairs')).toBe('models-wrapper');
  });

  test('is unchanged byte for byte when it has that wrapper already', async () => {
    await using service = await openUpstream();
    await using harness = await startHarness({ baseUrl: service.url });
    const list = '{ "object":"list", "data" : [ {"id":"a","x":1e400} ],"more":null }';
    const answered = sendRequest(harness, {});
    (await service.next()).connection.send(
      `HTTP/1.1 200 OK\r\nContent-Length: ${list.length}\r\n\r\n${list}`,
    );
    const answer = await answered;
    expect(answer.body).toBe(list);
    expect(answer.headers.get('x-gatehouse-repairs')).toBeUndefined();
  });
});
