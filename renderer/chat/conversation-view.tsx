import { Skeleton, Stack } from '@mantine/core';
import { IconMessageOff } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type {
  ConversationId,
  MessageId,
  NewConversation,
  UserMessage,
} from '../../shared/chat/chat.ts';
import { EmptyState } from '../components/states/empty-state.tsx';
import { ErrorState } from '../components/states/error-state.tsx';
import { useEscape } from '../hooks/keyboard/use-escape.ts';
import { Composer } from './composer/composer.tsx';
import { deleteDraft } from './composer/draft-storage.ts';
import type { ChatState, ConversationStore } from './store/conversation-store.ts';
import classes from './conversation-view.module.css';
import { EmptyConversation } from './thread/empty-conversation.tsx';
import { Thread } from './thread/thread.tsx';
import { type ConversationActions, useConversationActions } from './use-conversation-actions.ts';
import { useStartConversation } from './use-start-conversation.ts';
import { useEditing } from './use-editing.ts';
import { type GetConversation, useRunningAnswers } from './store/use-conversation-store.ts';

interface ConversationViewProps {
  /** `null` for a new conversation, whose settings are in `newChat`. */
  readonly chat: ConversationStore | null;
  /** The state of the conversation, from `useChatState`. */
  readonly state: ChatState | null;
  readonly newChat: NewConversation;
  readonly onNewChat: (newChat: NewConversation) => void;
  readonly getStore: GetConversation;
  readonly onStarted: (id: ConversationId) => void;
  /** The message to scroll to. */
  readonly at?: MessageId | undefined;
  /** Storage key of the draft of a new conversation. */
  readonly draft: 'new' | 'quick';
}

/** Shows a conversation: its messages and the composer. */
export function ConversationView(props: ConversationViewProps) {
  const { chat, state, newChat, onNewChat, getStore, onStarted, at, draft } = props;
  const root = useRef<HTMLDivElement>(null);
  const actions = useConversationActions(chat);
  const running = useRunningAnswers(chat).length > 0;
  const begin = useStartConversation({ newChat, getStore, onStarted });
  const { send, sent } = useSend(actions, begin);
  const editing = useEditing(root);
  const [suggestion, setSuggestion] = useState<{ readonly text: string }>();
  useEscape(() => {
    if (running) actions?.stop();
  });
  const opened = state?.kind === 'open' ? state.open : null;
  const { lanes, settings } = opened?.conversation ?? newChat;
  // A message can be written before the conversation is loaded: the engine knows its models.
  const models = chat !== null && opened === null ? [] : lanes.map(({ model }) => model);
  const lastMessage = opened?.paths[0]?.findLast(({ by }) => by === 'person')?.id;
  return (
    <div ref={root} className={classes['conversation']}>
      {chat === null && (
        <EmptyConversation brief={draft === 'quick'} onTry={(text) => setSuggestion({ text })} />
      )}
      {chat !== null && opened === null && <NotOpen chat={chat} state={state} />}
      {chat !== null && opened !== null && actions !== null && (
        <Thread
          key={chat.id}
          chat={chat}
          open={opened}
          actions={actions}
          at={at}
          editing={editing}
          sent={sent}
        />
      )}
      {!isMissing(state) && (
        <footer className={classes['composer']}>
          <Composer
            draft={chat?.id ?? draft}
            conversation={chat?.id ?? null}
            models={models}
            settings={settings}
            imagesAnyway={settings.imagesAnyway}
            onImagesAnyway={() => {
              if (actions !== null) actions.setSettings({ imagesAnyway: true });
              else onNewChat({ ...newChat, settings: { ...newChat.settings, imagesAnyway: true } });
            }}
            running={running}
            onSend={send}
            onStop={() => actions?.stop()}
            onEditLast={() => {
              if (lastMessage !== undefined) editing.edit(lastMessage);
            }}
            suggestion={suggestion}
            autoFocus
          />
        </footer>
      )}
    </div>
  );
}

type SendMessage = (message: UserMessage) => Promise<void>;

/** Sends a message in the open conversation, or starts one with it. `sent` counts the messages sent in the open one. */
function useSend(
  actions: ConversationActions | null,
  begin: SendMessage,
): { readonly send: SendMessage; readonly sent: number } {
  const [sent, setSent] = useState(0);
  const send: SendMessage = async (message) => {
    if (actions === null) return await begin(message);
    await actions.send(message);
    setSent((count) => count + 1);
  };
  return { send, sent };
}

interface NotOpenProps {
  readonly chat: ConversationStore;
  readonly state: ChatState | null;
}

function NotOpen({ chat, state }: NotOpenProps) {
  if (isMissing(state)) {
    return <MissingConversation id={chat.id} wasDeleted={state.kind === 'gone'} />;
  }
  if (state?.kind === 'failed') {
    return (
      <div className={classes['notice']}>
        <ErrorState
          title="Could not load the conversation."
          error={state.error}
          onRetry={() => void chat.reload()}
        />
      </div>
    );
  }
  return (
    <Stack
      className={classes['loading'] ?? ''}
      gap="lg"
      role="group"
      aria-busy
      aria-label="Loading"
    >
      <Skeleton h={38} w="45%" ml="auto" />
      <Skeleton h={120} />
      <Skeleton h={38} w="30%" ml="auto" />
      <Skeleton h={160} />
    </Stack>
  );
}

function isMissing(
  state: ChatState | null,
): state is Extract<ChatState, { readonly kind: 'gone' | 'unknown' }> {
  return state?.kind === 'gone' || state?.kind === 'unknown';
}

interface MissingProps {
  readonly id: ConversationId;
  /** Whether it was here before. */
  readonly wasDeleted: boolean;
}

function MissingConversation({ id, wasDeleted }: MissingProps) {
  // The input has kept its latest words as it went; they go as well.
  useEffect(() => deleteDraft(id), [id]);
  return (
    <div className={classes['notice']}>
      <EmptyState
        icon={IconMessageOff}
        title={wasDeleted ? 'This conversation was deleted' : 'No such conversation'}
      >
        {!wasDeleted && `There is no conversation with the id “${id}”. `}
        Choose another one, or start a new one.
      </EmptyState>
    </div>
  );
}
