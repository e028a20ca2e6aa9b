import { useRef } from 'react';
import {
  type NewVideo,
  createVideoId,
  VIDEO_ID_BYTES,
  type VideoId,
  type VideoJob,
} from '../../../../shared/video.ts';
import { useCalls } from '../../../api/client.ts';

/** Adds a video. A call that got no response is repeated with the same id, so that it adds one video at most. */
export function useAddVideo(): (video: NewVideo, confirmed: boolean) => Promise<VideoJob> {
  const { videos } = useCalls();
  /** Ids of calls without a response, by the request they carried. */
  const open = useRef(new Map<string, VideoId>());
  return async (video, confirmed) => {
    const call = JSON.stringify({ video, confirmed });
    const random = crypto.getRandomValues(new Uint8Array(VIDEO_ID_BYTES));
    const id = open.current.get(call) ?? createVideoId(random);
    open.current.set(call, id);
    const job = await videos.add.call({ id, video, confirmed });
    open.current.delete(call);
    return job;
  };
}
