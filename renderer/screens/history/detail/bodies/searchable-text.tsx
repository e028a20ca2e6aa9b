import { ActionIcon, Group, Stack, Text, TextInput, Tooltip } from '@mantine/core';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import {
  type KeyboardEvent,
  memo,
  type ReactNode,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { StoredBody } from '../../../../../shared/exchange/body.ts';
import { formatBytes, formatCount } from '../../../../../shared/format.ts';
import {
  findMatches,
  markMatches,
  MAX_MATCHES,
  splitChunks,
  type TextChunk,
} from './find-matches.ts';
import classes from './bodies.module.css';
import { MoreButton } from './more-button.tsx';

interface SearchableTextProps extends Pick<StoredBody, 'text' | 'omitted'> {
  /** For accessible labels: "the request". */
  readonly what: string;
  /** A button beside the search. */
  readonly aside: ReactNode;
}

/** Number of chunks of a text that are shown at first, and that are added on request. */
const STEP = 4;

const NO_MATCHES: readonly number[] = [];

/** Shows a long text in chunks, with a search. */
export function SearchableText({ text, omitted, what, aside }: SearchableTextProps) {
  const [search, setSearch] = useState('');
  const [current, setCurrent] = useState(0);
  const [count, setCount] = useState(STEP);
  const used = useDeferredValue(search);
  const chunks = useMemo(() => splitChunks(text, omitted?.at ?? null), [text, omitted?.at]);
  const matches = useMemo(() => findMatches(text, used), [text, used]);
  const position = matches[current] ?? null;
  const needed = position === null ? 0 : chunks.findLastIndex(({ from }) => from <= position) + 2;
  const shown = chunks.slice(0, Math.max(count, needed));
  const area = useShownMatch(position);
  const remaining = chunks.slice(shown.length).reduce((sum, chunk) => sum + chunk.text.length, 0);
  return (
    <Stack gap={8}>
      <SearchBar
        search={search}
        onSearch={(next) => {
          setSearch(next);
          setCurrent(0);
        }}
        matches={matches.length}
        current={current}
        onCurrent={setCurrent}
        what={what}
        aside={aside}
      />
      <div ref={area} className={classes['text']} role="region" aria-label={`Text of ${what}`}>
        {shown.map((chunk) => (
          <ChunkWithGap key={chunk.from} chunk={chunk} omitted={omitted}>
            <Chunk
              chunk={chunk}
              matches={matchesOf(chunk, matches, used.length)}
              length={used.length}
              current={position}
            />
          </ChunkWithGap>
        ))}
      </div>
      {remaining > 0 && (
        <MoreButton onClick={() => setCount(shown.length + STEP)}>
          Show more ({formatCount(remaining)} characters left)
        </MoreButton>
      )}
    </Stack>
  );
}

/** Returns a reference for the area of a text. The current match in it is scrolled to when it changes. */
function useShownMatch(position: number | null) {
  const area = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (position === null) return;
    area.current?.querySelector('[data-current]')?.scrollIntoView({ block: 'nearest' });
  }, [position]);
  return area;
}

function matchesOf(chunk: TextChunk, matches: readonly number[], length: number) {
  const end = chunk.from + chunk.text.length;
  const found = matches.filter((position) => position < end && position + length > chunk.from);
  return found.length === 0 ? NO_MATCHES : found;
}

interface ChunkWithGapProps {
  readonly chunk: TextChunk;
  readonly omitted: StoredBody['omitted'];
  readonly children: ReactNode;
}

function ChunkWithGap({ chunk, omitted, children }: ChunkWithGapProps) {
  return (
    <>
      {omitted?.at === chunk.from && (
        <div className={classes['omitted']}>
          … {formatBytes(omitted.bytes)} in the middle are not kept …
        </div>
      )}
      {children}
    </>
  );
}

interface ChunkProps {
  readonly chunk: TextChunk;
  /** Positions of the matches in it. */
  readonly matches: readonly number[];
  /** Length of a match. */
  readonly length: number;
  /** Position of the current match. */
  readonly current: number | null;
}

const Chunk = memo(
  function Chunk({ chunk, matches, length, current }: ChunkProps) {
    return (
      <span className={classes['chunk']}>
        {markMatches(chunk, matches, length).map(({ text, match }, place) =>
          match === null ? (
            text
          ) : (
            <mark key={place} data-current={matches[match] === current || undefined}>
              {text}
            </mark>
          ),
        )}
      </span>
    );
  },
  (before, now) =>
    before.chunk === now.chunk &&
    before.matches === now.matches &&
    (before.matches.length === 0 || before.current === now.current),
);

interface SearchBarProps extends Pick<SearchableTextProps, 'what' | 'aside'> {
  readonly search: string;
  readonly onSearch: (search: string) => void;
  readonly matches: number;
  readonly current: number;
  readonly onCurrent: (current: number) => void;
}

function SearchBar({ search, onSearch, what, aside, ...found }: SearchBarProps) {
  const { matches, current, onCurrent } = found;
  const move = (by: number) => {
    if (matches > 0) onCurrent((current + by + matches) % matches);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    move(event.shiftKey ? -1 : 1);
  };
  return (
    <Group gap={6} wrap="nowrap">
      <TextInput
        size="xs"
        flex={1}
        aria-label={`Find in ${what}`}
        placeholder="Find"
        value={search}
        onChange={({ currentTarget }) => onSearch(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <Text size="xs" c="dimmed" role="status" data-figures>
        {search !== '' && describeMatches(matches, current)}
      </Text>
      <MoveButton label="Previous match" disabled={matches === 0} onClick={() => move(-1)}>
        <IconChevronUp size={15} />
      </MoveButton>
      <MoveButton label="Next match" disabled={matches === 0} onClick={() => move(1)}>
        <IconChevronDown size={15} />
      </MoveButton>
      {aside}
    </Group>
  );
}

function describeMatches(matches: number, current: number): string {
  if (matches === 0) return 'Not found';
  const total = `${formatCount(matches)}${matches === MAX_MATCHES ? ' or more' : ''}`;
  return `${formatCount(current + 1)} of ${total}`;
}

interface MoveButtonProps {
  readonly label: string;
  readonly disabled: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

function MoveButton({ label, disabled, onClick, children }: MoveButtonProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        aria-label={label}
        disabled={disabled}
        onClick={onClick}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
