import { randomId, useDebouncedCallback, useWindowEvent } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import type { ChatFile } from '../../../../shared/chat.ts';
import { useCalls } from '../../../client/client.ts';
import { sayRefused } from '../../../parts/said.ts';
import { type Images, useImages } from '../../../parts/use-images.ts';
import { forgetDraft, keepDraft, keptDraft } from './kept-drafts.ts';
import { readTextFile, type TextFile } from './text-file.ts';

/** What one message takes. */
const MOST_FILES = 16;
const PAUSE_MS = 200;

/** A text file of a draft, with a name of its own among others of the same name. */
export interface TakenText {
  readonly key: string;
  readonly file: TextFile;
}

export type Writing = ReturnType<typeof useWriting>;

/** What a person writes, with its files. It survives a reload and a look elsewhere until it is sent. */
export function useWriting(draft: string) {
  const [begin] = useState(() => keptDraft(draft));
  const [text, setText] = useState(begin.text);
  const [texts, setTexts] = useState(() => begin.files.flatMap(takenOf));
  const images = useImages(begin.files.filter(isImage), useCalls().chat.image);
  const { picked } = images;
  const files = filesOf(picked, texts);
  const keep = useDebouncedCallback(() => keepDraft(draft, { text, files }), {
    delay: PAUSE_MS,
    flushOnUnmount: true,
  });
  useEffect(() => keep(), [keep, text, picked, texts]);
  useWindowEvent('pagehide', () => keep.flush());
  const add = async (given: readonly File[]): Promise<void> => {
    const room = MOST_FILES - picked.length - texts.length;
    if (given.length > room) tellTooMany(given.length);
    const taken = given.slice(0, Math.max(0, room));
    images.add(taken.filter(isPicture));
    for (const file of taken.filter((one) => !isPicture(one))) {
      const read = await readTextFile(file);
      if (read.kind === 'refused') sayRefused(`${file.name} was not attached`, read.why);
      else setTexts((now) => [...now, { key: randomId(), file: read }]);
    }
  };
  const sent = (): void => {
    setText('');
    // Others may have been added meanwhile.
    setTexts((now) => now.filter((one) => !texts.includes(one)));
    for (const { key } of picked) images.remove(key);
    keep.cancel();
    forgetDraft(draft);
  };
  return {
    text,
    setText,
    texts,
    removeText: (key: string) => setTexts((now) => now.filter((one) => one.key !== key)),
    images,
    /** Those that would go with the message now. */
    files,
    /** Says in words what it does not take. */
    add: (given: readonly File[]) => void add(given),
    /** Empties it, here and where it is kept. */
    sent,
  };
}

/** A drawing in SVG is a text to models and to Gatehouse. */
function isPicture({ type }: File): boolean {
  return type.startsWith('image/') && type !== 'image/svg+xml';
}

/** The files of a message: its images as far as they are kept, then its texts. */
export function filesOf(
  picked: Images['picked'],
  texts: readonly TakenText[],
): readonly ChatFile[] {
  const images = picked.flatMap(({ image }) =>
    image === null ? [] : { kind: 'image' as const, ...image },
  );
  return [...images, ...texts.map(({ file }) => file)];
}

function isImage(file: ChatFile): file is Extract<ChatFile, { kind: 'image' }> {
  return file.kind === 'image';
}

function takenOf(file: ChatFile): TakenText[] {
  return file.kind === 'text' ? [{ key: randomId(), file }] : [];
}

function tellTooMany(count: number): void {
  sayRefused(
    count === 1 ? 'The file was not attached' : 'Not all files were attached',
    `A message takes at most ${MOST_FILES} files. Send these first.`,
  );
}
