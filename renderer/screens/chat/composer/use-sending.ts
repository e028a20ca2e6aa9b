import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { Said } from '../../../../shared/chat.ts';
import { sentenceOf } from '../../../parts/problem.ts';
import { filesOf, type Writing } from './use-writing.ts';

interface SendingParts {
  readonly writing: Writing;
  /** Why it cannot be sent as it is; `null` when it can. */
  readonly trouble: string | null;
  /** Who is to answer is not known yet: what is sent goes once it is. */
  readonly early: boolean;
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
export function useSending(parts: SendingParts): Sending {
  const { writing, trouble, early, running, onSend } = parts;
  const [held, setHeld] = useState(false);
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
    if (early) return setHeld(true);
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
  const sendHeld = useEffectEvent(() => {
    setHeld(false);
    send();
  });
  useEffect(() => {
    if (held && !early) sendHeld();
  }, [held, early]);
  return { busy: busy || held, problem, send };
}
