import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { UserMessage } from '../../../shared/chat/chat.ts';
import { toMessage } from '../../format/errors.ts';
import { toFiles, type ComposerContent } from './use-composer-content.ts';

interface SendingOptions {
  readonly composer: ComposerContent;
  /** Why it cannot be sent as it is; `null` when it can. */
  readonly obstacle: string | null;
  /** Whether the model is still being determined: the message is sent once it is known. */
  readonly modelsLoading: boolean;
  readonly running: boolean;
  readonly onSend: (message: UserMessage) => Promise<void>;
}

interface Sending {
  readonly busy: boolean;
  /** The error of the latest attempt, until the draft or what is in its way changes. */
  readonly problem: string | null;
  readonly send: () => void;
}

/** Sends a draft, one attempt at a time. A refused draft stays, and the reason is shown. */
export function useSending(parts: SendingOptions): Sending {
  const { composer, obstacle, modelsLoading, running, onSend } = parts;
  const [isQueued, setQueued] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const underway = useRef(false);
  const { text, texts, images, sent } = composer;
  const imageCount = images.picked.length;
  useEffect(() => setProblem(null), [text, texts, imageCount, running, obstacle]);
  const attempt = async (): Promise<void> => {
    const picked = await images.whenUploaded();
    if (picked.some((one) => one.problem !== null)) {
      return setProblem('Remove the image that could not be added.');
    }
    await onSend({ text, files: [...toFiles(picked, texts)] });
    sent();
  };
  const send = (): void => {
    if (underway.current) return;
    if (modelsLoading) return setQueued(true);
    if (obstacle !== null) return setProblem(obstacle);
    underway.current = true;
    setBusy(true);
    attempt()
      .catch((error: unknown) => setProblem(toMessage(error)))
      .finally(() => {
        underway.current = false;
        setBusy(false);
      });
  };
  const sendQueued = useEffectEvent(() => {
    setQueued(false);
    send();
  });
  useEffect(() => {
    if (isQueued && !modelsLoading) sendQueued();
  }, [isQueued, modelsLoading]);
  return { busy: busy || isQueued, problem, send };
}
