import { type SyntheticEvent, useRef, useState } from 'react';
import type { VideoId } from '../../../shared/video/video.ts';
import classes from './thumbnail.module.css';
import { useMedia } from './use-media.ts';

/** Position of the frame in seconds: many videos begin with a black frame. */
const AT_SECONDS = 0.2;

/**
 * Shows the first frame of a video. The video element is released at once: a browser allows only six connections to one
 * origin.
 */
export function FirstFrame({ id }: { readonly id: VideoId }) {
  const { url } = useMedia({ kind: 'video', id });
  const canvas = useRef<HTMLCanvasElement>(null);
  const [state, setState] = useState<'reading' | 'drawn' | 'failed'>('reading');
  const draw = ({ currentTarget: video }: SyntheticEvent<HTMLVideoElement>): void => {
    const { videoWidth, videoHeight } = video;
    if (canvas.current === null || videoWidth === 0) return setState('failed');
    canvas.current.width = 320;
    canvas.current.height = Math.round((320 * videoHeight) / videoWidth);
    const { width, height } = canvas.current;
    canvas.current.getContext('2d')?.drawImage(video, 0, 0, width, height);
    video.removeAttribute('src');
    video.load();
    setState('drawn');
  };
  if (url === undefined || state === 'failed') return null;
  return (
    <>
      <canvas ref={canvas} className={classes['picture']} hidden={state !== 'drawn'} />
      {state === 'reading' && (
        <video
          src={`${url}#t=${AT_SECONDS}`}
          preload="auto"
          muted
          playsInline
          hidden
          onLoadedData={draw}
          onError={() => setState('failed')}
        />
      )}
    </>
  );
}
