import { ActionIcon, Progress, Text, Tooltip } from '@mantine/core';
import { IconFileText, IconPhoto, IconX } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { TruncatedText } from '../../components/truncated-text.tsx';
import { formatBytes, pluralize } from '../../../shared/format.ts';
import type { PickedImage } from '../../hooks/use-image-picker.ts';
import classes from './composer.module.css';

import type { AttachedTextFile, ComposerContent } from './use-composer-content.ts';
import { useQuery } from '@tanstack/react-query';
import { useCalls } from '../../api/client.ts';

/** Shows the files of a message, each with a remove button. */
export function Attachments({ composer }: { readonly composer: ComposerContent }) {
  const { images, texts, removeText } = composer;
  if (images.picked.length === 0 && texts.length === 0) return null;
  return (
    <ul className={classes['files']} aria-label="Attached">
      {images.picked.map((picked) => (
        <AttachedImage
          key={picked.key}
          picked={picked}
          onRemove={() => images.remove(picked.key)}
        />
      ))}
      {texts.map((taken) => (
        <AttachedText key={taken.key} taken={taken} onRemove={() => removeText(taken.key)} />
      ))}
    </ul>
  );
}

interface AttachedImageProps {
  readonly picked: PickedImage;
  readonly onRemove: () => void;
}

function AttachedImage({ picked, onRemove }: AttachedImageProps) {
  const { name, bytes, progress, preview, image, problem } = picked;
  return (
    <Attached
      name={name}
      bad={problem !== null}
      onRemove={onRemove}
      sign={
        <>
          <IconPhoto size={18} stroke={1.4} />
          {preview !== null && <Thumbnail src={preview} />}
          {preview === null && image !== null && <StoredThumbnail hash={image.hash} />}
        </>
      }
    >
      {problem !== null && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {problem}
        </Text>
      )}
      {problem === null && image !== null && <Quiet>{formatBytes(bytes)}</Quiet>}
      {problem === null && image === null && (
        <Progress value={progress * 100} size={4} my={6} aria-label={`Adding ${name}`} />
      )}
    </Attached>
  );
}

interface AttachedTextProps {
  readonly taken: AttachedTextFile;
  readonly onRemove: () => void;
}

function AttachedText({ taken: { file }, onRemove }: AttachedTextProps) {
  return (
    <Attached
      name={file.name}
      bad={false}
      onRemove={onRemove}
      sign={<IconFileText size={18} stroke={1.4} />}
    >
      <Quiet>{pluralize(file.text.length, 'character')}</Quiet>
    </Attached>
  );
}

function Quiet({ children }: { readonly children: ReactNode }) {
  return (
    <Text size="xs" c="dimmed" data-figures truncate>
      {children}
    </Text>
  );
}

interface AttachedProps {
  readonly name: string;
  readonly bad: boolean;
  readonly sign: ReactNode;
  readonly onRemove: () => void;
  readonly children: ReactNode;
}

function Attached({ name, bad, sign, onRemove, children }: AttachedProps) {
  return (
    <li className={classes['file']} data-bad={bad || undefined}>
      <span className={classes['icon']} aria-hidden>
        {sign}
      </span>
      <span className={classes['fileText']}>
        <TruncatedText text={name} className={classes['name']} />
        {children}
      </span>
      <Tooltip label="Remove">
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          onClick={onRemove}
          aria-label={`Remove ${name}`}
        >
          <IconX size={14} />
        </ActionIcon>
      </Tooltip>
    </li>
  );
}

/** A decorative thumbnail; nothing when this browser cannot decode it. */
function Thumbnail({ src }: { readonly src: string }) {
  const [failed, setFailed] = useState(false);
  if (failed) return null;
  return <img src={src} alt="" className={classes['picture']} onError={() => setFailed(true)} />;
}

/** A decorative thumbnail of a stored image. */
function StoredThumbnail({ hash }: { readonly hash: string }) {
  const { data, isPlaceholderData } = useQuery(
    useCalls().chat.image.url.queryOptions({ input: { hash } }),
  );
  return data === undefined || isPlaceholderData ? null : <Thumbnail src={data.url} />;
}
