import { randomId, useDebouncedCallback, useWindowEvent } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import type { ChatFile } from '../../../shared/chat/chat.ts';
import { useCalls } from '../../api/client.ts';
import { toastMessage } from '../../hooks/toast.ts';
import { type ImagePicker, useImages } from '../../hooks/use-image-picker.ts';
import { deleteDraft, saveDraft, readDraft } from './draft-storage.ts';
import { readTextFile, type TextFile } from './text-file.ts';

/** Limits of one message. */
const MAX_FILES = 16;
const PAUSE_MS = 200;

/** A text file of a draft, with an id that tells it from others of the same name. */
export interface AttachedTextFile {
  readonly key: string;
  readonly file: TextFile;
}

export type ComposerContent = ReturnType<typeof useComposerContent>;

/** Keeps a draft with its files. It survives a reload and navigation until it is sent. */
export function useComposerContent(draft: string) {
  const [begin] = useState(() => readDraft(draft));
  const [text, setText] = useState(begin.text);
  const [texts, setTexts] = useState(() => begin.files.flatMap(toAttachedText));
  const images = useImages(begin.files.filter(isImage), useCalls().chat.image);
  const { picked } = images;
  const files = toFiles(picked, texts);
  const save = useDebouncedCallback(() => saveDraft(draft, { text, files }), {
    delay: PAUSE_MS,
    flushOnUnmount: true,
  });
  useEffect(() => save(), [save, text, picked, texts]);
  useWindowEvent('pagehide', () => save.flush());
  const add = async (given: readonly File[]): Promise<void> => {
    const remaining = MAX_FILES - picked.length - texts.length;
    if (given.length > remaining) toastTooMany(given.length);
    const taken = given.slice(0, Math.max(0, remaining));
    images.add(taken.filter(isPicture));
    for (const file of taken.filter((one) => !isPicture(one))) {
      const read = await readTextFile(file);
      if (read.kind === 'refused') toastMessage(`Could not attach ${file.name}`, read.why);
      else setTexts((now) => [...now, { key: randomId(), file: read }]);
    }
  };
  const sent = (): void => {
    setText('');
    // Others may have been added meanwhile.
    setTexts((now) => now.filter((one) => !texts.includes(one)));
    for (const { key } of picked) images.remove(key);
    save.cancel();
    deleteDraft(draft);
  };
  return {
    text,
    setText,
    texts,
    removeText: (key: string) => setTexts((now) => now.filter((one) => one.key !== key)),
    images,
    /** The files that would be sent with the message now. */
    files,
    /** Adds files; shows a message for those that are refused. */
    add: (given: readonly File[]) => void add(given),
    /** Clears the draft, also in storage. */
    sent,
  };
}

/** SVG files are sent as text. */
function isPicture({ type }: File): boolean {
  return type.startsWith('image/') && type !== 'image/svg+xml';
}

/** Collects the files of a message: its stored images, then its text files. */
export function toFiles(
  picked: ImagePicker['picked'],
  texts: readonly AttachedTextFile[],
): readonly ChatFile[] {
  const images = picked.flatMap(({ image }) =>
    image === null ? [] : { kind: 'image' as const, ...image },
  );
  return [...images, ...texts.map(({ file }) => file)];
}

function isImage(file: ChatFile): file is Extract<ChatFile, { kind: 'image' }> {
  return file.kind === 'image';
}

function toAttachedText(file: ChatFile): AttachedTextFile[] {
  return file.kind === 'text' ? [{ key: randomId(), file }] : [];
}

function toastTooMany(count: number): void {
  toastMessage(
    count === 1 ? 'The file was not attached' : 'Not all files were attached',
    `A message can have at most ${MAX_FILES} files. Send these first.`,
  );
}
