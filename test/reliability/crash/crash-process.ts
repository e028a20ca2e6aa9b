import { openEngine } from './open-engine.ts';

/** Serves from a data folder and asks itself, four requests at a time, until it is killed. Tells each answer and each written batch. */
const dataDir = String(process.argv[2]);
const WORKERS = 4;
const MAX_REQUESTS = 5000;

const { gateway, repositories } = await openEngine(dataDir);
const { key } = await repositories.clients.add(`Client ${process.pid}`);
gateway.history.on((written) => process.send?.({ written }));
process.once('disconnect', () => process.exit(1));

async function askOnce(stream: boolean): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${gateway.port}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'aurora/aurora-small',
      messages: [{ role: 'user', content: 'Hello' }],
      stream,
    }),
  });
  await answer.arrayBuffer();
  process.send?.({ answered: answer.status });
}

async function work(): Promise<void> {
  for (let n = 0; n < MAX_REQUESTS / WORKERS; n += 1) await askOnce(n % 2 === 0);
}

await Promise.all(Array.from({ length: WORKERS }, work));
