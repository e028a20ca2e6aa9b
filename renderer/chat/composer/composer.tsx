import { Text, Textarea } from '@mantine/core';
import {
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react';
import {
  type ChatSettings,
  type ConversationId,
  type UserMessage,
  MAX_MESSAGE_LENGTH,
  type ChatFile,
} from '../../../shared/chat/chat.ts';
import { isComposing } from '../../hooks/keyboard/is-composing.ts';
import { AttachButton } from './attach-button.tsx';
import { Attachments } from './attachments.tsx';
import classes from './composer.module.css';
import { ImagesNotice } from './images-notice.tsx';

import { SendButton } from './send-button.tsx';

import { useEstimate } from './use-estimate.ts';
import { useSending } from './use-sending.ts';
import { useComposerContent } from './use-composer-content.ts';
import { formatCount } from '../../../shared/format.ts';
import { useCalls } from '../../api/client.ts';
import { useQuery } from '@tanstack/react-query';
import { useModelChoice } from '../../api/use-model-list.ts';
import { acceptsImages } from '../../../shared/model-metadata/accepts-images.ts';

interface ComposerProps {
  /** Storage key of the draft: the id of a conversation, `new` or `quick`. */
  readonly draft: string;
  /** `null` for a new conversation. */
  readonly conversation: ConversationId | null;
  /** The models that will answer. */
  readonly models: readonly string[];
  readonly settings: Pick<ChatSettings, 'system' | 'maxTokens'>;
  readonly imagesAnyway: boolean;
  readonly onImagesAnyway: () => void;
  /** Whether an answer is in progress. */
  readonly running: boolean;
  /** The draft stays when this rejects. */
  readonly onSend: (message: UserMessage) => Promise<void>;
  readonly onStop: () => void;
  readonly onEditLast: () => void;
  readonly autoFocus?: boolean;
  /** Text to put into the input, which is then focused, whenever another object is given. */
  readonly suggestion?: { readonly text: string } | undefined;
}

/** The input for a message, with attachments and the send button. */
export function Composer(props: ComposerProps) {
  return <DraftComposer key={props.draft} {...props} />;
}

function DraftComposer(props: ComposerProps) {
  const { running, onStop } = props;
  const { input, composer, blind, ready, length, estimate, problem, busy, send, onKeyDown } =
    useComposerState(props);
  const hasImages = composer.images.picked.length > 0;
  const about = length.label === null && estimate !== null ? { title: ESTIMATE_ABOUT } : {};
  return (
    <section className={classes['composer']} aria-label="Your message">
      {hasImages && blind.length > 0 && (
        <ImagesNotice
          models={blind}
          onAnyway={props.onImagesAnyway}
          onLeaveOut={() => {
            for (const { key } of composer.images.picked) composer.images.remove(key);
            input.current?.focus();
          }}
        />
      )}
      {problem !== null && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert" mb={6}>
          {problem}
        </Text>
      )}
      <div className={classes['box']}>
        <Attachments composer={composer} />
        <Textarea
          ref={input}
          variant="unstyled"
          autosize
          minRows={1}
          maxRows={14}
          aria-label="Message"
          placeholder="Ask anything"
          autoFocus={props.autoFocus === true}
          readOnly={busy}
          value={composer.text}
          onChange={(event) => composer.setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          data-composer
          classNames={{ input: classes['input'] ?? '' }}
        />
        <div className={classes['footer']}>
          <AttachButton
            about={blind.length > 0 ? describeBlindModels(blind) : null}
            onAdd={composer.add}
          />
          <span
            className={classes['length']}
            {...about}
            data-over={length.tooLong || undefined}
            data-figures
          >
            {length.label ?? estimate}
          </span>
          <SendButton {...{ running, busy, ready, onStop }} onSend={send} />
        </div>
      </div>
    </section>
  );
}

const ESTIMATE_ABOUT =
  'What the answers would cost, with all messages before: an estimate by your prices and earlier answers.';

/** Returns the content, whether it can be sent, and the key handlers. */
function useComposerState(props: ComposerProps) {
  const { models, imagesAnyway, running, onSend, onStop, onEditLast } = props;
  const input = useRef<HTMLTextAreaElement>(null);
  const composer = useComposerContent(props.draft);
  useSuggestion(props.suggestion, composer.setText, input);
  const { text, files, images } = composer;
  const textOnlyModels = useModelsWithoutVision(models);
  const blind = imagesAnyway ? NOBODY : textOnlyModels;
  const length = measureMessage(text, files);
  const unseen = blind.length > 0 && images.picked.length > 0;
  const obstacle = findObstacle({ models, running, tooLong: length.tooLong, unseen });
  const drafted = { id: props.conversation, models, settings: props.settings, text, files };
  const estimate = useEstimate({ ...drafted, images: images.picked.length });
  const modelsLoading = useModelsLoading(models);
  const { busy, problem, send } = useSending({
    composer,
    obstacle,
    modelsLoading,
    running,
    onSend,
  });
  const ready = text.trim() !== '' || images.picked.length > 0 || files.length > 0;
  const sendAndStay = (): void => {
    send();
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      if (ready) send();
    } else if (event.key === 'ArrowUp' && text === '') {
      event.preventDefault();
      onEditLast();
    } else if (event.key === 'Escape' && running) {
      event.preventDefault();
      onStop();
    } else if (event.key === 'Escape') input.current?.blur();
  };
  return {
    input,
    composer,
    blind,
    ready,
    length,
    estimate,
    problem,
    busy,
    send: sendAndStay,
    onKeyDown,
  };
}

const NOBODY: readonly string[] = [];

function useSuggestion(
  suggestion: ComposerProps['suggestion'],
  setText: (text: string) => void,
  input: RefObject<HTMLTextAreaElement | null>,
): void {
  const [seen, setSeen] = useState(suggestion);
  const take = useEffectEvent(({ text }: { readonly text: string }) => {
    setSeen(suggestion);
    setText(text);
    input.current?.focus();
  });
  useEffect(() => {
    if (suggestion !== undefined && suggestion !== seen) take(suggestion);
  }, [suggestion, seen]);
}

interface ObstacleInput {
  readonly models: readonly string[];
  readonly running: boolean;
  readonly tooLong: boolean;
  /** Some selected model may not accept the attached images. */
  readonly unseen: boolean;
}

/** Describes why the message cannot be sent now. */
function findObstacle({ models, running, tooLong, unseen }: ObstacleInput): string | null {
  if (running) return 'The answer is still arriving. Wait for it, or stop it.';
  if (models.includes('')) return 'Choose a model first.';
  if (tooLong) return 'This is too long for one message. Shorten it, or remove a file.';
  if (unseen) return 'Choose what to do with the images first.';
  return null;
}

function describeBlindModels(models: readonly string[]): string {
  return `No image support is listed for ${models.join(' or ')}`;
}

/** Number of characters from which the length is shown. */
const SHOWN_FROM = MAX_MESSAGE_LENGTH * 0.8;

export interface MessageLength {
  /** `212,000 of 250,000 characters`; `null` while the message is far from the limit. */
  readonly label: string | null;
  readonly tooLong: boolean;
}

/** Measures a message against its maximum length. */
function measureMessage(text: string, files: readonly ChatFile[]): MessageLength {
  const length = files.reduce(
    (sum, file) => sum + (file.kind === 'text' ? file.text.length : 0),
    text.length,
  );
  const label = `${formatCount(length)} of ${formatCount(MAX_MESSAGE_LENGTH)} characters`;
  return { label: length < SHOWN_FROM ? null : label, tooLong: length > MAX_MESSAGE_LENGTH };
}

/** Whether the answering model is still unknown: none is selected, and the default is not loaded yet. */
function useModelsLoading(models: readonly string[]): boolean {
  const calls = useCalls();
  const latest = useQuery(calls.chat.page.queryOptions({ input: { find: '', limit: 1 } }));
  const { data, isPending } = useQuery(calls.models.list.queryOptions());
  const isNotFetched = data?.fetchedAt === null && data.problem === null;
  return models.includes('') && (latest.isPending || isPending || isNotFetched);
}

/** Returns those models that the list does not mark as accepting images. */
function useModelsWithoutVision(models: readonly string[]): readonly string[] {
  const list = useModelChoice();
  const seeing = new Set(
    list
      .filter(({ model }) => models.includes(model.id) && acceptsImages(model))
      .map(({ model }) => model.id),
  );
  return [...new Set(models)].filter((id) => id !== '' && !seeing.has(id));
}
