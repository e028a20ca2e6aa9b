import { describe, expect, test } from 'vitest';
import { Status } from '../../../shared/status.ts';
import { freePort } from '../../kit/net/free-port.ts';
import { startHarness } from '../../kit/gateway/harness.ts';
import { testsIn } from '../../kit/gateway/harness-test.ts';
import { sendRequest, question } from '../../kit/gateway/request.ts';

const shared = testsIn();

describe('GET /metrics', () => {
  test('reports every service in the text format of Prometheus, and is not recorded', async () => {
    await using harness = await startHarness();
    expect((await sendRequest(harness, question('chat'))).status).toBe(200);
    const headers = ['x-sandbox-scenario: rate-limit=1'];
    expect((await sendRequest(harness, question('chat', { headers }))).status).toBe(200);
    const { status, headers: got, body } = await sendRequest(harness, { path: '/metrics' });
    expect(status).toBe(200);
    expect(got.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const service = `{service="${harness.sandbox.url}"}`;
    expect(body).toContain('\ngatehouse_exchanges_running 0\n');
    expect(body).toContain(`\ngatehouse_service_calls_in_flight${service} 0\n`);
    expect(body).toContain(`\ngatehouse_service_calls_waiting${service} 0\n`);
    expect(body).toContain(`\ngatehouse_service_calls_limit${service} 1\n`);
    expect(body).toContain(`\ngatehouse_service_circuit${service} 0\n`);
    expect(body).toContain(`\ngatehouse_service_throttled_total${service} 1\n`);
    expect(body).toContain(`\ngatehouse_service_retries_total${service} 1\n`);
    for (const line of body.trimEnd().split('\n')) {
      expect(line).toMatch(
        /^(?:# (?:HELP|TYPE) [a-z_]+ .+|[a-z_]+(?:\{service="[^"]+"\})? [\d.]+)$/,
      );
    }
    expect(await harness.recorded(2)).toHaveLength(2);
  });

  test('reports an open circuit', async () => {
    await using harness = await startHarness({ baseUrl: `http://127.0.0.1:${await freePort()}` });
    const upload = { path: '/v1/files', headers: ['Content-Type: text/plain'], body: 'a cat' };
    while ((await sendRequest(harness, upload)).status !== 503);
    const { body } = await sendRequest(harness, { path: '/metrics' });
    expect(body).toMatch(/\ngatehouse_service_circuit\{[^}]+\} 2\n/);
  });

  shared('is refused without a valid local key', async ({ harness }) => {
    const stranger = { port: harness.port, localKey: 'gh-wrong' };
    const answer = await sendRequest(stranger, { path: '/metrics' });
    expect(answer.status).toBe(401);
    expect(answer.body).not.toContain('gatehouse_service');
  });

  shared('is refused to a web page and to a foreign host', async ({ harness }) => {
    const page = { path: '/metrics', headers: ['Origin: https://evil.example'] };
    expect((await sendRequest(harness, page)).status).toBe(403);
  });
});

describe('GET /status', () => {
  shared('needs the key of this run: a local key is not enough', async ({ harness }) => {
    expect((await sendRequest(harness, { path: '/status' })).status).toBe(404);
    const own = { port: harness.port, localKey: harness.gateway.reportKey };
    const { status, body } = await sendRequest(own, { path: '/status' });
    expect(status).toBe(200);
    expect(Status.parse(JSON.parse(body))).toMatchObject({ load: { circuit: 'closed' } });
  });

  shared('that key opens nothing else', async ({ harness }) => {
    const own = { port: harness.port, localKey: harness.gateway.reportKey };
    expect((await sendRequest(own, { path: '/metrics' })).status).toBe(200);
    expect((await sendRequest(own, { path: '/v1/models' })).status).toBe(401);
    expect((await sendRequest(own, question('chat'))).status).toBe(401);
  });
});
