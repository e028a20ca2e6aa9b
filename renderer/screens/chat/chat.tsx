import { useDocumentTitle } from '@mantine/hooks';
import { skipToken, useQuery } from '@tanstack/react-query';
import { useCalls } from '../../client/client.ts';
import classes from './chat.module.css';
import { Composer } from './composer/composer.tsx';
import { ChatHead } from './head/chat-head.tsx';
import { useFresh } from './head/use-fresh.ts';
import { ConversationList } from './list/conversation-list.tsx';
import { useChatAddress } from './use-chat-address.ts';

/** Conversations with models: chosen at the left, read and gone on with at the right. */
export function Chat() {
  useDocumentTitle('Chat · Gatehouse');
  const calls = useCalls();
  const { chosen, choose, begun, startNew } = useChatAddress();
  const { fresh, setFresh } = useFresh();
  const opened = useQuery(
    calls.chat.open.queryOptions({ input: chosen === undefined ? skipToken : { id: chosen } }),
  );
  const conversation = chosen === undefined ? null : (opened.data?.conversation ?? null);
  const { lanes, settings } = conversation ?? fresh;
  return (
    <div className={classes['screen']}>
      <aside className={classes['list']} aria-label="Conversations">
        <ConversationList
          chosen={chosen}
          onChoose={choose}
          onNew={startNew}
          onGone={(id) => {
            if (id === chosen) startNew();
          }}
        />
      </aside>
      <div className={classes['talk']}>
        <ChatHead
          conversation={conversation}
          fresh={fresh}
          onFresh={setFresh}
          running={false}
          onGone={startNew}
        />
        <div className={classes['thread']} />
        <Composer
          draft={chosen ?? 'new'}
          models={lanes.map(({ model }) => model)}
          imagesAnyway={settings.imagesAnyway}
          onImagesAnyway={() => undefined}
          running={false}
          onSend={async (said) => {
            const { id } = conversation ?? (await calls.chat.add.call(fresh));
            await calls.chat.send.call({ id, said, instead: [] });
            begun(id);
          }}
          onStop={() => undefined}
          onEditLast={() => undefined}
          autoFocus
        />
      </div>
    </div>
  );
}
