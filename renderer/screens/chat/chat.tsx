import { VisuallyHidden } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import classes from './chat.module.css';
import { Conversations } from './conversations.tsx';
import { ChatHead } from './head/chat-head.tsx';
import { rememberModelChoice } from '../../chat/model-picker/model-choices.ts';
import { useNewConversation } from '../../chat/use-new-conversation.ts';
import { ConversationView } from '../../chat/conversation-view.tsx';
import { useChatAddress, useModelInAddress } from './use-chat-address.ts';
import { useChatKeys } from '../../chat/use-chat-keys.ts';
import {
  useChatState,
  useConversationStores,
  useRunningAnswers,
} from '../../chat/store/use-conversation-store.ts';

/** The chat screen: the list of conversations at the left, the open one at the right. */
export function Chat() {
  const { chosen, at, choose, onStarted, startNew } = useChatAddress();
  const { newChat, setNewChat } = useNewConversation();
  useModelInAddress((model) => {
    rememberModelChoice(model);
    setNewChat({ ...newChat, lanes: [{ model, protocol: null }] });
  });
  const getStore = useConversationStores();
  const chat = chosen === undefined ? null : getStore(chosen);
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
          getStore={getStore}
          onStarted={onStarted}
          at={at}
          draft="new"
        />
      </div>
    </div>
  );
}
