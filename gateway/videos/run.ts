import type { VideoOrders } from '../proxy/proxy.ts';
import type { Host } from '../host.ts';
import type { RunGround } from './ground.ts';
import { Hearing } from './hearing.ts';
import type { Job } from './job.ts';
import type { Ledger } from './ledger.ts';
import { Orders } from './orders.ts';
import { makePersist } from './persist.ts';
import { RecentAnswers } from './recent-answers.ts';
import { Recorder } from './recorder.ts';
import { openRoom } from './room.ts';
import { Runner } from './runner.ts';
import { keepTidy } from './tidying.ts';
import { openStudio, type Reply, STUDIO_LIMITS } from './studio/studio.ts';
import type { Images } from '../images/images.ts';
import type { Videos } from './videos.ts';

/** The jobs being run: by one process for a data folder. */
export interface VideosRun {
  readonly videos: Videos;
  readonly orders: VideoOrders;
  /** From now on it acts. */
  begin(): void;
  /** Looks for what is due: when a setting has changed. */
  look(): void;
  /** The machine slept: what costs nothing is begun anew, for its connection is most likely dead. */
  wake(): void;
  /** A key or a service is another one: what waits for it is tried at once. */
  unblock(): void;
  /** Begins nothing more, waits up to `drainMs` for orders on their way, stops the rest. Called again, it hurries. */
  close(drainMs: number): Promise<void>;
}

export interface RunOptions {
  readonly ledger: Ledger;
  readonly images: Images;
  readonly host: Host;
  readonly ground: RunGround;
}

/** An answer may have been cut there. */
const MOST_WHOLE = 1024 * 1024;

/** Takes up what an earlier run left: an order that was on its way then is unsure. */
export async function runVideos({ ledger, images, host, ground }: RunOptions): Promise<VideosRun> {
  const { now, randomBytes, log, dataDir } = host;
  const hearing = new Hearing(ledger, ground);
  const recent = new RecentAnswers();
  const noteReply = ({ service }: Job, taskId: string | null, reply: Reply): void => {
    if (taskId === null || reply.kind !== 'answer' || reply.json === undefined) return;
    if (reply.text.length >= MOST_WHOLE) return;
    const body = Buffer.from(reply.text);
    const headers = ['content-type', 'application/json'];
    recent.note(service, taskId, { status: reply.status, headers, body, at: Math.round(now()) });
  };
  const studio = openStudio({ now, randomBytes, ownPorts: ground.ownPorts, limits: STUDIO_LIMITS });
  const runner = new Runner({
    hearing,
    images,
    studio,
    recorder: new Recorder({ record: ground.record, randomBytes, now }),
    run: ground,
    dataDir,
    onReply: noteReply,
    log,
    now,
  });
  const ending = new AbortController();
  const orders = new Orders({
    hearing,
    run: ground,
    recent,
    persist: makePersist(log, ending.signal),
    studio,
    onFault: (error) => log('error', 'A client’s poll was not noted.', { reason: String(error) }),
    randomBytes,
  });
  await runner.takeOver();
  const stopTidying = keepTidy({ ledger, images, log });
  const stops = [ledger.on(() => runner.look()), ledger.store.onOutsideChange(() => runner.look())];
  return {
    videos: openRoom({ ledger, images, upstreams: ground.upstreams, host }),
    orders,
    begin: () => runner.begin(),
    look: () => runner.look(),
    wake: () => runner.startOver(),
    unblock: () => void runner.unblock(),
    close: async (drainMs) => {
      for (const stop of stops) stop();
      await Promise.all([runner.close(drainMs), stopTidying()]);
      ending.abort();
    },
  };
}
