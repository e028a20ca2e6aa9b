import { useEffect, useRef, useState } from 'react';
import type { Said } from '../../../../shared/chat.ts';
import { sentenceOf } from '../../../parts/problem.ts';
import { filesOf, type Writing } from './use-writing.ts';

interface SendingParts {
  readonly writing: Writing;
  /** Why it cannot be sent as it is; `null` when it can. */
  readonly trouble: string | null;
  readonly running: boolean;
  readonly onSend: (said: Said) => Promise<void>;
}

interface Sending {
  readonly busy: boolean;
  /** Why the latest try came to nothing, until something is changed. */
  readonly problem: string | null;
  readonly send: () => void;
}

/** Sends what was written, once at a time. It stays when it is refused, and the reason is told. */
export function useSending({ writing, trouble, running, onSend }: SendingParts): Sending {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const underway = useRef(false);
  const { text, texts, images, sent } = writing;
  const imageCount = images.picked.length;
  useEffect(() => setProblem(null), [text, texts, imageCount, running]);
  const attempt = async (): Promise<void> => {
    const picked = await images.settled();
    if (picked.some((one) => one.problem !== null)) {
      return setProblem('Leave out the image that was not taken.');
    }
    await onSend({ text, files: [...filesOf(picked, texts)] });
    sent();
  };
  const send = (): void => {
    if (underway.current) return;
    if (trouble !== null) return setProblem(trouble);
    underway.current = true;
    setBusy(true);
    attempt()
      .catch((error: unknown) => setProblem(sentenceOf(error)))
      .finally(() => {
        underway.current = false;
        setBusy(false);
      });
  };
  return { busy, problem, send };
}
