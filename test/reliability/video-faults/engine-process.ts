import { randomBytes } from 'node:crypto';
import { uptime } from 'node:os';
import { openGateway, openRepositories } from '../../../gateway/gateway.ts';
import { openKeys } from '../../../gateway/keys/keys.ts';
import { createVideoId, VIDEO_ID_BYTES } from '../../../shared/video/video.ts';
import { acquireLock } from '../../../host/lock/instance-lock.ts';
import { EngineCommand, Start, type EngineMessage } from './messages.ts';

/** Runs the engine as in production, controlled by its parent process. */
const start = Start.parse(JSON.parse(process.argv[2] ?? ''));
const { dataDir, baseUrl, key, strict } = start;
const AT_ONCE = 4;
/** Short intervals, so that a job takes a second instead of minutes. */
const PACE = {
  pollMs: 30,
  spreadMs: 30,
  slowestPollMs: 200,
  retryMs: 10,
  slowestRetryMs: 200,
  blockedMs: 100,
};

const secrets = {
  read: () => Promise.resolve({ state: 'absent' } as const),
  write: () => Promise.resolve({ state: 'unavailable', reason: 'none' } as const),
  remove: () => Promise.resolve({ state: 'unavailable', reason: 'none' } as const),
};
const log = (level: string, message: string, fields: object = {}) => {
  if (level === 'error') send({ kind: 'trouble', text: `${message} ${JSON.stringify(fields)}` });
};
let aheadMs = 0;
const mayGoOn = Promise.withResolvers<void>();
const host = {
  dataDir,
  secrets,
  log,
  now: () => Date.now() + aheadMs,
  uptime: () => uptime() * 1000,
  randomBytes,
};

function send(message: EngineMessage): void {
  process.send?.(message);
}

process.once('disconnect', () => process.exit(1));
const lock = await acquireLock(dataDir);
if (!('release' in lock)) {
  send({ kind: 'held' });
  process.exit(0);
}
if (start.onlyLock) {
  send({ kind: 'locked' });
  // Waits forever; the parent process kills it.
  await new Promise(() => undefined);
}

let closing = false;
process.on('message', (message) => {
  execute(EngineCommand.parse(message)).catch((error: unknown) =>
    send({ kind: 'refused', text: String(error) }),
  );
});
const repositories = await openRepositories({ host });
if (repositories.settings.current().videosAtOnce !== AT_ONCE) {
  await repositories.settings.change({ videosAtOnce: AT_ONCE });
}
if ((await repositories.upstreams.active()) === null)
  await repositories.upstreams.addAndActivate({ baseUrl });
const { videos } = repositories;
await sendJobs('found');
await mayGoOn.promise;
const keys = await openKeys({ secrets, log, account: baseUrl, thisRunKey: key });
const gateway = await openGateway({
  repositories,
  platform: {
    openServiceKey: () => Promise.resolve(keys),
    openSandbox: () => Promise.reject(new Error('There is a service.')),
  },
  version: 'test',
  port: 0,
  strict,
  allowedOrigins: [],
  limits: { videos: PACE },
});

async function sendJobs(kind: 'found' | 'jobs'): Promise<void> {
  if (closing) return;
  const { jobs } = await videos.page({ filter: {}, limit: 200 });
  send({ kind, jobs });
}

/** Reads from the store, which may be closed meanwhile. */
function sendJobsSafely(): void {
  sendJobs('jobs').catch((error: unknown) => {
    if (!closing) throw error;
  });
}

async function execute(order: EngineCommand): Promise<void> {
  switch (order.kind) {
    case 'add': {
      const image = await videos.images.importFile(order.image);
      const video = { ...order.video, image: image.hash };
      const { confirmed } = order;
      const id = createVideoId(repositories.host.randomBytes(VIDEO_ID_BYTES));
      await videos.add({ id, video, confirmed, origin: 'window', service: baseUrl });
      return;
    }
    case 'act':
      await videos.act(order.id, order.action);
      return;
    case 'clock':
      aheadMs = order.aheadMs;
      mayGoOn.resolve();
      send({ kind: 'clock-set' });
      return;
    case 'ping':
      send({ kind: 'pong' });
      return;
    case 'close':
      if (closing) return;
      closing = true;
      await gateway.close(0);
      keys.close();
      await repositories.close();
      process.exit(0);
  }
}

videos.on(sendJobsSafely);
const localKey =
  start.localKey === ''
    ? (await repositories.clients.add(`Client ${process.pid}`)).key
    : start.localKey;
send({ kind: 'open', port: gateway.port, localKey });
sendJobsSafely();
