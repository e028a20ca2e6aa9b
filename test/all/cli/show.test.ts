import { expect, test } from 'vitest';
import { openTestMachine } from '../../kit/process/test-machine.ts';

const ASKED = JSON.stringify({
  model: 'aurora-small',
  stream: true,
  messages: [{ role: 'user', content: 'Say \u001b[31mred\u001b[0m.' }],
});

/** Sends a chat request, and returns the id of its exchange. */
async function ask(port: number, localKey: string, body = ASKED): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${localKey}`, 'content-type': 'application/json' },
    body,
  });
  await response.text();
  return response.headers.get('x-gatehouse-exchange') ?? '';
}

test('an exchange is shown with its bodies, while Gatehouse runs and after it', async () => {
  await using machine = await openTestMachine();
  await using serving = await machine.serve();
  const id = await ask(serving.port, serving.localKey);
  const read = async (...flags: string[]) => await machine.run(['show', id, ...flags]);
  await expect.poll(async () => (await read('--body', 'received')).stdout).toBe(ASKED);
  await serving.stop('SIGINT');

  const request = await read('--body', 'request');
  expect(JSON.parse(request.stdout)).toMatchObject({ model: 'aurora/aurora-small' });
  const response = await read('--body', 'response');
  expect(response.stdout).toMatch(/^data: .*\n\ndata: \[DONE\]\n\n$/su);
  const events = (await read('--events')).stdout.trimEnd().split('\n');
  expect(events.at(-1)).toMatch(/^ +\d[\d,]* {2}data: \[DONE\]$/u);
  const shown = await read();
  expect(shown.stdout).toContain('Exchange');
  expect(shown.stdout).toMatch(/Request, \d+ B/u);
  expect(shown.stdout).toContain('model aurora/aurora-small');
  expect(shown.stdout).toMatch(/^User: Say \ufffd\[31mred/mu);
  expect(shown.stdout).toMatch(/^Assistant: Hello from the sandbox/mu);
  expect(shown.stdout).not.toContain('\u001b[31m');
  const json: unknown = JSON.parse((await read('--json')).stdout);
  expect(json).toMatchObject({ exchange: { id }, bodies: { state: 'kept' } });
});

test('an exchange without bodies, and wrong calls, are named', async () => {
  await using machine = await openTestMachine();
  await using serving = await machine.serve();
  const refused = await ask(serving.port, 'gh-wrong');
  await expect
    .poll(async () => (await machine.run(['show', refused])).stdout)
    .toContain('No request and no response are kept of this exchange.');
  const body = await machine.run(['show', refused, '--body', 'request']);
  expect(body).toMatchObject({ code: 1, stdout: '' });
  expect(body.stderr).toContain('It is not kept');
  expect(await machine.run(['show', refused, '--events', '--json'])).toMatchObject({ code: 2 });
  expect(await machine.run(['show', 'nonsense'])).toMatchObject({ code: 2 });
  expect(await machine.run(['show', 'ex-ffff'])).toMatchObject({ code: 1 });
});

test('a request that was answered here is said not to be read or not to be sent', async () => {
  await using machine = await openTestMachine();
  await using serving = await machine.serve();
  const send = async (path: string, body: string) => {
    const response = await fetch(`http://127.0.0.1:${serving.port}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${serving.localKey}`,
        'content-type': 'application/json',
      },
      body,
    });
    await response.text();
    const id = response.headers.get('x-gatehouse-exchange') ?? '';
    await expect.poll(async () => (await machine.run(['show', id])).stdout).toContain('Response, ');
    return id;
  };
  const unread = await send('/v2/chat/completions', ASKED);
  const { stdout } = await machine.run(['show', unread]);
  expect(stdout).toMatch(/^Bytes +no body read, /mu);
  expect(stdout).not.toMatch(/no such path|repairs/u);
  const request = await machine.run(['show', unread, '--body', 'request']);
  expect(request).toMatchObject({ code: 1, stdout: '' });
  expect(request.stderr).toContain('Gatehouse answered before it read a body');

  const models = ['clients', 'models', 'First client', 'gpt-*'];
  expect((await machine.run(models)).code).toBe(0);
  await expect
    .poll(async () => {
      const unsent = await send('/v1/chat/completions', ASKED);
      return (await machine.run(['show', unsent, '--body', 'request'])).stderr;
    })
    .toContain('Nothing was sent to the service. As the client sent it: --body received');
});

test('masked secrets are counted, and the tool that read them is named', async () => {
  await using machine = await openTestMachine();
  await using serving = await machine.serve();
  const call = { name: 'read_file', arguments: '{"path":".env"}' };
  const messages = [
    { role: 'user', content: 'Read it.' },
    { role: 'assistant', tool_calls: [{ id: 'call-1', type: 'function', function: call }] },
    { role: 'tool', tool_call_id: 'call-1', content: `KEY=${serving.localKey}` },
  ];
  const body = JSON.stringify({ model: 'aurora-small', messages });
  const id = await ask(serving.port, serving.localKey, body);
  await expect
    .poll(async () => (await machine.run(['show', id])).stdout)
    .toContain('1 secret masked\nMasked in the result of read_file ({"path":".env"})');
});

test('nothing is kept of a client that says so', async () => {
  await using machine = await openTestMachine();
  await using serving = await machine.serve();
  const before = await ask(serving.port, serving.localKey);
  await expect
    .poll(async () => (await machine.run(['show', before])).stdout)
    .toContain('Request, ');
  const none = await machine.run(['clients', 'keep', 'First client', '0']);
  expect(none.stdout).toContain('No requests and responses are kept.');
  await expect
    .poll(async () => (await machine.run(['show', before])).stdout)
    .toContain('No request and no response are kept');
  const after = await ask(serving.port, serving.localKey);
  await expect
    .poll(async () => (await machine.run(['show', after])).stdout)
    .toContain('No request and no response are kept');
  const usual = await machine.run(['clients', 'keep', 'First client', 'default']);
  expect(usual.stdout).toContain('are kept for 7 days, as in Settings.');
  expect(await machine.run(['clients', 'keep', 'First client', 'x'])).toMatchObject({ code: 2 });
  expect(await machine.run(['clients', 'keep', 'nobody', '1'])).toMatchObject({ code: 1 });
});

test('two exchanges are compared, and nothing in them steers the terminal', async () => {
  await using machine = await openTestMachine();
  await using serving = await machine.serve();
  const chat = async (words: string, temperature: number) => {
    const response = await fetch(`http://127.0.0.1:${serving.port}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${serving.localKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        model: 'aurora/aurora-small',
        temperature,
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: words },
        ],
      }),
    });
    await response.text();
    return response.headers.get('x-gatehouse-exchange') ?? '';
  };
  const one = await chat('Paint it red, please.', 0.1);
  const other = await chat('Paint it blue\u001b[31m, please.', 0.2);
  const read = async () => await machine.run(['show', other, '--diff', one]);
  await expect
    .poll(async () => (await read()).stdout)
    .toContain('Paint it [-red-]{+blue\ufffd[31m+}, please.');
  const { code, stdout } = await read();
  expect(code).toBe(0);
  expect(stdout).toContain(`Before          ${one}, `);
  expect(stdout).toContain('Parameter temperature:\n  [-0.1-]{+0.2+}\n1 message is the same\n');
  expect(stdout).toContain('Message of user, changed:');
  expect(stdout).not.toContain('\u001b');
  expect((await machine.run(['show', other, '--diff', 'ex-ffff'])).code).toBe(1);
  expect((await machine.run(['show', other, '--diff', one, '--json'])).code).toBe(2);
});
