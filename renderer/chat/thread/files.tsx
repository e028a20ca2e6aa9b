import { Anchor, Modal, Text, UnstyledButton } from '@mantine/core';
import { IconFileText, IconPhotoOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ChatFile } from '../../../shared/chat/chat.ts';
import type { StoredImage } from '../../../shared/image.ts';
import { useCalls } from '../../api/client.ts';
import { formatBytes, pluralize } from '../../../shared/format.ts';
import classes from './files.module.css';

/** Shows the files of a message: image thumbnails, and text files collapsed. */
export function Files({ files }: { readonly files: readonly ChatFile[] }) {
  if (files.length === 0) return null;
  return (
    <div className={classes['files']}>
      {files.map((file, place) =>
        file.kind === 'image' ? (
          <ImageFile key={`${place} ${file.hash}`} image={file} />
        ) : (
          <TextFile key={place} {...file} />
        ),
      )}
    </div>
  );
}

function ImageFile({ image: { hash, name, bytes } }: { readonly image: StoredImage }) {
  const { data, isError } = useQuery(useCalls().chat.image.url.queryOptions({ input: { hash } }));
  const [failed, setFailed] = useState(false);
  const [opened, setOpened] = useState(false);
  const title = `${name}, ${formatBytes(bytes)}`;
  if (isError || failed) {
    return (
      <span className={classes['chip']} title={title}>
        <IconPhotoOff size={15} aria-hidden /> {name} cannot be shown
      </span>
    );
  }
  return (
    <>
      <UnstyledButton
        className={classes['picture'] ?? ''}
        title={title}
        aria-label={`Show ${name} in full`}
        onClick={() => setOpened(true)}
      >
        {data !== undefined && <img src={data.url} alt={name} onError={() => setFailed(true)} />}
      </UnstyledButton>
      <Modal opened={opened} onClose={() => setOpened(false)} title={title} size="auto">
        {data !== undefined && <img src={data.url} alt={name} className={classes['fullImage']} />}
      </Modal>
    </>
  );
}

function TextFile({ name, text }: { readonly name: string; readonly text: string }) {
  const [opened, setOpened] = useState(false);
  return (
    <div className={classes['text']} data-opened={opened || undefined}>
      <Anchor
        component="button"
        type="button"
        className={classes['chip']}
        aria-expanded={opened}
        onClick={() => setOpened(!opened)}
      >
        <IconFileText size={15} aria-hidden />
        <span>{name}</span>
        <Text span size="xs" c="dimmed" data-figures>
          {pluralize(text.split('\n').length, 'line')}
        </Text>
      </Anchor>
      {opened && <pre>{text}</pre>}
    </div>
  );
}
