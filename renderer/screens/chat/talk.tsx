import { Skeleton, Stack } from '@mantine/core';
import { IconMessageOff } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { ConversationId, MessageId, NewConversation, Said } from '../../../shared/chat.ts';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useFreeEscape } from '../../parts/free-escape.ts';
import { Composer } from './composer/composer.tsx';
import { forgetDraft } from './composer/kept-drafts.ts';
import type { ChatState, OpenChat } from './open-chat.ts';
import classes from './chat.module.css';
import { NothingSaid } from './thread/nothing-said.tsx';
import { Thread } from './thread/thread.tsx';
import { type Acts, useActs } from './use-acts.ts';
import { useBegin } from './use-begin.ts';
import { useEditing } from './use-editing.ts';
import { type OpenChats, useRunningAnswers } from './use-open-chat.ts';

interface TalkProps {
  /** `null` for one that has not begun, which lives in `fresh`. */
  readonly chat: OpenChat | null;
  /** How it stands, by `useChatState`. */
  readonly state: ChatState | null;
  readonly fresh: NewConversation;
  readonly onFresh: (fresh: NewConversation) => void;
  readonly open: OpenChats;
  readonly onBegun: (id: ConversationId) => void;
  /** The message to go to. */
  readonly at?: MessageId | undefined;
  /** Names the draft of a conversation that has not begun. */
  readonly draft: 'new' | 'quick';
}

/** A conversation: what was said, and where more is written. */
export function Talk(props: TalkProps) {
  const { chat, state, fresh, onFresh, open, onBegun, at, draft } = props;
  const root = useRef<HTMLDivElement>(null);
  const acts = useActs(chat);
  const running = useRunningAnswers(chat).length > 0;
  const begin = useBegin({ fresh, open, onBegun });
  const { say, sent } = useSaying(acts, begin);
  const editing = useEditing(root);
  const [suggestion, setSuggestion] = useState<{ readonly text: string }>();
  useFreeEscape(() => {
    if (running) acts?.stop();
  });
  const opened = state?.kind === 'open' ? state.open : null;
  const { lanes, settings } = opened?.conversation ?? fresh;
  // Who reads a conversation that is not here yet may write in it all the same: the engine knows its models.
  const models = chat !== null && opened === null ? [] : lanes.map(({ model }) => model);
  const lastSaid = opened?.paths[0]?.findLast(({ by }) => by === 'person')?.id;
  return (
    <div ref={root} className={classes['talk']}>
      {chat === null && (
        <NothingSaid brief={draft === 'quick'} onTry={(text) => setSuggestion({ text })} />
      )}
      {chat !== null && opened === null && <NotOpen chat={chat} state={state} />}
      {chat !== null && opened !== null && acts !== null && (
        <Thread
          key={chat.id}
          chat={chat}
          open={opened}
          acts={acts}
          at={at}
          editing={editing}
          sent={sent}
        />
      )}
      {state?.kind !== 'gone' && (
        <footer className={classes['composer']}>
          <Composer
            draft={chat?.id ?? draft}
            models={models}
            imagesAnyway={settings.imagesAnyway}
            onImagesAnyway={() => {
              if (acts !== null) acts.setSettings({ imagesAnyway: true });
              else onFresh({ ...fresh, settings: { ...fresh.settings, imagesAnyway: true } });
            }}
            running={running}
            onSend={say}
            onStop={() => acts?.stop()}
            onEditLast={() => {
              if (lastSaid !== undefined) editing.edit(lastSaid);
            }}
            suggestion={suggestion}
            autoFocus
          />
        </footer>
      )}
    </div>
  );
}

type Say = (said: Said) => Promise<void>;

/** Says it in the open conversation, or begins one with it. `sent` counts what was said in the open one. */
function useSaying(acts: Acts | null, begin: Say): { readonly say: Say; readonly sent: number } {
  const [sent, setSent] = useState(0);
  const say: Say = async (said) => {
    if (acts === null) return await begin(said);
    await acts.say(said);
    setSent((count) => count + 1);
  };
  return { say, sent };
}

interface NotOpenProps {
  readonly chat: OpenChat;
  readonly state: ChatState | null;
}

function NotOpen({ chat, state }: NotOpenProps) {
  if (state?.kind === 'gone') return <Gone id={chat.id} />;
  if (state?.kind === 'failed') {
    return (
      <div className={classes['none']}>
        <Failure
          title="The conversation could not be read."
          error={state.error}
          onRetry={() => void chat.reload()}
        />
      </div>
    );
  }
  return (
    <Stack className={classes['loading'] ?? ''} gap="lg" aria-busy aria-label="Loading">
      <Skeleton h={38} w="45%" ml="auto" />
      <Skeleton h={120} />
      <Skeleton h={38} w="30%" ml="auto" />
      <Skeleton h={160} />
    </Stack>
  );
}

function Gone({ id }: { readonly id: ConversationId }) {
  // The input has kept its latest words as it went; they go as well.
  useEffect(() => forgetDraft(id), [id]);
  return (
    <div className={classes['none']}>
      <Empty icon={IconMessageOff} title="This conversation is gone">
        It was deleted for good. Choose another, or begin a new one.
      </Empty>
    </div>
  );
}
