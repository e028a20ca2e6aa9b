import { ActionIcon, Group, Progress, Stack, Text, Tooltip } from '@mantine/core';
import { Dropzone, type FileRejection } from '@mantine/dropzone';
import '@mantine/dropzone/styles.css';
import { useWindowEvent } from '@mantine/hooks';
import { IconPhoto, IconPhotoPlus, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { MAX_IMAGE_BYTES } from '../../../../shared/image.ts';
import { formatBytes } from '../../../../shared/format.ts';
import { TruncatedText } from '../../../components/truncated-text.tsx';
import { isDialogOpen } from '../../../hooks/keyboard/open-dialog.ts';
import { toastMessage } from '../../../hooks/toast.ts';
import thumbnail from '../thumbnail.module.css';
import { useMedia } from '../use-media.ts';
import classes from './new-video.module.css';
import type { PickedImage } from '../../../hooks/use-image-picker.ts';

const TYPES = ['image/*'];
const MAX_IMAGE_SIZE = `${MAX_IMAGE_BYTES / 2 ** 20} MiB`;

interface ImagesInputProps {
  readonly picked: readonly PickedImage[];
  readonly onAdd: (files: readonly File[]) => void;
  readonly onRemove: (key: string) => void;
  readonly problem: string | null;
}

/** Accepts reference images by drop, paste or file dialog. Each image becomes a video of its own. */
export function ImagesInput({ picked, onAdd, onRemove, problem }: ImagesInputProps) {
  usePaste(onAdd);
  return (
    <Stack gap="xs">
      <Dropzone
        onDrop={onAdd}
        onReject={toastRejected}
        accept={TYPES}
        maxSize={MAX_IMAGE_BYTES}
        className={classes['drop'] ?? ''}
        inputProps={{ 'aria-label': 'Reference images' }}
        aria-label="Drop, paste or pick reference images"
        data-invalid={problem !== null || undefined}
      >
        <Group gap="sm" wrap="nowrap" justify="center">
          <IconPhotoPlus size={26} stroke={1.4} aria-hidden />
          <div>
            <Text size="sm" fw={500}>
              Drop an image here, paste one, or click to pick
            </Text>
            <Text size="xs" c="dimmed">
              PNG, JPEG, WebP and others, up to {MAX_IMAGE_SIZE}. Each image makes one video.
            </Text>
          </div>
        </Group>
      </Dropzone>
      {problem !== null && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {problem}
        </Text>
      )}
      {picked.length > 0 && (
        <ul className={classes['images']} aria-label="Images">
          {picked.map((one) => (
            <PickedImageView key={one.key} picked={one} onRemove={() => onRemove(one.key)} />
          ))}
        </ul>
      )}
    </Stack>
  );
}

function usePaste(onAdd: (files: readonly File[]) => void): void {
  useWindowEvent('paste', (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0 || isDialogOpen()) return;
    event.preventDefault();
    const images = files.filter(({ type }) => type.startsWith('image/'));
    if (images.length > 0) onAdd(images);
    else toastMessage('Not an image', 'The pasted file is of another type.');
  });
}

function toastRejected(rejected: readonly FileRejection[]): void {
  for (const { file, errors } of rejected) {
    const large = errors.some(({ code }) => code === 'file-too-large');
    toastMessage(
      `Could not add ${file.name}`,
      large
        ? `It is ${formatBytes(file.size)}; an image has at most ${MAX_IMAGE_SIZE}.`
        : 'This is not an image. Use a PNG or a JPEG, for example.',
    );
  }
}

interface PickedImageProps {
  readonly picked: PickedImage;
  readonly onRemove: () => void;
}

function PickedImageView({ picked, onRemove }: PickedImageProps) {
  const { name, bytes, progress, image, problem } = picked;
  const [size, setSize] = useState<string | null>(null);
  return (
    <li className={classes['image']} data-bad={problem !== null || undefined}>
      <div className={classes['preview']}>
        <div className={thumbnail['frame']} aria-hidden>
          <IconPhoto size={20} stroke={1.4} className={thumbnail['icon']} />
          <Preview picked={picked} onSize={setSize} />
        </div>
      </div>
      <div className={classes['text']}>
        <Text size="sm" component="div">
          <TruncatedText text={name} className={classes['name']} />
        </Text>
        <Text size="xs" c="dimmed" data-figures>
          {[size, formatBytes(bytes), image?.type.replace('image/', '').toUpperCase()]
            .filter(Boolean)
            .join(', ')}
        </Text>
        {image === null && problem === null && (
          <Progress value={progress * 100} size={4} mt={4} aria-label={`Adding ${name}`} />
        )}
        {problem !== null && (
          <Text size="xs" c="var(--mantine-color-error)" role="alert">
            {problem}
          </Text>
        )}
      </div>
      <Tooltip label="Remove">
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          onClick={onRemove}
          aria-label={`Remove ${name}`}
        >
          <IconX size={15} />
        </ActionIcon>
      </Tooltip>
    </li>
  );
}

interface PreviewProps {
  readonly picked: PickedImage;
  /** Called with the formatted size: `1280 × 720`. */
  readonly onSize: (size: string) => void;
}

function Preview({ picked: { preview, image }, onSize }: PreviewProps) {
  if (preview !== null) return <Picture src={preview} onSize={onSize} />;
  return image === null ? null : <StoredPicture hash={image.hash} onSize={onSize} />;
}

function StoredPicture({ hash, onSize }: { hash: string; onSize: PreviewProps['onSize'] }) {
  const { url } = useMedia({ kind: 'image', hash });
  return url === undefined ? null : <Picture src={url} onSize={onSize} />;
}

function Picture({ src, onSize }: { src: string; onSize: PreviewProps['onSize'] }) {
  const [failed, setFailed] = useState(false);
  if (failed) return null;
  return (
    <img
      src={src}
      alt=""
      className={thumbnail['picture']}
      onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
        onSize(`${naturalWidth} × ${naturalHeight}`)
      }
      onError={() => setFailed(true)}
    />
  );
}
