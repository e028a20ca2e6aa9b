import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openTestMachine, type TestMachine } from '../../kit/process/test-machine.ts';

let terminal: TestMachine;
beforeEach(async () => {
  terminal = await openTestMachine();
});
afterEach(async () => await terminal[Symbol.asyncDispose]());

const MODEL = ['--model', 'aurora/aurora-large'];

test.each(['chat', 'responses', 'messages'])(
  'an answer in %s arrives, recorded as one of the client Terminal, whose key is stored nowhere',
  async (protocol) => {
    await using serving = await terminal.serve();
    const asked = await terminal.run(['ask', 'Hello there', ...MODEL, '--protocol', protocol]);
    expect([asked.code, asked.stderr]).toEqual([0, '']);
    expect(asked.stdout.trim()).not.toBe('');
    expect(asked.stdout.endsWith('\n')).toBe(true);
    await serving.stop('SIGINT');
    expect(await terminal.json(['history', '--client', 'Terminal'])).toMatchObject({
      exchanges: [{ clientName: 'Terminal', route: protocol, status: 200, repairs: [] }],
    });
    expect((await terminal.run(['clients', 'list'])).stdout).toMatch(/^Terminal .* built in$/mu);
  },
);

test('a piped text follows the prompt, and the last model is asked again in its protocol', async () => {
  await using serving = await terminal.serve();
  const system = ['--system', 'Be short', '--protocol', 'messages'];
  const first = await terminal.json(['ask', 'Review this', ...MODEL, ...system], { input: '+ x' });
  expect(first).toMatchObject({
    model: 'aurora/aurora-large',
    protocol: 'messages',
    modelServed: 'aurora/aurora-large',
    status: 200,
    problem: null,
    exchangeId: expect.stringMatching(/^ex-/u),
  });
  expect(JSON.stringify(first)).toContain('“Review this + x”');
  await expect
    .poll(async () => await terminal.json(['history', '--client', 'Terminal']))
    .toMatchObject({ exchanges: [{ status: 200 }] });
  const second = await terminal.json(['ask'], { input: 'Only piped' });
  expect(second).toMatchObject({ model: 'aurora/aurora-large', protocol: 'messages' });
  expect(serving.child.exitCode).toBeNull();
});

test('a model or a protocol that failed is not asked again', async () => {
  await using serving = await terminal.serve();
  const { code } = await terminal.run(['ask', 'One', ...MODEL, '--protocol', 'messages']);
  expect(code).toBe(0);
  const cut = await terminal.run(['ask', 'Two', '--model', 'sandbox/cut-stream']);
  expect(cut.code).toBe(1);
  const refused = ['--protocol', 'responses', '--system', 'x'];
  for (const model of ['sandbox/error-500', 'no-such-model']) {
    expect((await terminal.run(['ask', 'Three', '--model', model, ...refused])).code).toBe(1);
  }
  await expect
    .poll(async () => await terminal.json(['history', '--client', 'Terminal']))
    .toMatchObject({ exchanges: { length: 4 } });
  const again = await terminal.json(['ask', 'Four']);
  expect(again).toMatchObject({ model: 'aurora/aurora-large', protocol: 'messages' });
  expect(serving.child.exitCode).toBeNull();
});

test('without --model a new installation asks the first text model of the list and names it', async () => {
  await using serving = await terminal.serve();
  const { code, stdout, stderr } = await terminal.run(['ask', 'Review this'], { input: '+ x' });
  expect([code, stderr]).toEqual([0, 'Asking aurora/aurora-large.\n']);
  expect(stdout.trim()).not.toBe('');
  expect(serving.child.exitCode).toBeNull();
});

describe('a question is refused', () => {
  test('with the message of the service, and exit code 1', async () => {
    await using serving = await terminal.serve();
    const missing = await terminal.run(['ask', 'x', '--model', 'no-such-model']);
    expect([missing.code, missing.stdout]).toEqual([1, '']);
    expect(missing.stderr).toMatch(/^404: .*no-such-model/u);
    const cut = await terminal.run(['ask', 'x', '--model', 'sandbox/cut-stream']);
    expect([cut.code, cut.stderr]).toEqual([1, 'The answer was cut off.\n']);
    expect(cut.stdout).not.toBe('');
    const json = await terminal.run(['ask', 'x', '--model', 'no-such-model', '--json']);
    expect([json.code, JSON.parse(json.stdout)]).toMatchObject([1, { status: 404, text: '' }]);
    await terminal.run(['pause']);
    const paused = await terminal.run(['ask', 'x', ...MODEL]);
    expect([paused.code, paused.stderr]).toEqual([1, expect.stringContaining('is paused')]);
    expect(serving.child.exitCode).toBeNull();
  });

  test('with a video model, and without a question: exit code 2', async () => {
    await using serving = await terminal.serve();
    const video = await terminal.run(['ask', 'x', '--model', 'h3']);
    expect([video.code, video.stderr]).toEqual([2, expect.stringContaining('makes videos')]);
    expect((await terminal.run(['ask', ...MODEL])).code).toBe(2);
    expect((await terminal.run(['ask', 'x', '--protocol', 'smtp'])).code).toBe(2);
    await serving.stop('SIGINT');
    expect(await terminal.json(['history'])).toEqual({ exchanges: [] });
  });

  test('where no Gatehouse runs, with how to start it', async () => {
    const { code, stderr } = await terminal.run(['ask', 'x', ...MODEL]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('Start it: gatehouse serve')]);
  });
});

test('Ctrl-C stops the request', async () => {
  await using serving = await terminal.serve();
  await using asking = terminal.begin(['ask', 'x', '--model', 'sandbox/silent-stream']);
  await asking.says(' ');
  asking.child.kill('SIGINT');
  const { code, stderr } = await asking.finished;
  expect([code, stderr]).toEqual([1, 'Stopped.\n']);
  await serving.stop('SIGINT');
  expect(await terminal.json(['history', '--client', 'Terminal'])).toMatchObject({
    exchanges: [{ endedBy: 'client', status: 200 }],
  });
});
