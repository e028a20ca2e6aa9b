import { VisuallyHidden } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import classes from './chat.module.css';
import { Conversations } from './conversations.tsx';
import { ChatHead } from './head/chat-head.tsx';
import { useNewConversation } from './head/use-new-conversation.ts';
import { ConversationView } from './conversation-view.tsx';
import { useChatAddress } from './use-chat-address.ts';
import { useChatKeys } from './use-chat-keys.ts';
import {
  useChatState,
  useConversationStores,
  useRunningAnswers,
} from './store/use-conversation-store.ts';

/** The chat screen: the list of conversations at the left, the open one at the right. */
export function Chat() {
  const { chosen, at, choose, onStarted: begun, startNew } = useChatAddress();
  const { newChat, setNewChat } = useNewConversation();
  const open = useConversationStores();
  const chat = chosen === undefined ? null : open(chosen);
  const state = useChatState(chat);
  const running = useRunningAnswers(chat).length > 0;
  const conversation = state?.kind === 'open' ? state.open.conversation : null;
  useChatKeys(startNew);
  useDocumentTitle(conversation === null ? 'Chat · Gatehouse' : `${conversation.title} · Chat`);
  return (
    <div className={classes['screen']}>
      <VisuallyHidden component="h1">Chat</VisuallyHidden>
      <Conversations
        chosen={chosen}
        onChoose={choose}
        onNew={startNew}
        onGone={(id) => {
          if (id === chosen) startNew();
        }}
      />
      <div className={classes['main']}>
        {(chat === null || conversation !== null) && (
          <ChatHead
            conversation={conversation}
            newChat={newChat}
            onNewChat={setNewChat}
            running={running}
            onGone={startNew}
          />
        )}
        <ConversationView
          chat={chat}
          state={state}
          newChat={newChat}
          onNewChat={setNewChat}
          open={open}
          onBegun={begun}
          at={at}
          draft="new"
        />
      </div>
    </div>
  );
}
