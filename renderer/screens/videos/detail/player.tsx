import { Alert, Button, Group, Text } from '@mantine/core';
import { IconDownload, IconFolderOpen, IconMovieOff } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { VideoFile, VideoJob } from '../../../../shared/video/video.ts';
import { useCalls } from '../../../api/client.ts';
import { CopyButton } from '../../../components/copy-button.tsx';
import { ErrorState } from '../../../components/states/error-state.tsx';
import { toastError } from '../../../hooks/toast.ts';
import { shortPrompt } from '../../../format/video-state.ts';
import { useVideoAction } from '../use-video-action.ts';
import { useMedia } from '../use-media.ts';
import classes from './detail.module.css';

interface PlayerProps {
  readonly job: VideoJob;
  readonly file: VideoFile;
}

/** Plays the finished video and offers actions on its file. */
export function Player({ job, file }: PlayerProps) {
  return file.present ? <Playing job={job} file={file} /> : <MissingFile job={job} file={file} />;
}

function Playing({ job, file }: PlayerProps) {
  const { url, error, renew } = useMedia({ kind: 'video', id: job.id });
  const [failed, setFailed] = useState<string | null>(null);
  if (error !== null && url === undefined) {
    return <ErrorState title="Could not play the video." error={error} onRetry={renew} />;
  }
  return (
    <section aria-label="Player">
      {failed === url && url !== undefined ? (
        <Unplayable
          onRetry={() => {
            setFailed(null);
            renew();
          }}
        />
      ) : (
        <video
          className={classes['player']}
          src={url}
          controls
          playsInline
          preload="metadata"
          aria-label={shortPrompt(job).slice(0, 200)}
          onError={() => setFailed(url ?? null)}
        />
      )}
      <Group gap="xs" mt={8}>
        <Button
          size="xs"
          component="a"
          href={url === undefined ? '' : `${url}?save`}
          download={file.name}
          leftSection={<IconDownload size={15} />}
          aria-disabled={url === undefined}
        >
          Save as…
        </Button>
        <Reveal job={job} />
        <CopyButton value={file.path} what="the path of the file" />
      </Group>
    </section>
  );
}

function Unplayable({ onRetry }: { readonly onRetry: () => void }) {
  return (
    <Alert color="orange" icon={<IconMovieOff />} title="This video cannot be played here">
      <Text size="sm">
        The file is complete, but may need another player. Show it in its folder and open it from
        there.
      </Text>
      <Button size="compact-sm" variant="default" mt="xs" onClick={onRetry}>
        Try again
      </Button>
    </Alert>
  );
}

function Reveal({ job: { id } }: { readonly job: VideoJob }) {
  const reveal = useMutation(
    useCalls().videos.reveal.mutationOptions({
      onError: (error) => toastError('Could not open the folder.', error),
    }),
  );
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconFolderOpen size={15} />}
      loading={reveal.isPending}
      onClick={() => reveal.mutate({ id })}
    >
      Show in folder
    </Button>
  );
}

/** Shown when the file is no longer where it was saved. */
function MissingFile({ job, file }: PlayerProps) {
  const { act, doing } = useVideoAction(job.id);
  return (
    <Alert color="orange" icon={<IconMovieOff />} title="The file is missing">
      <Text size="sm">
        It was at {file.path}. The service may still have the video: downloading it again is free.
      </Text>
      <Button
        size="compact-sm"
        variant="default"
        mt="xs"
        loading={doing === 'fetch-again'}
        onClick={() => act({ type: 'fetch-again' })}
      >
        Download it again
      </Button>
    </Alert>
  );
}
