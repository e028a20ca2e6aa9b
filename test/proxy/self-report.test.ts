import { describe, expect, test } from 'vitest';
import { Status } from '../../shared/status.ts';
import { freePort } from '../kit/free-port.ts';
import { startHouse } from '../kit/house.ts';
import { testsIn } from '../kit/house-test.ts';
import { ask, question } from '../kit/request.ts';

const shared = testsIn();

describe('GET /metrics', () => {
  test('tells of every service in the text format of Prometheus, and is no exchange', async () => {
    await using house = await startHouse();
    expect((await ask(house, question('chat'))).status).toBe(200);
    const headers = ['x-sandbox-scenario: rate-limit=1'];
    expect((await ask(house, question('chat', { headers }))).status).toBe(200);
    const { status, headers: got, body } = await ask(house, { path: '/metrics' });
    expect(status).toBe(200);
    expect(got.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const service = `{service="${house.sandbox.url}"}`;
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
    expect(await house.recorded(2)).toHaveLength(2);
  });

  test('tells of a circuit that is open', async () => {
    await using house = await startHouse({ baseUrl: `http://127.0.0.1:${await freePort()}` });
    const upload = { path: '/v1/files', headers: ['Content-Type: text/plain'], body: 'a cat' };
    while ((await ask(house, upload)).status !== 503);
    const { body } = await ask(house, { path: '/metrics' });
    expect(body).toMatch(/\ngatehouse_service_circuit\{[^}]+\} 2\n/);
  });

  shared('is refused without a valid local key', async ({ house }) => {
    const stranger = { port: house.port, localKey: 'gh-wrong' };
    const answer = await ask(stranger, { path: '/metrics' });
    expect(answer.status).toBe(401);
    expect(answer.body).not.toContain('gatehouse_service');
  });

  shared('is refused to a web page and to a foreign host', async ({ house }) => {
    const page = { path: '/metrics', headers: ['Origin: https://evil.example'] };
    expect((await ask(house, page)).status).toBe(403);
  });
});

describe('GET /status', () => {
  shared('needs the key of this run: a local key is not enough', async ({ house }) => {
    expect((await ask(house, { path: '/status' })).status).toBe(404);
    const own = { port: house.port, localKey: house.gateway.reportKey };
    const { status, body } = await ask(own, { path: '/status' });
    expect(status).toBe(200);
    expect(Status.parse(JSON.parse(body))).toMatchObject({ load: { circuit: 'closed' } });
  });

  shared('that key opens nothing else', async ({ house }) => {
    const own = { port: house.port, localKey: house.gateway.reportKey };
    expect((await ask(own, { path: '/metrics' })).status).toBe(200);
    expect((await ask(own, { path: '/v1/models' })).status).toBe(401);
    expect((await ask(own, question('chat'))).status).toBe(401);
  });
});
