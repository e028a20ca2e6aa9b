import { IconMovie } from '@tabler/icons-react';
import { useState } from 'react';
import type { VideoJob } from '../../../shared/video/video.ts';
import { FirstFrame } from './first-frame.tsx';
import classes from './thumbnail.module.css';
import { useMedia } from './use-media.ts';

interface ThumbnailProps {
  readonly job: Pick<VideoJob, 'id' | 'image' | 'file'>;
}

/** Shows a video's reference image, else its own first frame, else an icon. */
export function Thumbnail({ job: { id, image, file } }: ThumbnailProps) {
  return (
    <div className={classes['frame']} aria-hidden>
      <IconMovie size={22} stroke={1.4} className={classes['icon']} />
      {image !== null ? (
        <ImageFile key={image.hash} hash={image.hash} />
      ) : (
        file?.present === true && <FirstFrame key={file.sha256} id={id} />
      )}
    </div>
  );
}

/** Shows a reference image; nothing when this browser cannot decode it. */
function ImageFile({ hash }: { readonly hash: string }) {
  const { url } = useMedia({ kind: 'image', hash });
  const [failed, setFailed] = useState(false);
  if (url === undefined || failed) return null;
  return (
    <img
      src={url}
      alt=""
      className={classes['picture']}
      draggable={false}
      onError={() => setFailed(true)}
    />
  );
}
