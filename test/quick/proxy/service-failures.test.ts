import { describe, expect, test } from 'vitest';
import { openUnresponsivePort } from '../../kit/net/unresponsive-port.ts';
import { startHarness } from '../../kit/gateway/harness.ts';
import { sendRequest, question } from '../../kit/gateway/request.ts';
import { jsonAnswer, openUpstream } from '../../kit/net/scripted-upstream.ts';
import { expectGatewayError } from '../../kit/gateway/expect-gateway-error.ts';

describe('When the service fails', () => {
  test.concurrent('because nothing is listening, the answer is 502', async () => {
    // Another test could get a port that was free a moment ago.
    await using harness = await startHarness({ baseUrl: 'http://127.0.0.1:1' });
    const answer = await sendRequest(harness, { path: '/v1/files/1' });
    const record = await expectGatewayError(harness, answer, {
      code: 'upstream_unreachable',
      by: 'service',
    });
    expect(record.attempts).toBe(3);
    expect(answer.body).toContain('Nothing is listening');
  });

  test.concurrent('because it accepts no connection, the answer is 504', async () => {
    await using deaf = await openUnresponsivePort();
    await using harness = await startHarness({
      baseUrl: `http://127.0.0.1:${deaf.port}`,
      limits: { connectMs: 200 },
    });
    const answer = await sendRequest(harness, { path: '/v1/videos', body: '{}' });
    const record = await expectGatewayError(harness, answer, {
      code: 'upstream_timeout',
      by: 'service',
    });
    expect(record.attempts).toBe(3);
  });

  test.concurrent('because it closes the connection, the answer is 502 and the request is not repeated', async () => {
    await using service = await openUpstream();
    await using harness = await startHarness({ baseUrl: service.url });
    const answered = sendRequest(harness, { path: '/v1/files/1' });
    (await service.next()).connection.socket.destroy();
    const answer = await answered;
    const record = await expectGatewayError(harness, answer, {
      code: 'upstream_connection_lost',
      by: 'service',
    });
    expect(record.attempts).toBe(1);
    expect(answer.body).toContain('did not repeat it');
    expect(service.arrivals).toHaveLength(1);
  });

  test.concurrent.for([
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['a broken head', 'HTTP/1.1 200 OK\r\nContent Length: 5\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!'],
  ] as const)('because it sends %s, the answer is 502', async ([, garbage]) => {
    await using service = await openUpstream();
    await using harness = await startHarness({ baseUrl: service.url });
    const answered = sendRequest(harness, { path: '/v1/files/1' });
    (await service.next()).connection.send(garbage);
    await expectGatewayError(harness, await answered, {
      code: 'upstream_invalid_answer',
      by: 'service',
    });
  });

  test.concurrent('because its video redirects in a loop, the answer is 502', async () => {
    await using service = await openUpstream();
    await using harness = await startHarness({ baseUrl: service.url });
    const path = '/v1/videos/task-1/content';
    const answered = sendRequest(harness, { path });
    for (let hops = 0; hops < 6; hops += 1) {
      (await service.next()).connection.send(jsonAnswer(302, {}, [`location: ${path}`]));
    }
    await expectGatewayError(harness, await answered, { code: 'redirect_refused' });
    expect(service.arrivals).toHaveLength(6);
  });

  test.concurrent('with its own error, this error is passed on', async () => {
    await using harness = await startHarness();
    const answer = await sendRequest(harness, question('chat', { model: 'sandbox/error-500' }));
    expect(answer.status).toBe(500);
    const record = await harness.recordOf(answer.headers.get('x-gatehouse-exchange'));
    expect(record).toMatchObject({
      status: 500,
      errorCode: 'server_error',
      endedBy: 'service',
      attempts: 1,
    });
  });
});
