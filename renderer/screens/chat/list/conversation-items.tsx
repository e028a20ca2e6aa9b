import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  type Ref,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useState,
} from 'react';
import type { ConversationId, ConversationSummary } from '../../../../shared/chat/chat.ts';
import { useListKeys } from '../../../hooks/keyboard/use-list-keys.ts';
import { ConversationItem } from './conversation-item.tsx';
import type { ListItem } from './group-by-time.ts';
import classes from './list.module.css';

const TIME_PX = 32;
const LINE_PX = 52;
const FOUND_PX = 90;
const OVERSCAN = 10;
/** Number of remaining lines below which the next page is fetched. */
const PREFETCH_ITEMS = 20;

/** Lets the search field move the focus into the list. */
export interface ItemsHandle {
  readonly focusFirst: () => void;
}

interface ItemsProps {
  readonly ref: Ref<ItemsHandle>;
  readonly lines: readonly ListItem[];
  readonly find: string;
  /** Whether the lines are about to be replaced. */
  readonly stale: boolean;
  readonly chosen: ConversationId | undefined;
  readonly onChoose: (conversation: ConversationSummary) => void;
  readonly onGone: (id: ConversationId) => void;
  /** Called when the last line comes near. */
  readonly onEnd: () => void;
}

/** Lists conversations. Only visible ones are in the document. */
export function ConversationItems(props: ItemsProps) {
  const { ref, lines, stale } = props;
  const count = lines.filter(({ kind }) => kind === 'conversation').length;
  const keys = useListKeys<HTMLDivElement>({
    count,
    scrollTo: (row) => virtualizer.scrollToIndex(findIndex(lines, row)),
    arrowsOnly: true,
  });
  const { list, onKeyDown, mark } = keys;
  const virtualizer = useVirtual(props, () => list.current);
  useImperativeHandle(ref, () => ({ focusFirst: () => mark(0) }));
  const onGone = useDeletedRow(props, mark);
  return (
    <div
      ref={list}
      className={classes['scroller']}
      onKeyDown={(event) => {
        // Menus and dialogs of a line are rendered elsewhere on the page, but their key events bubble here through React.
        if (isWithin(event)) onKeyDown(event);
      }}
      role="presentation"
      data-stale={stale || undefined}
    >
      <ul
        className={classes['lines']}
        style={{ height: virtualizer.getTotalSize() }}
        aria-label="Conversations"
        aria-busy={stale}
      >
        {virtualizer.getVirtualItems().map(({ key, index, start }) => (
          <li
            key={key}
            ref={virtualizer.measureElement}
            data-index={index}
            className={classes['place']}
            style={{ transform: `translateY(${start}px)` }}
          >
            <ListItemView {...props} onGone={onGone} keys={keys} line={lines[index]} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Moves the focus to the line that follows a deleted one. */
function useDeletedRow({ lines, chosen, onGone }: ItemsProps, mark: (row: number) => void) {
  const [removed, setRemoved] = useState<ConversationId | null>(null);
  const [row, setRow] = useState(0);
  const now = lines.find(
    (line) => line.kind === 'conversation' && line.conversation.id === removed,
  );
  const take = useEffectEvent(mark);
  useEffect(() => {
    if (removed === null || now !== undefined) return;
    setRemoved(null);
    take(row);
  }, [removed, now, row]);
  return (id: ConversationId): void => {
    onGone(id);
    const line = lines.find((each) => each.kind === 'conversation' && each.conversation.id === id);
    if (id === chosen || line?.kind !== 'conversation') return;
    setRow(line.row);
    setRemoved(id);
  };
}

interface ListItemViewProps extends ItemsProps {
  readonly keys: ReturnType<typeof useListKeys>;
  readonly line: ListItem | undefined;
}

function ListItemView({ keys, line, find, chosen, onChoose, onGone }: ListItemViewProps) {
  if (line === undefined) return null;
  if (line.kind === 'time') return <div className={classes['time']}>{line.name}</div>;
  const { conversation, row } = line;
  return (
    <ConversationItem
      conversation={conversation}
      find={find}
      chosen={conversation.id === chosen}
      row={keys.rowProps(row)}
      onChoose={() => onChoose(conversation)}
      onGone={() => onGone(conversation.id)}
    />
  );
}

function isWithin({ currentTarget, target }: KeyboardEvent): boolean {
  return target instanceof Node && currentTarget.contains(target);
}

function useVirtual({ lines, onEnd }: ItemsProps, scroller: () => HTMLDivElement | null) {
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: scroller,
    estimateSize: (index) => toHeight(lines[index]),
    getItemKey: (index) => toKey(lines[index]),
    overscan: OVERSCAN,
  });
  const end = virtualizer.range?.endIndex ?? 0;
  useEffect(() => {
    if (end > lines.length - PREFETCH_ITEMS) onEnd();
    // oxlint-disable-next-line react/exhaustive-deps -- asked when the place or the lines change
  }, [end, lines]);
  return virtualizer;
}

function toHeight(line: ListItem | undefined): number {
  if (line?.kind !== 'conversation') return TIME_PX;
  return line.conversation.match === null ? LINE_PX : FOUND_PX;
}

function toKey(line: ListItem | undefined): string {
  return line?.kind === 'conversation' ? line.conversation.id : `time ${line?.name ?? ''}`;
}

function findIndex(lines: readonly ListItem[], row: number): number {
  return lines.findIndex((line) => line.kind === 'conversation' && line.row === row);
}
