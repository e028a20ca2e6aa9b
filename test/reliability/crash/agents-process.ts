import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ExchangeId } from '../../../shared/exchange/exchange.ts';
import { openEngine } from './open-engine.ts';

/**
 * Serves agents of several clients from a data folder, deletes, pins and prunes meanwhile, until it is killed. Tells each request
 * before it is sent, each answer, what is certainly stored, and what it deletes.
 */
const dataDir = String(process.argv[2]);
const AGENTS = 4;
const TURNS = 6;
/** Answers between two changes. */
const CHANGE_EACH = 12;
const REFUSALS = 150;

const { gateway, repositories } = await openEngine(dataDir);
process.once('disconnect', () => process.exit(1));
const tell = (reported: object): void => void process.send?.(reported);
const digest = (text: string): string => createHash('sha256').update(text).digest('base64');
const answered: ExchangeId[] = [];

/** Counts the exchanges with bodies that the history lacks, once the bodies were opened. */
async function countStrays(): Promise<number> {
  await gateway.bodies.listRuns({ filter: {}, limit: 1, before: null });
  const path = join(dataDir, 'bodies.db');
  if (!existsSync(path)) return 0;
  const file = new DatabaseSync(path, { readOnly: true });
  const ids = file
    .prepare('select id from exchange')
    .all()
    .map(({ id }) => String(id));
  file.close();
  return ids.length - (await gateway.history.findExisting(ids)).length;
}

async function send(key: string, path: string, body: string): Promise<Response> {
  tell({ asked: digest(body) });
  return await fetch(`http://127.0.0.1:${gateway.port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
  });
}

async function askOnce(key: string, messages: readonly object[], stream: boolean): Promise<string> {
  const body = JSON.stringify({ model: 'aurora/aurora-small', messages, stream });
  const response = await send(key, '/v1/chat/completions', body);
  const text = await response.text();
  const id = ExchangeId.parse(response.headers.get('x-gatehouse-exchange'));
  answered.push(id);
  tell({ id, returned: digest(text), status: response.status });
  return text;
}

/** An agent with one conversation after the other, which grows by 40 kB with each turn. */
async function work(key: string): Promise<void> {
  for (let at = 0; ; at += 1) {
    const messages = [{ role: 'system', content: `${randomBytes(8).toString('hex')} agent` }];
    for (let turn = 0; turn < TURNS; turn += 1) {
      messages.push({ role: 'user', content: randomBytes(30_000).toString('base64') });
      const content = await askOnce(key, messages, (at + turn) % 2 === 0);
      messages.push({ role: 'assistant', content: content.slice(0, 2_000) });
    }
  }
}

/** Requests that are answered without being sent, each of a run of its own. Nothing is written down of them before their record. */
async function refuse(key: string): Promise<void> {
  const ask = async () => {
    const text = randomBytes(300).toString('base64');
    await (await send(key, '/v2/chat/completions', JSON.stringify({ text }))).arrayBuffer();
  };
  await Promise.all(Array.from({ length: REFUSALS }, ask));
  tell({ refused: REFUSALS });
}

async function deleteOne(at: number): Promise<void> {
  const id = answered.splice(at, 1)[0];
  if (id === undefined) return;
  await gateway.history.flush();
  tell({ deleting: id });
  await gateway.deleteExchange(id);
}

/** Changes what is stored, each time in another way. */
async function change(key: string): Promise<void> {
  for (let at = 0; ; at += 1) {
    const from = answered.length;
    const waiting = Promise.withResolvers<void>();
    const stop = gateway.history.on(() => {
      if (answered.length >= from + CHANGE_EACH) waiting.resolve();
    });
    await waiting.promise;
    stop();
    const stored = [...answered];
    await gateway.bodies.flush();
    tell({ stored });
    if (at % 4 === 0) await Promise.all([deleteOne(2), deleteOne(4), deleteOne(6)]);
    else if (at % 4 === 1) await gateway.changeSettings({ bodiesMiB: 16 + (at % 3) });
    else if (at % 4 === 2) await refuse(key);
    else {
      const pinned = answered.at(-1);
      if (pinned !== undefined) await gateway.markExchange(pinned, { pinned: at % 8 === 3 });
    }
    tell({ changed: at });
  }
}

tell({ strays: await countStrays() });
const keys: string[] = [];
for (let at = 0; at < AGENTS; at += 1)
  keys.push((await repositories.clients.add(`Agent ${at} of ${process.pid}`)).key);
await Promise.all([...keys.map(work), change(String(keys[0]))]);
