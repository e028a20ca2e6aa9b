import { type Harness, type HarnessOptions, startHarness } from '../gateway/harness.ts';
import { anId } from './video-id.ts';
import type { Repositories } from '../../../gateway/gateway.ts';
import { type NewVideo, type VideoId, type VideoJob } from '../../../shared/video/video.ts';
import { createVideoInput, imageFile } from './videos-folder.ts';

/** Intervals short enough for tests. */
export const FAST_TIMING = {
  pollMs: 20,
  spreadMs: 20,
  slowestPollMs: 200,
  retryMs: 20,
  slowestRetryMs: 200,
  blockedMs: 60_000,
};

export async function startQuickHarness(options: HarnessOptions = {}): Promise<Harness> {
  return await startHarness({ ...options, limits: { ...options.limits, videos: FAST_TIMING } });
}

interface Ordering extends Partial<NewVideo> {
  /** Name of the file; the sandbox reads scenarios of the upload in it. */
  readonly imageName?: string;
}

/** Orders a video of an image, as a user does in the window. */
export async function order(
  { repositories, gateway }: Pick<Harness, 'repositories' | 'gateway'>,
  prompt: string,
  { imageName, ...fields }: Ordering = {},
): Promise<VideoJob> {
  const { hash } = await repositories.videos.images.importFile(
    await imageFile(repositories, imageName),
  );
  const { upstream } = await gateway.status();
  const service = upstream.kind === 'sandbox' ? 'sandbox' : upstream.baseUrl;
  const video = createVideoInput({ prompt, image: hash, ...fields });
  const id = anId();
  return await repositories.videos.add({ id, video, confirmed: true, origin: 'window', service });
}

/** Waits until a job matches. */
export async function whenJob(
  { videos }: Pick<Repositories, 'videos'>,
  id: VideoId,
  looks: (job: VideoJob) => boolean,
): Promise<VideoJob> {
  const { promise, resolve, reject } = Promise.withResolvers<VideoJob>();
  const check = async () => {
    const { job } = await videos.get(id);
    if (looks(job)) resolve(job);
  };
  const stop = videos.on(() => void check().catch(reject));
  try {
    await check();
    return await promise;
  } finally {
    stop();
  }
}

/** Waits until a job has one of these states. */
export async function whenState(
  repositories: Pick<Repositories, 'videos'>,
  id: VideoId,
  ...states: readonly VideoJob['state'][]
): Promise<VideoJob> {
  return await whenJob(repositories, id, ({ state }) => states.includes(state));
}
